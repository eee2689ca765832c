// Creates the partitions of the next months (D44).
import { HOUR_MS } from '../../domain/durations.ts'
import { startOfMonth } from '../../domain/service/months.ts'
import { partitionsNeededUntil } from '../../domain/service/retention.ts'
import type { Log } from '../../runtime/log.ts'
import { Loop, type ServiceRole } from '../../runtime/loop.ts'
import { type Db, isAway, isLockTimeout } from '../../store/database/db.ts'
import { addPartitionsUntil } from '../../store/database/partitions.ts'
import type { Ports } from '../ports.ts'

/** Creates the partitions that are needed at that time. Returns their names. */
export function preparePartitions(db: Db, at: Date): Promise<string[]> {
  return addPartitionsUntil(db, partitionsNeededUntil(at), (step) => db.transaction(step))
}

const LOOK_MS = HOUR_MS

/** In every process, not only in upkeep: without the partition of a month, its messages could not be stored. */
export function keepPartitionsAhead({ db, clock }: Ports, log: Log): ServiceRole {
  const turn = async () => {
    const now = clock.now()
    const added = await preparePartitions(db, now)
    if (added.length > 0) log.info({ partitions: added }, 'partitions added')
    // An alarm too, or a manual clock could pass all partitions in one step.
    return { worked: false, nextAt: startOfMonth(now, 1) }
  }
  const loop = new Loop({
    name: 'partitions',
    clock,
    log,
    pollMs: LOOK_MS,
    turn,
    isLoggedElsewhere: (error) => isAway(error) && !isLockTimeout(error),
  })
  return { name: 'partitions', settle: () => loop.settle(), stop: () => loop.stop() }
}
