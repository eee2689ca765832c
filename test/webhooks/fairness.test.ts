// One receiver that never answers, with a long backlog, holds up nobody but itself (§6.4), and one workspace nobody but itself (D43).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/store/database/sql.ts'
import { makeClient, makeWorkspace } from '../harness/client.ts'
import { ENDLESS_MS, limitPostings } from '../harness/posting-limit.ts'
import { until } from '../harness/until.ts'
import { clientWithReceiver, startPostingService, tell, urlOf } from './posting-service.ts'
import { startReceiver } from './receivers.ts'

const BACKLOG = 3_000

test('beside a black hole with a backlog, the others are served at once, and it never has more than its slots', async (t) => {
  limitPostings(t, ENDLESS_MS)
  const service = await startPostingService()
  const blackHole = await startReceiver(t, () => {})
  const stuck = await clientWithReceiver(service, blackHole)
  await tell(
    service,
    stuck,
    Array.from({ length: BACKLOG }, () => ({})),
  )
  await until(() => blackHole.received.length === 4)

  const receivers = await Promise.all(Array.from({ length: 3 }, () => startReceiver(t, (response) => response.end())))
  const clients = await Promise.all(receivers.map((receiver) => clientWithReceiver(service, receiver)))
  for (const client of clients)
    await tell(
      service,
      client,
      Array.from({ length: 20 }, () => ({})),
    )
  await until(() => receivers.every(({ received }) => received.length === 20))
  // The other one holds its slots for as long as it does not answer.
  assert.equal(blackHole.received.length, 4)
  const [row] = await service.db.query<{ count: number }>(
    sql`select count(*) from webhook_queue where client_id = ${stuck.id} and claims = 0`,
  )
  assert.equal(row?.count, BACKLOG - 4)
  // A stop waits for what is under way.
  blackHole.close()
  await service.stop()
})

test('D43: beside a workspace whose many receivers all hang, with backlogs, a neighbour is served at once', async (t) => {
  limitPostings(t, ENDLESS_MS)
  const service = await startPostingService()
  const blackHole = await startReceiver(t, () => {})
  // With 4 slots each they would hold all of the 500.
  const workspaceId = await makeWorkspace(service, { maxClients: 130 })
  const fields = { workspaceId, webhookUrl: urlOf(blackHole) }
  const crowd = await Promise.all(Array.from({ length: 130 }, () => makeClient(service, fields)))
  const many = (count: number) => Array.from({ length: count }, () => ({}))
  for (const client of crowd) await tell(service, client, many(50))
  await until(() => blackHole.received.length === 250)

  const neighbour = await startReceiver(t, (response) => response.end())
  await tell(service, await clientWithReceiver(service, neighbour), many(200))
  await until(() => neighbour.received.length === 200)
  // The crowd has no more than half of the slots.
  assert.equal(blackHole.received.length, 250)
  blackHole.close()
  await service.stop()
})
