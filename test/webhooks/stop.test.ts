// A stop does not wait for endpoints that do not answer; another process posts their deliveries.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/store/database/sql.ts'
import { ENDLESS_MS, limitAttempts } from '../harness/attempt-limit.ts'
import { until } from '../harness/until.ts'
import { startEndpoint } from './endpoints.ts'
import { clientWithEndpoint, deliveryOf, queueEvents, startWebhookService, WEBHOOK_ENV } from './webhook-service.ts'

/** Queues the events and serves the API; senders are separate services on the same database. */
const api = await startWebhookService({ env: { HULAKI_ROLES: 'api' } })
const startSender = () => startWebhookService({ beside: api, env: { HULAKI_ROLES: 'webhooks', ...WEBHOOK_ENV } })

const queue = () =>
  api.db.query<{ attempts: number; claims: number; retry: boolean }>(sql`
    select attempts, claims, retry from webhook_queue order by delivery_id`)

test('§6.4: a stop releases unanswered deliveries uncounted, and another process posts them at once under the same id', async (t) => {
  // Attempts have no time limit and the clock is stopped, so only the stop can release deliveries.
  limitAttempts(t, ENDLESS_MS)
  let isUp = false
  const endpoint = await startEndpoint(t, (response) => isUp && response.end())
  const client = await clientWithEndpoint(api, endpoint)
  const sender = await startSender()
  // The slots of a new endpoint.
  const ids = await queueEvents(api, client, [{}, {}, {}, {}])
  await until(() => endpoint.received.length === 4)
  // The successor has no work until the deliveries are released.
  const successor = await startSender()
  isUp = true
  await sender.stop()
  await until(() => endpoint.received.length === 8)
  const deliveryIds = endpoint.received.map(({ headers }) => String(headers['x-svc-delivery']))
  assert.deepEqual(deliveryIds.slice(4).toSorted(), ids.toSorted())
  assert.deepEqual(deliveryIds.slice(0, 4).toSorted(), ids.toSorted())
  await successor.stop()
  for (const id of ids) {
    const { state, attempts } = await deliveryOf(api, id)
    assert.deepEqual([state, attempts.length], ['delivered', 1])
  }
})

test('§6.4: a stop does not wait for a dial, nor for the body of an answer, which counts', async (t) => {
  limitAttempts(t, ENDLESS_MS)
  const silent = await startEndpoint(t, () => {}, { untilHandshake: new Promise(() => {}) })
  const dripping = await startEndpoint(t, (response) => response.writeHead(200).write('and so on'))
  const [dialled] = await queueEvents(api, await clientWithEndpoint(api, silent))
  const [answered] = await queueEvents(api, await clientWithEndpoint(api, dripping))
  assert.ok(dialled && answered)
  const sender = await startSender()
  await until(() => silent.connections.open === 1 && dripping.received.length === 1)
  await sender.stop()
  assert.equal((await deliveryOf(api, answered)).state, 'delivered')
  assert.deepEqual((await deliveryOf(api, dialled)).attempts, [])
  assert.deepEqual(await queue(), [{ attempts: 0, claims: 0, retry: false }])
})
