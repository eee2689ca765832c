// Synchronizes the clock with the database, which all processes share. A wrong wall clock would otherwise expire messages early.
import { SystemClock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import { Loop } from '../../runtime/loop.ts'
import { readClock } from '../../store/database/clock.ts'
import { isAway } from '../../store/database/db.ts'
import type { Ports } from '../ports.ts'

const LOOK_MS = 5_000
const MAX_CLOCK_READ_MS = 500
/** A smaller difference is not logged. */
const FAR_MS = 3_000

/** Resolves after the first synchronization, with a function that stops it. A manual clock is left alone. */
export async function syncClock({ clock, db }: Ports, log: Log): Promise<() => Promise<void>> {
  if (!(clock instanceof SystemClock)) return async () => {}
  let wasFar = false
  const sync = async () => {
    const startedAt = performance.now()
    const at = await readClock(db)
    const tookMs = performance.now() - startedAt
    // The database read its clock at an unknown time within the round trip, so a slow answer is useless.
    if (tookMs > MAX_CLOCK_READ_MS) return
    const aheadMs = clock.syncTo(new Date(at.getTime() + tookMs / 2))
    const isFar = Math.abs(aheadMs) > FAR_MS
    if (isFar && !wasFar)
      log.warn({ aheadSeconds: Math.round(aheadMs / 1000) }, 'system clock is wrong, using database time')
    if (wasFar && !isFar) log.info('system clock is correct again')
    wasFar = isFar
  }
  await sync()
  const turn = async () => {
    await sync()
    return { worked: false }
  }
  const loop = new Loop({ name: 'clock', clock, log, pollMs: LOOK_MS, turn, isLoggedElsewhere: isAway })
  return () => loop.stop()
}
