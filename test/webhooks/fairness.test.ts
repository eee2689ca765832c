// One receiver that never answers, with a long backlog, holds up nobody but itself (§6.4).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/store/sql.ts'
import { systemClock } from '../harness/service.ts'
import { clientWithReceiver, startPostingService, tell } from './posting-service.ts'
import { startReceiver, waitUntil } from './receivers.ts'

const BACKLOG = 3_000

test('beside a black hole with a backlog, the others are served at once, and it never has more than its slots', async (t) => {
  const service = await startPostingService({ clock: systemClock() })
  const blackHole = await startReceiver(t, () => {})
  const stuck = await clientWithReceiver(service, blackHole)
  await tell(
    service,
    stuck,
    Array.from({ length: BACKLOG }, () => ({})),
  )
  await waitUntil(() => blackHole.received.length === 4)

  const receivers = await Promise.all(Array.from({ length: 3 }, () => startReceiver(t, (response) => response.end())))
  const clients = await Promise.all(receivers.map((receiver) => clientWithReceiver(service, receiver)))
  for (const client of clients)
    await tell(
      service,
      client,
      Array.from({ length: 20 }, () => ({})),
    )
  await waitUntil(() => receivers.every(({ received }) => received.length === 20))
  // Not one of the 10 s has passed for which the other one holds its slots.
  assert.equal(blackHole.received.length, 4)
  const [row] = await service.db.query<{ count: number }>(
    sql`select count(*) from webhook_queue where client_id = ${stuck.id} and claims = 0`,
  )
  assert.equal(row?.count, BACKLOG - 4)
  // A stop waits for what is under way.
  blackHole.close()
  await service.stop()
})
