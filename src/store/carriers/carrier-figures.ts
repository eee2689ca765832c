// Segment counts by carrier, prefix and five-minute slot: reading the last hour costs a few hundred rows at any traffic.
import type { Figure, FigureCounts } from '../../domain/carriers/carrier-figures.ts'
import type { Queries, Tx } from '../database/db.ts'
import { sql } from '../database/sql.ts'

export interface CountedFigure extends Figure {
  carrierId: string
  slot: Date
}

/** Rows are locked in one order, which prevents deadlocks. Counts of a deleted carrier are dropped. */
export async function addFigures(tx: Tx, counted: CountedFigure[]): Promise<void> {
  if (counted.length === 0) return
  await tx.query(sql`
    insert into carrier_figure as known (carrier_id, prefix, slot, taken, refused, unanswered, delivered, undelivered,
      answer_ms, receipts, receipt_ms, strays, unread, denied, unreadable, shared_ids)
    select counted.* from unnest(
      ${counted.map((it) => it.carrierId)}::uuid[], ${counted.map((it) => it.prefix)}::text[],
      ${counted.map((it) => it.slot)}::timestamptz[], ${counted.map((it) => it.taken)}::bigint[],
      ${counted.map((it) => it.refused)}::bigint[], ${counted.map((it) => it.unanswered)}::bigint[],
      ${counted.map((it) => it.delivered)}::bigint[], ${counted.map((it) => it.undelivered)}::bigint[],
      ${counted.map((it) => it.answerMs)}::bigint[], ${counted.map((it) => it.receipts)}::bigint[],
      ${counted.map((it) => it.receiptMs)}::bigint[], ${counted.map((it) => it.strays)}::bigint[],
      ${counted.map((it) => it.unread)}::bigint[], ${counted.map((it) => it.denied)}::bigint[],
      ${counted.map((it) => it.unreadable)}::bigint[], ${counted.map((it) => it.sharedIds)}::bigint[]
    ) as counted (carrier_id, prefix, slot) join carrier on carrier.id = counted.carrier_id
    order by counted.carrier_id, counted.prefix, counted.slot
    on conflict (carrier_id, prefix, slot) do update set taken = known.taken + excluded.taken,
      refused = known.refused + excluded.refused, unanswered = known.unanswered + excluded.unanswered,
      delivered = known.delivered + excluded.delivered, undelivered = known.undelivered + excluded.undelivered,
      answer_ms = known.answer_ms + excluded.answer_ms, receipts = known.receipts + excluded.receipts,
      receipt_ms = known.receipt_ms + excluded.receipt_ms, strays = known.strays + excluded.strays,
      unread = known.unread + excluded.unread, denied = known.denied + excluded.denied,
      unreadable = known.unreadable + excluded.unreadable, shared_ids = known.shared_ids + excluded.shared_ids`)
}

/** Busiest prefixes first. */
export function listFigures(
  db: Queries,
  { carrierId, since, limit }: { carrierId: string; since: Date; limit: number },
): Promise<Figure[]> {
  return db.query<Figure>(sql`
    select prefix, sum(taken)::bigint as taken, sum(refused)::bigint as refused, sum(unanswered)::bigint as unanswered,
      sum(delivered)::bigint as delivered, sum(undelivered)::bigint as undelivered,
      sum(answer_ms)::bigint as "answerMs", sum(receipts)::bigint as receipts, sum(receipt_ms)::bigint as "receiptMs",
      sum(strays)::bigint as strays, sum(unread)::bigint as unread, sum(denied)::bigint as denied,
      sum(unreadable)::bigint as unreadable, sum(shared_ids)::bigint as "sharedIds"
    from carrier_figure where carrier_id = ${carrierId} and slot >= ${since}
    group by prefix having sum(taken + refused + unanswered + receipts) > 0
    order by sum(taken) + sum(refused) + sum(unanswered) desc, prefix limit ${limit}`)
}

type CarrierProblems = Pick<FigureCounts, 'taken' | 'strays' | 'unread' | 'denied' | 'unreadable' | 'sharedIds'>

/** By carrier; carriers without problems are left out. */
export async function countCarrierProblems(db: Queries, since: Date): Promise<Map<string, CarrierProblems>> {
  const rows = await db.query<CarrierProblems & { carrierId: string }>(sql`
    select carrier_id as "carrierId", sum(taken)::bigint as taken, sum(strays)::bigint as strays, sum(unread)::bigint as unread,
      sum(denied)::bigint as denied, sum(unreadable)::bigint as unreadable, sum(shared_ids)::bigint as "sharedIds"
    from carrier_figure where slot >= ${since}
    group by carrier_id having sum(strays + unread + denied + unreadable + shared_ids) > 0`)
  return new Map(rows.map(({ carrierId, ...problems }) => [carrierId, problems]))
}

/** Final receipts by carrier name, for the busiest prefixes of each carrier. */
export function listDeliveryCounts(
  db: Queries,
  { since, most }: { since: Date; most: number },
): Promise<({ carrier: string; prefix: string } & Pick<FigureCounts, 'delivered' | 'undelivered'>)[]> {
  return db.query(sql`
    select carrier, prefix, delivered, undelivered from (
      select carrier.name as carrier, prefix, sum(delivered)::bigint as delivered, sum(undelivered)::bigint as undelivered,
        row_number() over (partition by carrier.id order by sum(delivered) + sum(undelivered) desc, prefix) as nth
      from carrier_figure join carrier on carrier.id = carrier_id
      where slot >= ${since} group by carrier.id, prefix having sum(delivered) + sum(undelivered) > 0
    ) as summed where nth <= ${most} order by carrier, prefix`)
}
