// Deletes data that is past its retention (D44).
import { expiredBefore, expiredMonths, kindOf, type Retention } from '../../domain/service/retention.ts'
import { lowestIdOf, timeOfId } from '../../runtime/ids.ts'
import type { Log } from '../../runtime/log.ts'
import type { Db } from '../../store/database/db.ts'
import { dropPartition, dropTable, listDetached, listPartitions } from '../../store/database/partitions.ts'
import { findFirstAfterMark } from '../../store/messages/deadlines.ts'
import { deleteTestMessages } from '../../store/messages/messages.ts'
import { type DeletableTable, deleteOldest, deleteTexts } from '../../store/messages/retention.ts'
import type { Ports } from '../ports.ts'

const MAX_ROWS = 1_000

/** Drops the months past their retention. Returns whether there were any. */
export async function dropExpiredMonths(ports: Ports, retention: Retention, log: Log): Promise<boolean> {
  const now = ports.clock.now()
  const partitions = await listPartitions(ports.db)
  const unfinishedAt = await findUnfinishedAt(ports.db)
  const expired = [
    ...expiredMonths(now, retention, partitions).filter(({ table, until }) => isFinished(table, until, unfinishedAt)),
    ...partitions.filter(({ isDetaching }) => isDetaching),
  ]
  const detached = await listDetached(ports.db)
  if (expired.length === 0 && detached.length === 0) return false
  await ports.db.ownConnection(async (connection) => {
    for (const name of detached) await dropTable(connection, name)
    for (const partition of new Set(expired)) {
      await dropPartition(connection, partition)
      log.info({ table: partition.table, until: partition.until }, 'expired partition dropped')
    }
  })
  return true
}

/**
 * The time of the first message whose deadline has not been checked; null: all are final. While no process delivers, such messages
 * become as old as the retention, and they are still to be refunded and removed from the queue.
 */
async function findUnfinishedAt(db: Db): Promise<Date | null> {
  const [code, other] = await Promise.all([findFirstAfterMark(db, 'otp'), findFirstAfterMark(db, 'other')])
  const ids = [code, other].filter((id) => id !== null).sort()
  return ids[0] === undefined ? null : timeOfId(ids[0])
}

function isFinished(table: string, until: Date, unfinishedAt: Date | null): boolean {
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
  const firsts = (await listPartitions(db)).filter(({ name }) => name.endsWith('_first'))
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
