// Deletes data that is past its retention (D44).
import { DAY_MS } from '../../domain/durations.ts'
import { expiredBefore, kindOf, type Retention } from '../../domain/service/retention.ts'
import { type Clock, SystemClock } from '../../runtime/clock.ts'
import { lowestIdOf, timeOfId } from '../../runtime/ids.ts'
import type { Queries } from '../../store/database/db.ts'
import { firstPartitionOf, listPartitions } from '../../store/database/partitions.ts'
import { findFirstAfterMark } from '../../store/messages/deadlines.ts'
import { deleteTestMessages } from '../../store/messages/messages.ts'
import { type DeletableTable, deleteOldest, deleteTexts } from '../../store/messages/retention.ts'
import type { Ports } from '../ports.ts'

const MAX_ROWS = 1_000

/** A deletion cannot be undone: none begins while the database and this machine disagree about the day. */
export function areClocksApart(clock: Clock): boolean {
  return clock instanceof SystemClock && Math.abs(clock.wallAheadMs) > DAY_MS
}

/**
 * The time of the first message whose deadline has not been checked; null: all are final. While no process delivers, such messages
 * become as old as the retention, and they are still to be refunded and removed from the queue.
 */
export async function findUnfinishedAt(db: Queries): Promise<Date | null> {
  const [code, other] = await Promise.all([findFirstAfterMark(db, 'otp'), findFirstAfterMark(db, 'other')])
  const ids = [code, other].filter((id) => id !== null).sort()
  return ids[0] === undefined ? null : timeOfId(ids[0])
}

export function isFinished({
  table,
  until,
  unfinishedAt,
}: {
  table: string
  until: Date
  unfinishedAt: Date | null
}): boolean {
  return kindOf(table) !== 'messages' || unfinishedAt === null || until <= unfinishedAt
}

/** Deletes texts. Returns the number of messages scanned. */
export async function sweepTexts({ db, clock }: Ports, { texts }: Retention): Promise<number> {
  const before = expiredBefore(clock.now(), texts)
  if (before === null) return 0
  return db.transaction((tx) => deleteTexts(tx, { idsBelow: lowestIdOf(before), limit: MAX_ROWS }))
}

/** Deletes messages of test clients. They were never sent or charged, so nothing refers to them. */
export async function sweepTestMessages({ db, clock }: Ports, { testMessages }: Retention): Promise<number> {
  const before = expiredBefore(clock.now(), testMessages)
  return before === null ? 0 : deleteTestMessages(db, { idsBelow: lowestIdOf(before), limit: MAX_ROWS })
}

const DELETABLE: readonly DeletableTable[] = ['message', 'submission', 'report', 'inbound_message']

/**
 * Deletes rows of the first partitions, which have everything from before the tables were partitioned. Returns the number of rows. The audit
 * log can only be dropped: no statement can delete its rows.
 */
export async function sweepFirstPartitions({ db, clock }: Ports, retention: Retention): Promise<number> {
  const firsts = (await listPartitions(db)).filter(({ table, name }) => name === firstPartitionOf(table))
  if (firsts.length === 0) return 0
  const unfinishedAt = await findUnfinishedAt(db)
  let rows = 0
  for (const from of DELETABLE) {
    const first = firsts.find(({ table }) => table === from)
    const before = expiredBefore(clock.now(), retention[kindOf(from)])
    if (!first || before === null) continue
    const ends = [first.until, before, ...(kindOf(from) === 'messages' && unfinishedAt ? [unfinishedAt] : [])]
    rows += await deleteOldest(db, { from, idsBelow: lowestIdOf(earliest(ends)), limit: MAX_ROWS })
  }
  return rows
}

function earliest(times: readonly Date[]): Date {
  return new Date(Math.min(...times.map((it) => it.getTime())))
}
