// The answer to a COMMIT was lost. Until somebody has looked, nobody may say that the work is done, nor that it is not.
import { setTimeout as sleep } from 'node:timers/promises'
import { CommitUnknown, notDone } from '../store/database/db.ts'

/** A database that breaks connections may be starting again, or another takes its place. */
const LOOKS_AFTER_MS = [0, 500, 1_000, 2_000, 4_000]
/** A look may itself wait long for a connection; whoever waits for us must not wait for all of them. */
const LONGEST_LOOK_MS = 10_000

/**
 * Returns when the work is stored after all, and throws the fault when it is not, or cannot be told. `look` must wait for whoever
 * still has the work in hand: a server goes on with a COMMIT though nobody is there to hear of it.
 */
export async function confirmStored(fault: unknown, look: () => Promise<boolean>): Promise<void> {
  if (!(fault instanceof CommitUnknown)) throw fault
  const since = performance.now()
  for (const waitMs of LOOKS_AFTER_MS) {
    await sleep(waitMs)
    const isStored = await look().catch(() => null)
    if (isStored === true) return
    if (isStored === false) throw notDone(fault)
    if (performance.now() - since > LONGEST_LOOK_MS) break
  }
  throw fault
}
