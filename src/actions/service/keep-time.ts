// Keeps the service's clock to the database's, which all processes share: a wall clock that is wrong, or jumps, would end messages and
// months before their time on one machine and not on the other.
import { SystemClock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import { Loop } from '../../runtime/loop.ts'
import { readClock } from '../../store/database/clock.ts'
import { isAway } from '../../store/database/db.ts'
import type { Ports } from '../ports.ts'

const LOOK_MS = 5_000
const LONGEST_LOOK_MS = 500
/** Said only where it is worth mending: a few seconds. */
const FAR_MS = 3_000

/** Returns once the clock is right, with what ends the keeping. A clock that is moved by hand is right as it is. */
export async function keepTime({ clock, db }: Ports, log: Log): Promise<() => Promise<void>> {
  if (!(clock instanceof SystemClock)) return async () => {}
  let wasFar = false
  const look = async () => {
    const askedAt = performance.now()
    const at = await readClock(db)
    const tookMs = performance.now() - askedAt
    // It was read at some time between the question and the answer; where those lie far apart, nobody can tell when.
    if (tookMs > LONGEST_LOOK_MS) return
    const aheadMs = clock.keepTo(new Date(at.getTime() + tookMs / 2))
    const isFar = Math.abs(aheadMs) > FAR_MS
    if (isFar && !wasFar)
      log.warn({ aheadSeconds: Math.round(aheadMs / 1000) }, "this machine's clock is wrong; the database's is used")
    if (wasFar && !isFar) log.info("this machine's clock is right again")
    wasFar = isFar
  }
  await look()
  const turn = async () => {
    await look()
    return { worked: false }
  }
  const loop = new Loop({ name: 'clock', clock, log, pollMs: LOOK_MS, turn, isLoggedElsewhere: isAway })
  return () => loop.stop()
}
