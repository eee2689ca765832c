// workspace.low_credit over HTTPS: one signed event per crossing, at most one per hour and alert (D85).
import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { verifyWebhook } from '../../sdk/src/webhook.ts'
import { postLowCredit } from '../../src/actions/service/post-low-credit.ts'
import { makeClient, makeWorkspace } from '../harness/client.ts'
import { assertRefused } from '../harness/refused.ts'
import { startEndpoint } from './endpoints.ts'
import { startWebhookService, urlOf } from './webhook-service.ts'

const service = await startWebhookService({ env: { HULAKI_ROLES: 'api,upkeep,webhooks' } })
const { manage } = service
const ABSENT = '01990000-0000-7000-8000-000000000000'

async function startWorkspace(below: number[]) {
  let status = 204
  const endpoint = await startEndpoint({ after } as TestContext, (response) => response.writeHead(status).end())
  const rate = { transactional: 1, otp: 1, promotional: 1 }
  const workspaceId = await makeWorkspace(service, { name: 'Himal & Co', monthlyCredit: 10, rate })
  // The messages are of a client without a webhook, so that the endpoint gets the alerts only.
  const sender = await makeClient(service, { workspaceId })
  const client = await makeClient(service, { workspaceId, webhookUrl: urlOf(endpoint) })
  const setAlerts = (body: object) => manage('PUT', `/workspaces/${workspaceId}/credit-alerts`, body)
  assert.equal((await setAlerts({ below, clientId: client.id })).status, 200)
  const events = () => endpoint.received.map(({ body }) => JSON.parse(body.toString()))
  return {
    ...{ workspaceId, sender, client, endpoint, setAlerts, events },
    answer: (next: number) => {
      status = next
    },
    spend: async (messages: number) => {
      for (let count = 0; count < messages; count++) assert.equal((await sender.send()).status, 200)
    },
    topUp: (amount: number) => manage('POST', `/workspaces/${workspaceId}/credits`, { amount }),
    /** Until the next turns of upkeep. */
    wait: () => service.advance(60),
  }
}

test('posts one signed event per crossing, about the lowest alert, with a history', async () => {
  const { workspaceId, client, endpoint, events, spend, wait } = await startWorkspace([9, 8, 5])
  await wait()
  assert.deepEqual(events(), [], 'the balance is above')
  await spend(3)
  await wait()
  const [request] = endpoint.received
  assert.ok(request)
  const { event, deliveryId } = await verifyWebhook(request.body, request.headers, client.webhookSecret, {
    now: service.clock.now().getTime(),
  })
  assert.equal(request.headers['x-svc-event'], 'workspace.low_credit')
  assert.ok(event.type === 'workspace.low_credit')
  const { at, ...rest } = event
  assert.deepEqual(rest, {
    type: 'workspace.low_credit',
    id: deliveryId,
    workspaceId,
    workspaceName: 'Himal & Co',
    balance: 7,
    currency: 'NPR',
    threshold: 8,
  })
  assert.ok(new Date(at) <= service.clock.now())
  await spend(1)
  await wait()
  assert.equal(events().length, 1, 'still below the same alerts')
  await spend(2)
  await wait()
  assert.deepEqual(
    events().map(({ balance, threshold }) => [balance, threshold]),
    [
      [7, 8],
      [4, 5],
    ],
  )
  const history = await manage('GET', `/clients/${client.id}/webhook-deliveries?event=workspace.low_credit`)
  assert.deepEqual(
    history.body.items.map((it: { state: string; messageId: string | null }) => [it.state, it.messageId]),
    Array(2).fill(['delivered', null]),
  )
})

test('a balance that swings around an alert sends one event per hour', async () => {
  const { events, spend, topUp, wait } = await startWorkspace([8])
  await spend(3)
  await wait()
  for (let swing = 0; swing < 3; swing++) {
    await topUp(2)
    await wait()
    await spend(2)
    await wait()
  }
  assert.equal(events().length, 1)
  await service.advance(3600)
  assert.equal(events().length, 2, 'still below after the hour')
  await service.advance(7200)
  assert.equal(events().length, 2)
})

test('replacing the alerts announces the balance again only after the hour', async () => {
  const { events, setAlerts, spend, wait } = await startWorkspace([8])
  await spend(3)
  await wait()
  for (const below of [[9], [], [8], [10, 9]]) {
    assert.equal((await setAlerts({ below })).status, 200)
    await wait()
  }
  assert.equal(events().length, 1)
  await service.advance(3600)
  assert.equal(events().length, 2)
})

test('retries a failed event with the same bytes, and concurrent processes post one', async () => {
  const { events, endpoint, spend, wait, answer } = await startWorkspace([8])
  answer(500)
  await spend(3)
  await Promise.all(Array.from({ length: 8 }, () => postLowCredit(service.ports)))
  await service.settle()
  answer(204)
  await wait()
  const { received } = endpoint
  assert.deepEqual(
    received.map(({ body }) => body.toString()),
    Array(2).fill(received[0]?.body.toString()),
  )
  assert.equal(new Set(events().map(({ id }) => id)).size, 1)
})

test('needs a client of the workspace with a webhook URL; without a clientId it stays, and null turns the events off', async () => {
  const { workspaceId, sender, client, events, setAlerts, spend, wait } = await startWorkspace([8])
  const other = await makeClient(service, { webhookUrl: 'https://hooks.example.com/' })
  for (const clientId of [ABSENT, other.id, sender.id])
    assertRefused(await setAlerts({ below: [8], clientId }), 400, 'invalid_request')
  const kept = await setAlerts({ below: [9] })
  assert.deepEqual(kept.body.creditAlerts, { below: [9], isLow: false, clientId: client.id })
  const off = await setAlerts({ below: [9], clientId: null })
  assert.equal(off.body.creditAlerts.clientId, null)
  await spend(3)
  await wait()
  assert.deepEqual(events(), [])
  const { items } = (await manage('GET', `/audit-log?workspace=${workspaceId}&action=workspace.credit_alerts_set`)).body
  assert.deepEqual(items[0].details, { clientId: { from: client.id, to: null } })
})
