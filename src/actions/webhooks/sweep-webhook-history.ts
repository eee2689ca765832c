// Deletes webhook deliveries that ended 7 days ago, with their postings (§6.4 rule 4), and forgets who listened so long ago (D45). What
// is pending stays.
import { lowestIdOf } from '../../runtime/ids.ts'
import { forgetListenings } from '../../store/webhooks/listening.ts'
import { deleteHistory } from '../../store/webhooks/webhook-deliveries.ts'
import type { Ports } from '../ports.ts'

const KEPT_MS = 7 * 24 * 3_600_000
const AT_ONCE = 1_000

/** Returns how many it deleted: a part at a time, so that it holds up nobody. */
export async function sweepWebhookHistory(ports: Ports): Promise<number> {
  const endedBy = new Date(ports.clock.now().getTime() - KEPT_MS)
  // Nothing ends before it was made, so what ended by then has an id of before.
  const deleted = await deleteHistory(ports.db, { endedBy, idsBelow: lowestIdOf(endedBy), limit: AT_ONCE })
  return deleted + (await forgetListenings(ports.db, { by: endedBy, limit: AT_ONCE }))
}
