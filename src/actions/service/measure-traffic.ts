// The queue by lane and the rates of the last minute, from reads whose cost is bounded for any queue length.
import { priorityOf } from '../../domain/carriers/routing.ts'
import { MESSAGE_TYPES } from '../../domain/message-type.ts'
import { depthOf, RATE_SECONDS, ratePerSecond } from '../../domain/service/traffic.ts'
import { measureLastMinute } from '../../store/carriers/carrier-binds.ts'
import type { Db } from '../../store/database/db.ts'
import { countQueueByPriority, MAX_COUNTED, sampleQueue } from '../../store/messages/queue-depth.ts'
import { countRecentlyAccepted, MAX_ACCEPTED_COUNTED } from '../../store/service/overview.ts'

/** In order of priority. */
export async function readLanes(db: Db, now: Date) {
  const counted = new Map((await countQueueByPriority(db, now)).map((lane) => [lane.priority, lane]))
  const isDeep = counted.values().some((lane) => lane.counted >= MAX_COUNTED)
  const sample = isDeep ? await sampleQueue(db) : []
  const byPriority = MESSAGE_TYPES.toSorted((one, other) => priorityOf(one) - priorityOf(other))
  return byPriority.map((lane) => {
    const priority = priorityOf(lane)
    const known = counted.get(priority)
    const sampled = sample.filter((it) => it.priority === priority).reduce((sum, it) => sum + it.messages, 0)
    const depth = depthOf({ counted: known?.counted ?? 0, sampled, most: MAX_COUNTED })
    return { lane, ...depth, oldestDueAt: known?.oldestDueAt ?? null }
  })
}

/** Per second over the last minute, for all processes. */
export async function readRates(db: Db, now: Date) {
  const since = new Date(now.getTime() - RATE_SECONDS * 1000)
  const [accepted, { processes, ...segments }] = await Promise.all([
    countRecentlyAccepted(db, since),
    measureLastMinute(db, now),
  ])
  return { processes, accepted: ratePerSecond({ ...accepted, most: MAX_ACCEPTED_COUNTED }, now), segments }
}
