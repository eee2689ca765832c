// Messages whose time is up: found by their ids, which are in the order of time, so nothing is kept up to date for it.
import type { Queries, Tx } from './db.ts'
import { sql } from './sql.ts'

/** Waiting messages made before these ids, unless a claim on them still runs. */
export async function listExpired(
  db: Queries,
  { codesBefore, othersBefore, now, limit }: { codesBefore: string; othersBefore: string; now: Date; limit: number },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    (select message_id as id from delivery_queue
      where lane = 0 and message_id < ${codesBefore} and (claim_id is null or due_at <= ${now}) limit ${limit})
    union all
    (select message_id from delivery_queue
      where lane > 0 and message_id < ${othersBefore} and (claim_id is null or due_at <= ${now}) limit ${limit})`)
  return rows.map((row) => row.id)
}

/** The oldest messages that wait: a code, and any other. */
export async function findOldestWaiting(db: Queries): Promise<{ code: string | null; other: string | null }> {
  const rows = await db.query<{ code: string | null; other: string | null }>(sql`
    select
      (select message_id from delivery_queue where lane = 0 order by message_id limit 1) as code,
      (select message_id from delivery_queue order by message_id limit 1) as other`)
  return rows[0] ?? { code: null, other: null }
}

export type DeadlineKind = 'otp' | 'other'

export async function lockMark(tx: Tx, kind: DeadlineKind): Promise<string> {
  const rows = await tx.query<{ sweptTo: string }>(sql`
    select swept_to as "sweptTo" from deadline_mark where kind = ${kind} for update`)
  if (!rows[0]) throw new Error(`the mark of deadlines for ${kind} is missing`)
  return rows[0].sweptTo
}

export async function moveMark(tx: Tx, kind: DeadlineKind, sweptTo: string): Promise<void> {
  await tx.query(sql`update deadline_mark set swept_to = ${sweptTo} where kind = ${kind}`)
}

/** The next messages after the mark that are not at their end yet. */
export async function listUnfinished(
  tx: Tx,
  { kind, after, before, limit }: { kind: DeadlineKind; after: string; before: string; limit: number },
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select id from message
    where id > ${after} and id < ${before} and (type = 'otp') = ${kind === 'otp'}
      and status in ('queued', 'submitting', 'submitted', 'sent')
    order by id limit ${limit}`)
  return rows.map((row) => row.id)
}

/** The first message after the mark: its deadline is the next that may matter. */
export async function findNextMarked(db: Queries, kind: DeadlineKind): Promise<string | null> {
  const rows = await db.query<{ id: string }>(sql`
    select id from message where id > (select swept_to from deadline_mark where kind = ${kind}) order by id limit 1`)
  return rows[0]?.id ?? null
}
