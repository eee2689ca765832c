// The health of webhook endpoints: states, success rate, half hours, and access.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { makeClient, makeOwner, makeWorkspace } from '../harness/client.ts'
import { makePerson } from '../harness/people.ts'
import { assertRefused } from '../harness/refused.ts'
import { query } from '../harness/server.ts'
import { startEndpoint } from './endpoints.ts'
import { queueEvents, settle, startWebhookService, urlOf } from './webhook-service.ts'

const service = await startWebhookService()
const { manage } = service

/** An endpoint with a status code that the test sets. */
async function startPair(
  t: TestContext,
  { workspaceId, statusCode = 204 }: { workspaceId?: string; statusCode?: number } = {},
) {
  const answer = { statusCode }
  const endpoint = await startEndpoint(t, (response) => response.writeHead(answer.statusCode).end())
  const client = await makeClient(service, {
    ...(workspaceId && { workspaceId }),
    name: `Client ${endpoint.port}`,
    webhookUrl: urlOf(endpoint, '/hook?token=secret'),
  })
  return { answer, endpoint, client, post: (count: number) => post(client, count) }
}

async function post(client: { id: string }, count: number): Promise<void> {
  await queueEvents(service, client, Array(count).fill({}))
  await settle(service)
}

const listOf = async (workspaceId: string, search = '') => {
  const { status, body } = await manage('GET', `/workspaces/${workspaceId}/webhook-endpoints${search}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
const healthOf = async ({ id, workspaceId }: { id: string; workspaceId: string }) =>
  (await listOf(workspaceId)).items.find((it: { clientId: string }) => it.clientId === id)
const now = () => service.clock.now().toISOString()

test('an endpoint is idle, healthy, failing after three failures, and healthy again after a success', async (t) => {
  const { client, answer, endpoint, post } = await startPair(t)
  const { halfHours, ...idle } = await healthOf(client)
  assert.deepEqual(idle, {
    clientId: client.id,
    clientName: `Client ${endpoint.port}`,
    workspaceId: client.workspaceId,
    workspaceName: 'Himal Bank',
    url: urlOf(endpoint, '/hook?token=secret'),
    state: 'idle',
    failingSince: null,
    notifiedAt: null,
    attempts: 0,
    failed: 0,
    successRate: null,
    latest: null,
    waiting: 0,
    nextAttemptAt: null,
  })
  assert.deepEqual([halfHours.length, halfHours.every((it: { failed: number }) => it.failed === 0)], [48, true])

  await post(3)
  answer.statusCode = 502
  await service.advance(1)
  const since = now()
  await post(2)
  const twoFailures = await healthOf(client)
  assert.deepEqual([twoFailures.state, twoFailures.failingSince], ['healthy', null])
  assert.deepEqual(
    [twoFailures.waiting, twoFailures.nextAttemptAt],
    [2, new Date(Date.parse(since) + 10_000).toISOString()],
  )

  await service.advance(2)
  await post(1)
  const failing = await healthOf(client)
  assert.deepEqual([failing.state, failing.failingSince, failing.notifiedAt], ['failing', since, null])
  assert.deepEqual([failing.attempts, failing.failed, failing.successRate, failing.waiting], [6, 3, 0.5, 3])
  assert.deepEqual([failing.latest.attemptedAt, failing.latest.statusCode, failing.latest.error], [now(), 502, null])
  assert.ok(failing.latest.milliseconds >= 0)

  answer.statusCode = 204
  await service.advance(10)
  const healthy = await healthOf(client)
  assert.deepEqual([healthy.state, healthy.failingSince, healthy.waiting], ['healthy', null, 0])
  assert.deepEqual([healthy.attempts, healthy.failed, healthy.nextAttemptAt], [9, 3, null])
})

test('an error without a response is a failure, and its reason is the last response', async (t) => {
  const { client, endpoint, post } = await startPair(t)
  endpoint.close()
  await post(3)
  const { state, latest } = await healthOf(client)
  assert.deepEqual([state, latest.statusCode], ['failing', null])
  assert.match(latest.error, /refused/)
})

test('the history counts by half hour, and after a day the attempts are deleted and the endpoint is idle', async (t) => {
  const { client, answer, post } = await startPair(t)
  await post(2)
  const first = now()
  await service.advance(1800)
  answer.statusCode = 500
  await post(1)
  answer.statusCode = 204
  await service.advance(10)
  const { halfHours } = await healthOf(client)
  const counts = halfHours.slice(-2).map((it: { succeeded: number; failed: number }) => [it.succeeded, it.failed])
  assert.deepEqual(counts, [
    [2, 0],
    [1, 1],
  ])
  assert.ok(halfHours.at(-2).startsAt <= first && first < halfHours.at(-1).startsAt)
  await service.advance(86_400)
  const idle = await healthOf(client)
  assert.deepEqual([idle.state, idle.attempts, idle.latest.statusCode], ['idle', 0, 204])
  const rows = await query(service.address, `select from webhook_half_hour where client_id = '${client.id}'`)
  assert.equal(rows.length, 0)
})

test('an endpoint has at most 48 rows, however long it is used', async (t) => {
  const { client, post } = await startPair(t)
  for (let halfHour = 0; halfHour < 50; halfHour++) {
    await post(1)
    await service.advance(1800)
  }
  const rows = await query(service.address, `select from webhook_half_hour where client_id = '${client.id}'`)
  assert.ok(rows.length <= 48, `${rows.length} rows`)
  assert.equal((await healthOf(client)).attempts, 47)
})

test('lists failing endpoints first, in pages and by state; clients without a URL are no endpoints', async (t) => {
  const workspaceId = await makeWorkspace(service)
  const pairs = []
  for (const statusCode of [204, 500, 204, 500]) pairs.push(await startPair(t, { workspaceId, statusCode }))
  await makeClient(service, { workspaceId })
  const [healthy, failing, disabled, alsoFailing] = pairs.map((it) => it.client.id)
  for (const { client } of pairs) await post(client, 3)
  assert.equal((await manage('POST', `/clients/${disabled}/disable`)).status, 200)
  const idsOf = (items: { clientId: string }[]) => items.map((it) => it.clientId)
  const { items, next } = await listOf(workspaceId)
  assert.deepEqual([idsOf(items), next], [[alsoFailing, failing, healthy, disabled], null])
  assert.equal(items[3].state, 'disabled')
  const first = await listOf(workspaceId, '?limit=3')
  assert.deepEqual([idsOf(first.items), first.next], [[alsoFailing, failing, healthy], healthy])
  const second = await listOf(workspaceId, `?limit=3&cursor=${first.next}`)
  assert.deepEqual([idsOf(second.items), second.next], [[disabled], null])
  assert.deepEqual(idsOf((await listOf(workspaceId, '?state=failing')).items), [alsoFailing, failing])

  const all = await manage('GET', '/webhook-endpoints?state=failing&limit=1')
  assert.deepEqual([idsOf(all.body.items), all.body.next], [[alsoFailing], alsoFailing])
  const rest = await manage('GET', `/webhook-endpoints?state=failing&cursor=${alsoFailing}`)
  assert.equal(idsOf(rest.body.items)[0], failing)
  assert.ok(rest.body.items.every((it: { state: string }) => it.state === 'failing'))
  const others = await manage('GET', '/webhook-endpoints?state=disabled')
  assert.deepEqual(idsOf(others.body.items), [disabled])
})

test('every role of the workspace sees its endpoints, no other workspace does, and only the operator lists all', async (t) => {
  const { client, endpoint } = await startPair(t)
  const at = `/workspaces/${client.workspaceId}/webhook-endpoints`
  for (const role of ['owner', 'developer', 'viewer'] as const) {
    const { browser } = await makePerson(service, { workspaceId: client.workspaceId, role })
    const { status, body } = await browser.ask('GET', at)
    const url = role === 'viewer' ? new URL(urlOf(endpoint)).origin : urlOf(endpoint, '/hook?token=secret')
    assert.deepEqual([status, body.items.map((it: { url: string }) => it.url)], [200, [url]])
    assertRefused(await browser.ask('GET', '/webhook-endpoints'), 404, 'not_found')
  }
  const { token } = await makeOwner(service, await makeWorkspace(service))
  assertRefused(await manage('GET', at, undefined, token), 404, 'not_found')
})

test('concurrent batches of two processes count every attempt of many endpoints', async (t) => {
  const workspaceId = await makeWorkspace(service)
  const other = await startWebhookService({ beside: service })
  const pairs = await Promise.all(Array.from({ length: 5 }, () => startPair(t, { workspaceId })))
  for (let round = 0; round < 4; round++) {
    await Promise.all(pairs.map(({ client }, at) => queueEvents(at % 2 ? service : other, client, Array(40).fill({}))))
    await Promise.all([settle(service), other.settle()])
  }
  await settle(service)
  await other.settle()
  const { items } = await listOf(workspaceId)
  assert.deepEqual(
    items.map((it: { attempts: number; failed: number }) => [it.attempts, it.failed]),
    Array(5).fill([160, 0]),
  )
  await other.stop()
})
