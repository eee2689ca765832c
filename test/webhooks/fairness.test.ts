// An endpoint that never answers delays no other endpoint (§6.4), and its workspace delays no other workspace (D43).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/store/database/sql.ts'
import { ENDLESS_MS, limitAttempts } from '../harness/attempt-limit.ts'
import { makeClient, makeWorkspace } from '../harness/client.ts'
import { until } from '../harness/until.ts'
import { startEndpoint } from './endpoints.ts'
import { clientWithEndpoint, queueEvents, startWebhookService, urlOf } from './webhook-service.ts'

const BACKLOG = 3_000

test('§6.4: an endpoint that never answers keeps its slots, and others are served at once', async (t) => {
  limitAttempts(t, ENDLESS_MS)
  const service = await startWebhookService()
  const blackHole = await startEndpoint(t, () => {})
  const stuck = await clientWithEndpoint(service, blackHole)
  await queueEvents(
    service,
    stuck,
    Array.from({ length: BACKLOG }, () => ({})),
  )
  await until(() => blackHole.received.length === 4)

  const endpoints = await Promise.all(Array.from({ length: 3 }, () => startEndpoint(t, (response) => response.end())))
  const clients = await Promise.all(endpoints.map((endpoint) => clientWithEndpoint(service, endpoint)))
  for (const client of clients)
    await queueEvents(
      service,
      client,
      Array.from({ length: 20 }, () => ({})),
    )
  await until(() => endpoints.every(({ received }) => received.length === 20))
  // The silent endpoint holds its slots until it answers.
  assert.equal(blackHole.received.length, 4)
  const [row] = await service.db.query<{ count: number }>(
    sql`select count(*) from webhook_queue where client_id = ${stuck.id} and claims = 0`,
  )
  assert.equal(row?.count, BACKLOG - 4)
  // A stop waits for running attempts.
  blackHole.close()
  await service.stop()
})

test('D43: a workspace with many hanging endpoints does not delay another workspace', async (t) => {
  limitAttempts(t, ENDLESS_MS)
  const service = await startWebhookService()
  const blackHole = await startEndpoint(t, () => {})
  // With 4 slots each they would hold all 500 slots.
  const workspaceId = await makeWorkspace(service, { maxClients: 130 })
  const fields = { workspaceId, webhookUrl: urlOf(blackHole) }
  const crowd = await Promise.all(Array.from({ length: 130 }, () => makeClient(service, fields)))
  const many = (count: number) => Array.from({ length: count }, () => ({}))
  for (const client of crowd) await queueEvents(service, client, many(50))
  await until(() => blackHole.received.length === 250)

  const other = await startEndpoint(t, (response) => response.end())
  await queueEvents(service, await clientWithEndpoint(service, other), many(200))
  await until(() => other.received.length === 200)
  // The workspace holds at most half of the slots.
  assert.equal(blackHole.received.length, 250)
  blackHole.close()
  await service.stop()
})
