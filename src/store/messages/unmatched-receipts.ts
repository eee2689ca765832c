// Unmatched receipts: the latest of each carrier, hourly counts, and hints at their cause.
import type { Clue } from '../../domain/messages/receipt-cause.ts'
import type { Report } from '../../domain/messages/report.ts'
import { lowestIdOf } from '../../runtime/ids.ts'
import type { Queries, Tx } from '../database/db.ts'
import { every, fragment, sql } from '../database/sql.ts'
import { idBelow, type Page } from '../pages.ts'

/** Per carrier; older receipts are only counted. */
export const MAX_UNMATCHED_SHOWN = 100

export interface UnmatchedReceipt {
  id: string
  carrierId: string
  reference: string
  to: string
  state: string
  code: string
  raw: string
  receivedAt: Date
}

/** Receipts whose match attempts are exhausted. Receipts of a deleted carrier are dropped. */
export async function insertUnmatched(tx: Tx, receipts: Report[], now: Date): Promise<void> {
  if (receipts.length === 0) return
  const carrierIds = receipts.map((it) => it.carrierId)
  await tx.query(sql`
    insert into unmatched_receipt (carrier_id, id, reference, to_number, state, code, raw, received_at)
    select receipt.* from unnest(
        ${carrierIds}::uuid[], ${receipts.map((it) => it.id)}::uuid[], ${receipts.map((it) => it.reference)}::text[],
        ${receipts.map((it) => it.to)}::text[], ${receipts.map((it) => it.state)}::text[],
        ${receipts.map((it) => it.code)}::text[], ${receipts.map((it) => it.raw)}::text[],
        ${receipts.map((it) => it.receivedAt)}::timestamptz[]
      ) as receipt (carrier_id, id, reference, to_number, state, code, raw, received_at)
      join carrier on carrier.id = receipt.carrier_id
    on conflict do nothing`)
  await tx.query(sql`
    insert into unmatched_receipt_hour as known (carrier_id, hour, receipts)
    select counted.carrier_id, date_trunc('hour', ${now}::timestamptz, 'UTC'), count(*)
    from unnest(${carrierIds}::uuid[]) as counted (carrier_id) join carrier on carrier.id = counted.carrier_id
    group by counted.carrier_id order by counted.carrier_id
    on conflict (carrier_id, hour) do update set receipts = known.receipts + excluded.receipts`)
  await tx.query(sql`
    delete from unmatched_receipt old
    using unnest(${[...new Set(carrierIds)]}::uuid[]) as changed (carrier_id)
    where old.carrier_id = changed.carrier_id and old.id < (
      select id from unmatched_receipt latest where latest.carrier_id = changed.carrier_id
      order by id desc offset ${MAX_UNMATCHED_SHOWN - 1} limit 1)`)
}

/** For receipts that were matched late. */
export async function deleteUnmatched(tx: Tx, found: Report[]): Promise<void> {
  if (found.length === 0) return
  await tx.query(sql`
    delete from unmatched_receipt receipt
    using unnest(${found.map((it) => it.carrierId)}::uuid[], ${found.map((it) => it.id)}::uuid[]) as found (carrier_id, id)
    where receipt.carrier_id = found.carrier_id and receipt.id = found.id`)
}

const columns = fragment`
  id, carrier_id as "carrierId", reference, to_number as to, state, code, raw, received_at as "receivedAt"`

export function listUnmatched(
  db: Queries,
  { carrierId, before, limit }: Page & { carrierId: string },
): Promise<UnmatchedReceipt[]> {
  return db.query<UnmatchedReceipt>(sql`
    select ${columns} from unmatched_receipt
    where ${every([fragment`carrier_id = ${carrierId}`, idBelow(before)])}
    order by id desc limit ${limit}`)
}

export function listLatestUnmatched(db: Queries, limit: number): Promise<UnmatchedReceipt[]> {
  return db.query<UnmatchedReceipt>(sql`select ${columns} from unmatched_receipt order by id desc limit ${limit}`)
}

/** By carrier. */
export async function countUnmatched(db: Queries, since: Date): Promise<Map<string, number>> {
  const rows = await db.query<{ carrierId: string; receipts: number }>(sql`
    select carrier_id as "carrierId", sum(receipts)::int as receipts from unmatched_receipt_hour
    where hour >= date_trunc('hour', ${since}::timestamptz, 'UTC') group by carrier_id`)
  return new Map(rows.map(({ carrierId, receipts }) => [carrierId, receipts]))
}

/** Per carrier message id, which a carrier can reuse. */
const MAX_SUBMISSIONS = 5

/** The latest submissions with these carrier message ids. */
export function listClues(db: Queries, requested: { carrierId: string; reference: string }[]): Promise<Clue[]> {
  return db.query<Clue>(sql`
    select requested.carrier_id as "carrierId", requested.reference, named.to_number as to
    from unnest(${requested.map((it) => it.carrierId)}::uuid[], ${requested.map((it) => it.reference)}::text[]) as requested (carrier_id, reference)
      cross join lateral (
        select to_number from submission
        where submission.carrier_id = requested.carrier_id and submission.reference = requested.reference
        order by claimed_at desc limit ${MAX_SUBMISSIONS}
      ) as named`)
}

/** Latest messages to a number that are searched. */
const MAX_MESSAGES = 20
const SEARCHED_MS = 72 * 3600 * 1000

/** By receipt id: the carrier message id of the carrier's last submission to the receipt's number. */
export async function listLastCarrierIds(db: Queries, receipts: UnmatchedReceipt[]): Promise<Map<string, string>> {
  const since = receipts.map(({ receivedAt }) => lowestIdOf(new Date(receivedAt.getTime() - SEARCHED_MS)))
  const rows = await db.query<{ id: string; carrierMessageId: string }>(sql`
    select requested.id, last.carrier_message_id as "carrierMessageId"
    from unnest(
        ${receipts.map((it) => it.id)}::uuid[], ${receipts.map((it) => it.carrierId)}::uuid[],
        ${receipts.map((it) => it.to)}::text[], ${since}::uuid[], ${receipts.map((it) => it.receivedAt)}::timestamptz[]
      ) as requested (id, carrier_id, to_number, since, received_at)
      cross join lateral (
        select submission.carrier_message_id
        from (
            select id from message where to_number = requested.to_number and id >= requested.since order by id desc limit ${MAX_MESSAGES}
          ) as latest join submission on submission.message_id = latest.id and submission.carrier_id = requested.carrier_id
        where submission.carrier_message_id is not null and submission.claimed_at <= requested.received_at
        order by submission.claimed_at desc limit 1
      ) as last`)
  return new Map(rows.map(({ id, carrierMessageId }) => [id, carrierMessageId]))
}
