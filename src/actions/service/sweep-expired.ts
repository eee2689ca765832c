// Deletes what has had its time: codes, answers, windows, and what the pumping guard need not remember.
import { expiredBy } from '../../domain/service/expiry.ts'
import { deleteExpired } from '../../store/service/expired.ts'
import type { Ports } from '../ports.ts'

const AT_ONCE = 5_000

/** Returns how many rows went: a part at a time, so that it holds up nobody. */
export async function sweepExpired(ports: Ports): Promise<number> {
  let rows = 0
  for (const [what, by] of expiredBy(ports.clock.now()))
    rows += await deleteExpired(ports.db, { what, by, limit: AT_ONCE })
  return rows
}
