// Stores the figures of each minute once, whichever process is first, from sums and bounded reads that exist already.
import type { MessageType } from '../../domain/message-type.ts'
import { lastEndedMinute } from '../../domain/service/service-minutes.ts'
import { RATE_SECONDS } from '../../domain/service/traffic.ts'
import { hasMinute, insertMinute } from '../../store/service/service-minutes.ts'
import { countRefusals } from '../../store/workspaces/request-log.ts'
import type { Ports } from '../ports.ts'
import { readLanes, readRates } from './measure-traffic.ts'

/** Stores the last minute unless it is stored. The counts cover the 60 seconds before the call. Returns the minute. */
export async function recordMinute({
  db,
  clock,
  changeFeed,
}: Pick<Ports, 'db' | 'clock' | 'changeFeed'>): Promise<Date> {
  const now = clock.now()
  const minute = lastEndedMinute(now)
  if (await hasMinute(db, minute)) return minute
  const [lanes, { accepted, segments }, refusals] = await Promise.all([
    readLanes(db, now),
    readRates(db, now),
    countRefusals(db, new Date(now.getTime() - RATE_SECONDS * 1000)),
  ])
  const byType = (figureOf: (lane: (typeof lanes)[number]) => number) =>
    Object.fromEntries(lanes.map((lane) => [lane.lane, figureOf(lane)])) as Record<MessageType, number>
  await insertMinute(db, {
    ...{ minute, accepted: Math.round(accepted * RATE_SECONDS), sent: segments.accepted, rejected: segments.rejected },
    ...{ delivered: segments.delivered, undelivered: segments.undelivered },
    refused: refusals.reduce((sum, it) => sum + it.requests, 0),
    waiting: byType(({ waiting }) => waiting),
    oldestSeconds: byType(({ oldestDueAt }) =>
      oldestDueAt ? Math.round((now.getTime() - oldestDueAt.getTime()) / 1000) : 0,
    ),
  })
  changeFeed.publishIn(null, 'figures')
  return minute
}
