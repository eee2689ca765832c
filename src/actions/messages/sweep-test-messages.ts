// Deletes messages of test clients that are older than they are kept (D44). They were never sent or charged, so nothing else tells
// of them.
import { lowestIdOf } from '../../runtime/ids.ts'
import { deleteTestMessages } from '../../store/messages/messages.ts'
import type { Ports } from '../ports.ts'

const DAY_MS = 86_400_000
const AT_ONCE = 1_000

/** Returns how many it deleted: a part at a time, so that it holds up nobody. */
export function sweepTestMessages(ports: Ports, { keptDays }: { keptDays: number }): Promise<number> {
  const idsBelow = lowestIdOf(new Date(ports.clock.now().getTime() - keptDays * DAY_MS))
  return deleteTestMessages(ports.db, { idsBelow, limit: AT_ONCE })
}
