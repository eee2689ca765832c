// Messages whose time is up: found by their ids, which are in the order of time, so nothing is kept up to date for it.
import { UNFINISHED_STATUSES } from '../../domain/message-status.ts'
import type { Queries, Tx } from '../database/db.ts'
import { sql } from '../database/sql.ts'

/** Waiting messages made before these ids, unless a claim on them still runs. */
export async function listExpired(
  db: Queries,
  { codesBefore, othersBefore, now, limit }: { codesBefore: string; othersBefore: string; now: Date; limit: number },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    (select message_id as id from delivery_queue
      where priority = 0 and message_id < ${codesBefore} and (claim_id is null or leased_until <= ${now}) limit ${limit})
    union all
    (select message_id from delivery_queue
      where priority > 0 and message_id < ${othersBefore} and (claim_id is null or leased_until <= ${now}) limit ${limit})`)
  return rows.map((row) => row.id)
}

/** The oldest messages that wait: a code, and any other. */
export async function findOldestWaiting(db: Queries): Promise<{ code: string | null; other: string | null }> {
  const rows = await db.query<{ code: string | null; other: string | null }>(sql`
    select
      (select message_id from delivery_queue where priority = 0 order by message_id limit 1) as code,
      (select message_id from delivery_queue order by message_id limit 1) as other`)
  return rows[0] ?? { code: null, other: null }
}

export type DeadlineKind = 'otp' | 'other'

/** Up to this message all have come to their end, as far as time went by then. */
interface DeadlineMark {
  sweptTo: string
  sweptAt: Date
}

/** Before every message. */
export const FIRST_MARK = '00000000-0000-0000-0000-000000000000'

export async function lockMark(tx: Tx, kind: DeadlineKind): Promise<DeadlineMark> {
  const rows = await tx.query<DeadlineMark>(sql`
    select swept_to as "sweptTo", greatest(swept_at, 'epoch') as "sweptAt" from expiry_sweep
    where kind = ${kind} for update`)
  if (!rows[0]) throw new Error(`the mark of deadlines for ${kind} is missing`)
  return rows[0]
}

export async function moveMark(tx: Tx, kind: DeadlineKind, { sweptTo, sweptAt }: DeadlineMark): Promise<void> {
  await tx.query(sql`update expiry_sweep set swept_to = ${sweptTo}, swept_at = ${sweptAt} where kind = ${kind}`)
}

/** The next messages after the mark, how far that is, and those of them that are not at their end yet. */
export async function walkDeadlines(
  tx: Tx,
  { kind, after, before, limit }: { kind: DeadlineKind; after: string; before: string; limit: number },
): Promise<{ walkedTo: string | null; walked: number; unfinished: string[] }> {
  const [row] = await tx.query<{ walkedTo: string | null; walked: number; unfinished: string[] }>(sql`
    with walked as materialized (
      select id, type, status from message where id > ${after} and id < ${before} order by id limit ${limit}
    )
    select (select id from walked order by id desc limit 1) as "walkedTo", (select count(*) from walked) as walked,
      array(
        select id::text from walked
        where (type = 'otp') = ${kind === 'otp'} and status = any(${UNFINISHED_STATUSES}::text[]) order by id
      ) as unfinished`)
  if (!row) throw new Error('a walk has an end')
  return row
}

/** The first message after the mark: its deadline is the next that may matter. */
export async function findNextMarked(db: Queries, kind: DeadlineKind): Promise<string | null> {
  const rows = await db.query<{ id: string }>(sql`
    select id from message where id > (select swept_to from expiry_sweep where kind = ${kind}) order by id limit 1`)
  return rows[0]?.id ?? null
}
