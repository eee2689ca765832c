// Messages past their deadline, found by id: ids are in time order, so deadlines need no index of their own.
import { UNFINISHED_STATUSES } from '../../domain/message-status.ts'
import type { Queries, Tx } from '../database/db.ts'
import { fragment, sql } from '../database/sql.ts'

/** Messages in the queue with ids below these. */
export async function listExpiredMessages(
  db: Queries,
  { codesBefore, othersBefore, limit }: { codesBefore: string; othersBefore: string; limit: number },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select waiting.id from (
      (select message_ids, ${codesBefore}::uuid as before from delivery_queue
        where priority = 0 and first_message_id < ${codesBefore} order by first_message_id limit ${limit})
      union all
      (select message_ids, ${othersBefore}::uuid from delivery_queue
        where priority = 1 and first_message_id < ${othersBefore} order by first_message_id limit ${limit})
      union all
      (select message_ids, ${othersBefore}::uuid from delivery_queue
        where priority = 2 and first_message_id < ${othersBefore} order by first_message_id limit ${limit})
    ) as expired cross join lateral unnest(message_ids) as waiting (id)
    where waiting.id < expired.before limit ${limit}`)
  return rows.map((row) => row.id)
}

/** The oldest OTP message and the oldest other message in the queue. */
export async function findOldestWaiting(db: Queries): Promise<{ code: string | null; other: string | null }> {
  const oldest = (priority: number) =>
    fragment`(select first_message_id from delivery_queue where priority = ${priority} order by first_message_id limit 1)`
  // Not prepared: a plan made while the queue was empty would scan it later.
  const rows = await db.query<{ code: string | null; other: string | null }>(sql`
    select ${oldest(0)} as code, least(${oldest(1)}, ${oldest(2)}) as other`)
  return rows[0] ?? { code: null, other: null }
}

export type DeadlineKind = 'otp' | 'other'

/** At `sweptAt`, all messages up to `sweptTo` had reached a final status. */
interface DeadlineMark {
  sweptTo: string
  sweptAt: Date
}

export async function lockDeadlineMark(tx: Tx, kind: DeadlineKind): Promise<DeadlineMark> {
  const rows = await tx.query<DeadlineMark>(sql`
    select swept_to as "sweptTo", greatest(swept_at, 'epoch') as "sweptAt" from expiry_sweep
    where kind = ${kind} for update`)
  if (!rows[0]) throw new Error(`deadline mark for ${kind} is missing`)
  return rows[0]
}

export async function moveDeadlineMark(tx: Tx, kind: DeadlineKind, { sweptTo, sweptAt }: DeadlineMark): Promise<void> {
  await tx.query(sql`update expiry_sweep set swept_to = ${sweptTo}, swept_at = ${sweptAt} where kind = ${kind}`)
}

/** Scans the next messages after the mark. Returns the last id scanned and the messages without a final status. */
export async function scanDeadlines(
  tx: Tx,
  { kind, after, before, limit }: { kind: DeadlineKind; after: string; before: string; limit: number },
): Promise<{ scannedTo: string | null; scanned: number; unfinished: string[] }> {
  const [row] = await tx.query<{ scannedTo: string | null; scanned: number; unfinished: string[] }>(sql`
    with scanned as materialized (
      select id, type, status from message where id > ${after} and id < ${before} order by id limit ${limit}
    )
    select (select id from scanned order by id desc limit 1) as "scannedTo", (select count(*) from scanned) as scanned,
      array(
        select id::text from scanned
        where (type = 'otp') = ${kind === 'otp'} and status = any(${UNFINISHED_STATUSES}::text[]) order by id
      ) as unfinished`)
  if (!row) throw new Error('deadline scan returned no row')
  return row
}

/** The first message after the mark: no earlier message has a deadline left. */
export async function findFirstAfterMark(db: Queries, kind: DeadlineKind): Promise<string | null> {
  const rows = await db.query<{ id: string }>(sql`
    select id from message where id > (select swept_to from expiry_sweep where kind = ${kind}) order by id limit 1`)
  return rows[0]?.id ?? null
}
