// Resolves a COMMIT whose answer was lost, by checking whether the work is stored.
import { setTimeout as sleep } from 'node:timers/promises'
import { CommitUnknown, notDone } from '../store/database/db.ts'

/** The database may be restarting or failing over. */
const CHECKS_AFTER_MS = [0, 500, 1_000, 2_000, 4_000]
/** A check may wait for a connection, so the total time is limited, too. */
const MAX_TOTAL_MS = 10_000

/**
 * Resolves if the work is stored. Throws `notDone` if it is not stored, and the error if that stays unknown. `check` must wait for the locks of the work,
 * because the server continues a COMMIT after the connection is lost.
 */
export async function confirmStored(error: unknown, check: () => Promise<boolean>): Promise<void> {
  if (!(error instanceof CommitUnknown)) throw error
  const since = performance.now()
  for (const waitMs of CHECKS_AFTER_MS) {
    await sleep(waitMs)
    const isStored = await check().catch(() => null)
    if (isStored === true) return
    if (isStored === false) throw notDone(error)
    if (performance.now() - since > MAX_TOTAL_MS) break
  }
  throw error
}
