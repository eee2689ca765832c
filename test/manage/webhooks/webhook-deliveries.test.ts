// Webhook deliveries: history, filters, resends, and access (§6.4 rule 4).
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { NIL_UUID } from '../../../src/domain/uuid.ts'
import { makeClient, makeWorkspace } from '../../harness/client.ts'
import { assertRefused } from '../../harness/refused.ts'
import { query } from '../../harness/server.ts'
import type { Answer } from '../../harness/service.ts'
import { until } from '../../harness/until.ts'
import { startEndpoint } from '../../webhooks/endpoints.ts'
import {
  clientWithEndpoint,
  deliveryOf,
  queueEvent,
  queueEvents,
  settle,
  signatureOf,
  startWebhookService,
  urlOf,
} from '../../webhooks/webhook-service.ts'

const service = await startWebhookService()

/** An endpoint with a response that the test sets. */
async function startPair(t: TestContext, answer = { statusCode: 204, text: '' }) {
  const endpoint = await startEndpoint(t, (response) => response.writeHead(answer.statusCode).end(answer.text))
  return { answer, endpoint, client: await clientWithEndpoint(service, endpoint) }
}

const list = async (clientId: string, query = '') => {
  const { status, body } = await service.manage('GET', `/clients/${clientId}/webhook-deliveries${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
const idsOf = (items: { id: string }[]) => items.map((it) => it.id)
const auditOf = async (workspaceId: string, action: string) => {
  const { body } = await service.manage('GET', `/workspaces/${workspaceId}/audit-log`)
  return body.items.filter((it: { action: string }) => it.action === action)
}

test('shows the body and every attempt of a delivery: status, duration, and response or error', async (t) => {
  const { answer, endpoint, client } = await startPair(t, { statusCode: 500, text: `${'न'.repeat(6_000)} the end` })
  const messageId = service.ports.ids.next()
  const deliveryId = await queueEvent(service, client, { messageId })
  await settle(service)
  Object.assign(answer, { statusCode: 200, text: 'thanks' })
  await service.advance(10)

  const { body, attempts, ...delivery } = await deliveryOf(service, deliveryId)
  assert.deepEqual(delivery, {
    id: deliveryId,
    clientId: client.id,
    event: 'message.status',
    messageId,
    status: 'delivered',
    state: 'delivered',
    failureReason: null,
    nextAttemptAt: null,
    createdAt: delivery.createdAt,
    endedAt: service.clock.now().toISOString(),
    attemptCount: 2,
    latest: {
      attemptedAt: attempts[1].attemptedAt,
      milliseconds: attempts[1].milliseconds,
      statusCode: 200,
      error: null,
    },
  })
  assert.equal(body, endpoint.received[0]?.body.toString())
  const [first, second] = attempts
  assert.deepEqual(
    attempts.map(({ number, url, statusCode, error }: Record<string, unknown>) => [number, url, statusCode, error]),
    [
      [1, urlOf(endpoint), 500, null],
      [2, urlOf(endpoint), 200, null],
    ],
  )
  // 16 KiB end within a character of three bytes.
  assert.equal(first.answer, `${'न'.repeat(5_461)}\u{fffd}`)
  assert.equal(second.answer, 'thanks')
  assert(first.milliseconds >= 0 && Date.parse(second.attemptedAt) - Date.parse(first.attemptedAt) === 10_000)
})

test('lists deliveries newest first, in pages, by state, event, message and time', async (t) => {
  const { answer, client } = await startPair(t)
  const first = await queueEvent(service, client, { status: 'sent' })
  // Each event is posted before the endpoint answers otherwise.
  await settle(service)
  await service.advance(60)
  const middle = service.clock.now().toISOString()
  answer.statusCode = 404
  const messageId = service.ports.ids.next()
  const dead = await queueEvent(service, client, { messageId, status: 'failed' })
  await settle(service)
  await service.advance(40)
  answer.statusCode = 500
  const pending = await queueEvent(service, client)
  await settle(service)

  assert.deepEqual(idsOf((await list(client.id)).items), [pending, dead, first])
  assert.deepEqual(idsOf((await list(client.id, '?state=pending')).items), [pending])
  assert.deepEqual(idsOf((await list(client.id, '?state=failed')).items), [dead])
  assert.deepEqual(idsOf((await list(client.id, '?state=delivered')).items), [first])
  assert.deepEqual(idsOf((await list(client.id, '?event=message.inbound')).items), [])
  assert.deepEqual(idsOf((await list(client.id, `?message=${messageId}`)).items), [dead])
  assert.deepEqual(idsOf((await list(client.id, `?since=${middle}`)).items), [pending, dead])
  assert.deepEqual(idsOf((await list(client.id, `?until=${middle}`)).items), [first])
  const page = await list(client.id, '?limit=2')
  assert.deepEqual([idsOf(page.items), page.next], [[pending, dead], dead])
  const rest = await list(client.id, `?limit=2&cursor=${page.next}`)
  assert.deepEqual([idsOf(rest.items), rest.next], [[first], null])
  const { nextAttemptAt } = page.items[0]
  assert.equal(Date.parse(nextAttemptAt) - service.clock.now().getTime(), 10_000)
  assert.equal((await service.manage('GET', `/clients/${client.id}/webhook-deliveries?since=yesterday`)).status, 400)
})

test('lists deliveries of all clients of a workspace, newest first, in pages, by client and state', async (t) => {
  const { answer, endpoint, client } = await startPair(t)
  const { workspaceId } = client
  const second = await makeClient(service, { workspaceId, webhookUrl: urlOf(endpoint) })
  const listAll = async (query = '') =>
    (await service.manage('GET', `/workspaces/${workspaceId}/webhook-deliveries${query}`)).body
  assert.deepEqual(await listAll('?state=pending'), { items: [], next: null })
  const one = await queueEvent(service, client)
  const other = await queueEvent(service, second)
  await settle(service)
  answer.statusCode = 500
  const waiting = await queueEvent(service, client)
  await settle(service)
  const { items } = await listAll()
  assert.deepEqual(idsOf(items), [waiting, other, one])
  assert.deepEqual([items[0].attemptCount, items[0].latest.statusCode, items[1].clientId], [1, 500, second.id])
  assert.deepEqual(idsOf((await listAll(`?client=${client.id}`)).items), [waiting, one])
  assert.deepEqual(idsOf((await listAll('?state=pending')).items), [waiting])
  const page = await listAll('?limit=2')
  assert.deepEqual([idsOf(page.items), page.next], [[waiting, other], other])
  assert.deepEqual(idsOf((await listAll(`?limit=2&cursor=${page.next}`)).items), [one])
  const foreign = await makeClient(service)
  assert.deepEqual((await listAll(`?client=${foreign.id}`)).items, [])
})

test('resends a failed delivery with 8 new attempts, the same id and the same body, immediately', async (t) => {
  const { answer, endpoint, client } = await startPair(t, { statusCode: 404, text: '' })
  const deliveryId = await queueEvent(service, client)
  await service.advance(40)
  assert.equal((await deliveryOf(service, deliveryId)).state, 'failed')
  answer.statusCode = 500
  const resent = await service.manage('POST', `/webhook-deliveries/${deliveryId}/resend`)
  assert.deepEqual([resent.status, resent.body.state, resent.body.failureReason], [202, 'pending', null])
  await service.advance(24 * 3600)
  const { state, failureReason, attempts } = await deliveryOf(service, deliveryId)
  assert.deepEqual([state, failureReason, attempts.length], ['failed', 'retries_exhausted', 11])
  const [first] = endpoint.received
  assert.equal(endpoint.received.length, 11)
  for (const { headers, body } of endpoint.received) {
    assert.equal(headers['x-svc-delivery'], deliveryId)
    assert.deepEqual(body, first?.body)
  }
  const [entry] = await auditOf(client.workspaceId, 'webhook_delivery.resent')
  assert.deepEqual([entry.subject, entry.details], [deliveryId, { clientId: client.id, was: 'failed' }])
})

test('resends a delivered event, and sends a waiting event immediately as the first attempt of a new round', async (t) => {
  const { answer, endpoint, client } = await startPair(t)
  const delivered = await queueEvent(service, client)
  await settle(service)
  assert.equal((await service.manage('POST', `/webhook-deliveries/${delivered}/resend`)).status, 202)
  await settle(service)
  assert.equal(endpoint.received.length, 2)

  answer.statusCode = 500
  const waiting = await queueEvent(service, client)
  await service.advance(100)
  assert.equal((await deliveryOf(service, waiting)).attempts.length, 3)
  await service.manage('POST', `/webhook-deliveries/${waiting}/resend`)
  await settle(service)
  const { attempts, nextAttemptAt } = await deliveryOf(service, waiting)
  assert.equal(attempts.length, 4)
  assert.equal(Date.parse(nextAttemptAt) - service.clock.now().getTime(), 10_000)
})

test('leaves a delivery in progress to its attempt when it is resent', async (t) => {
  const waiting: (() => void)[] = []
  const endpoint = await startEndpoint(t, (response) => waiting.push(() => response.end()))
  const client = await clientWithEndpoint(service, endpoint)
  const deliveryId = await queueEvent(service, client)
  await until(() => waiting.length === 1)
  assert.equal((await service.manage('POST', `/webhook-deliveries/${deliveryId}/resend`)).status, 202)
  waiting.shift()?.()
  await settle(service)
  const { state, attempts } = await deliveryOf(service, deliveryId)
  assert.deepEqual([state, attempts.length, endpoint.received.length], ['delivered', 1, 1])
})

test('replays every event that failed since a time, and no other', async (t) => {
  const { answer, endpoint, client } = await startPair(t, { statusCode: 410, text: '' })
  const [early] = await queueEvents(service, client)
  await service.advance(60)
  const since = service.clock.now().toISOString()
  const died = await queueEvents(service, client, [{}, {}, {}])
  await service.advance(60)
  answer.statusCode = 200
  await queueEvents(service, client)
  await settle(service)
  const before = endpoint.received.length
  const replayed = await service.manage('POST', `/clients/${client.id}/webhook-deliveries/replay`, { since })
  assert.deepEqual([replayed.status, replayed.body], [202, { replayed: 3, more: false }])
  await settle(service)
  const again = endpoint.received.slice(before).map(({ headers }) => headers['x-svc-delivery'])
  assert.deepEqual(again.sort(), died.sort())
  assert.deepEqual(idsOf((await list(client.id, '?state=failed')).items), [early])
  const [entry] = await auditOf(client.workspaceId, 'client.webhook_deliveries_replayed')
  assert.deepEqual([entry.subject, entry.details], [client.id, { since, replayed: 3 }])
})

test('sends a test event as a signed message.status of a message that cannot exist, like a real event', async (t) => {
  const { endpoint, client } = await startPair(t)
  const sent = await service.manage('POST', `/clients/${client.id}/test-event`)
  assert.equal(sent.status, 202)
  await settle(service)
  const [attempt] = endpoint.received
  assert(attempt)
  assert.equal(attempt.headers['x-svc-delivery'], sent.body.id)
  assert.equal(signatureOf(attempt).v1.length, 1)
  assert.deepEqual(JSON.parse(attempt.body.toString()), {
    type: 'message.status',
    id: NIL_UUID,
    status: 'delivered',
    to: '+9779800000000',
    at: service.clock.now().toISOString(),
    messageType: 'transactional',
    segments: 1,
  })
  assert.equal((await deliveryOf(service, sent.body.id)).state, 'delivered')
  const [entry] = await auditOf(client.workspaceId, 'client.test_event_sent')
  assert.deepEqual([entry.subject, entry.details], [client.id, { deliveryId: sent.body.id }])
})

test('limits a client to 10 test events, 60 resends and 10 replays a minute over all processes (D43)', async () => {
  const env = { HULAKI_ROLES: 'api' }
  const one = await startWebhookService({ env })
  const second = await startWebhookService({ env, beside: one })
  const client = await makeClient(one, { webhookUrl: 'https://receiver.example/hook' })
  const deliveryId = await queueEvent(one, client)
  const since = '2026-01-01T00:00:00Z'
  const calls: [most: number, path: string, body?: object][] = [
    [10, `/clients/${client.id}/test-event`],
    [60, `/webhook-deliveries/${deliveryId}/resend`],
    [10, `/clients/${client.id}/webhook-deliveries/replay`, { since }],
  ]
  for (const [most, path, body] of calls) {
    const ask = (it: typeof one) => it.manage('POST', path, body)
    const answers: Answer[] = []
    // All calls lock one row. More calls at once would wait too long for a connection on a busy machine.
    for (let sent = 0; sent < most; sent += 10) {
      answers.push(...(await Promise.all(Array.from({ length: 10 }, () => [ask(one), ask(second)]).flat())))
    }
    const refused = answers.filter((it) => it.status !== 202)
    assert.equal(answers.length - refused.length, most, path)
    for (const answer of refused) assertRefused(answer, 429, 'rate_limited')
    assert.equal(refused[0]?.headers.get('retry-after'), '60')
  }
  const neighbour = await makeClient(one, {
    workspaceId: client.workspaceId,
    webhookUrl: 'https://receiver.example/hook',
  })
  assert.equal((await one.manage('POST', `/clients/${neighbour.id}/test-event`)).status, 202)
  await one.advance(60)
  for (const [, path, body] of calls) assert.equal((await one.manage('POST', path, body)).status, 202)
})

test('replays in steps up to 10 000 per call, and reports that more remain (D43)', async () => {
  const api = await startWebhookService({ env: { HULAKI_ROLES: 'api' } })
  const client = await makeClient(api, { webhookUrl: 'https://receiver.example/hook' })
  await query(
    api.address,
    `insert into webhook_event (delivery_id, client_id, name, body, state, failure_reason, created_at, ended_at)
     select ('0199a000-0000-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid, '${client.id}', 'message.inbound', '{}',
       'failed', 'retries_exhausted', '2026-11-15T00:00:00Z', '2026-11-15T00:00:00Z'
     from generate_series(1, 10500) as number`,
  )
  const replay = async () =>
    (await api.manage('POST', `/clients/${client.id}/webhook-deliveries/replay`, { since: '2026-11-14T00:00:00Z' }))
      .body
  assert.deepEqual(await replay(), { replayed: 10_000, more: true })
  assert.deepEqual(await replay(), { replayed: 500, more: false })
  assert.deepEqual(await replay(), { replayed: 0, more: false })
  const queued = await query(
    api.address,
    'select count(*)::int as count, count(distinct workspace_id)::int as workspaces from webhook_queue where retry',
  )
  assert.deepEqual(queued, [{ count: 10_500, workspaces: 1 }])
})

test('rejects resends and tests with 409 if nothing can be posted', async (t) => {
  const { client } = await startPair(t)
  const deliveryId = await queueEvent(service, client)
  await settle(service)
  const calls = [
    [`/webhook-deliveries/${deliveryId}/resend`, undefined],
    [`/clients/${client.id}/webhook-deliveries/replay`, { since: '2026-01-01T00:00:00Z' }],
    [`/clients/${client.id}/test-event`, undefined],
  ] as const
  const statuses = async () =>
    Promise.all(calls.map(async ([path, body]) => (await service.manage('POST', path, body)).status))
  await service.manage('POST', `/clients/${client.id}/disable`)
  assert.deepEqual(await statuses(), [409, 409, 409])
  await service.manage('POST', `/clients/${client.id}/enable`)
  await service.manage('PATCH', `/clients/${client.id}`, { webhookUrl: null })
  assert.deepEqual(await statuses(), [409, 409, 409])
})

test('shows an owner the own deliveries, and nothing of another workspace', async (t) => {
  const { client } = await startPair(t)
  const deliveryId = await queueEvent(service, client)
  await settle(service)
  const tokenOf = async (workspaceId: string) =>
    (await service.manage('POST', `/workspaces/${workspaceId}/owner-tokens`, { name: 'owner' })).body.token
  const [own, foreign] = [await tokenOf(client.workspaceId), await tokenOf(await makeWorkspace(service))]
  const calls = [
    ['GET', `/clients/${client.id}/webhook-deliveries`, undefined],
    ['GET', `/webhook-deliveries/${deliveryId}`, undefined],
    ['POST', `/webhook-deliveries/${deliveryId}/resend`, undefined],
    ['POST', `/clients/${client.id}/webhook-deliveries/replay`, { since: '2026-01-01T00:00:00Z' }],
    ['POST', `/clients/${client.id}/test-event`, undefined],
  ] as const
  for (const [method, path, body] of calls) {
    assert.equal((await service.manage(method, path, body, foreign)).status, 404, path)
    assert((await service.manage(method, path, body, own)).status < 300, path)
  }
})

test('keeps the history for 7 days after the end of a delivery, and pending deliveries longer (§6.4 rule 4)', async (t) => {
  const { client } = await startPair(t)
  const waiting = await makeClient(service, { webhookUrl: 'https://receiver.example/hook' })
  await service.manage('POST', `/clients/${waiting.id}/disable`)
  const [ended, pending] = [await queueEvent(service, client), await queueEvent(service, waiting)]
  await service.advance(7 * 24 * 3600 - 1)
  assert.equal((await deliveryOf(service, ended)).attempts.length, 1)
  await service.advance(2)
  assert.equal((await service.manage('GET', `/webhook-deliveries/${ended}`)).status, 404)
  assert.equal((await deliveryOf(service, pending)).state, 'pending')
  const { body } = await service.manage('GET', `/clients/${client.id}/webhook-deliveries`)
  assert.deepEqual(body.items, [])
})

test('posts a resend immediately from any process with the role', async (t) => {
  const api = await startWebhookService({ beside: service, env: { HULAKI_ROLES: 'api' } })
  const { endpoint, client } = await startPair(t)
  await api.manage('POST', `/clients/${client.id}/test-event`)
  await until(() => endpoint.received.length === 1)
  await api.stop()
})
