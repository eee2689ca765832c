// Segment counts by carrier, prefix and five-minute slot: reading the last hour costs a few hundred rows at any traffic.
import type { Figure, FigureCounts, SlotFigures } from '../../domain/carriers/carrier-figures.ts'
import type { Queries, Tx } from '../database/db.ts'
import { fragment, sql } from '../database/sql.ts'

export interface CountedFigure extends Figure {
  carrierId: string
  slot: Date
}

/** Rows are locked in one order, which prevents deadlocks. Counts of a deleted carrier are dropped. */
export async function addFigures(tx: Tx, counted: CountedFigure[]): Promise<void> {
  if (counted.length === 0) return
  await tx.query(sql`
    insert into carrier_stats as known (carrier_id, prefix, slot, accepted, rejected, unanswered, delivered, undelivered,
      answer_ms, receipts, receipt_ms, unexpected_answers, unreadable_receipts, account_rejections, unreadable_answers,
      duplicate_message_ids)
    select counted.* from unnest(
      ${counted.map((it) => it.carrierId)}::uuid[], ${counted.map((it) => it.prefix)}::text[],
      ${counted.map((it) => it.slot)}::timestamptz[], ${counted.map((it) => it.accepted)}::bigint[],
      ${counted.map((it) => it.rejected)}::bigint[], ${counted.map((it) => it.unanswered)}::bigint[],
      ${counted.map((it) => it.delivered)}::bigint[], ${counted.map((it) => it.undelivered)}::bigint[],
      ${counted.map((it) => it.answerMs)}::bigint[], ${counted.map((it) => it.receipts)}::bigint[],
      ${counted.map((it) => it.receiptMs)}::bigint[], ${counted.map((it) => it.unexpectedAnswers)}::bigint[],
      ${counted.map((it) => it.unreadableReceipts)}::bigint[], ${counted.map((it) => it.accountRejections)}::bigint[],
      ${counted.map((it) => it.unreadableAnswers)}::bigint[], ${counted.map((it) => it.duplicateMessageIds)}::bigint[]
    ) as counted (carrier_id, prefix, slot) join carrier on carrier.id = counted.carrier_id
    order by counted.carrier_id, counted.prefix, counted.slot
    on conflict (carrier_id, prefix, slot) do update set accepted = known.accepted + excluded.accepted,
      rejected = known.rejected + excluded.rejected, unanswered = known.unanswered + excluded.unanswered,
      delivered = known.delivered + excluded.delivered, undelivered = known.undelivered + excluded.undelivered,
      answer_ms = known.answer_ms + excluded.answer_ms, receipts = known.receipts + excluded.receipts,
      receipt_ms = known.receipt_ms + excluded.receipt_ms,
      unexpected_answers = known.unexpected_answers + excluded.unexpected_answers,
      unreadable_receipts = known.unreadable_receipts + excluded.unreadable_receipts,
      account_rejections = known.account_rejections + excluded.account_rejections,
      unreadable_answers = known.unreadable_answers + excluded.unreadable_answers,
      duplicate_message_ids = known.duplicate_message_ids + excluded.duplicate_message_ids`)
}

const troubleSums = fragment`
  sum(unexpected_answers)::bigint as "unexpectedAnswers", sum(unreadable_receipts)::bigint as "unreadableReceipts",
  sum(account_rejections)::bigint as "accountRejections", sum(unreadable_answers)::bigint as "unreadableAnswers",
  sum(duplicate_message_ids)::bigint as "duplicateMessageIds"`

/** Busiest prefixes first. */
export function listFigures(
  db: Queries,
  { carrierId, since, limit }: { carrierId: string; since: Date; limit: number },
): Promise<Figure[]> {
  return db.query<Figure>(sql`
    select prefix, sum(accepted)::bigint as accepted, sum(rejected)::bigint as rejected, sum(unanswered)::bigint as unanswered,
      sum(delivered)::bigint as delivered, sum(undelivered)::bigint as undelivered,
      sum(answer_ms)::bigint as "answerMs", sum(receipts)::bigint as receipts, sum(receipt_ms)::bigint as "receiptMs",
      ${troubleSums}
    from carrier_stats where carrier_id = ${carrierId} and slot >= ${since}
    group by prefix having sum(accepted + rejected + unanswered + receipts) > 0
    order by sum(accepted) + sum(rejected) + sum(unanswered) desc, prefix limit ${limit}`)
}

/** Counts of all carriers by slot, over all prefixes. */
export function listSlotFigures(db: Queries, since: Date): Promise<(SlotFigures & { carrierId: string })[]> {
  return db.query(sql`
    select carrier_id as "carrierId", slot, sum(accepted)::bigint as accepted, sum(delivered)::bigint as delivered,
      sum(undelivered)::bigint as undelivered, sum(receipts)::bigint as receipts, sum(receipt_ms)::bigint as "receiptMs"
    from carrier_stats where slot >= ${since} group by carrier_id, slot`)
}

type CarrierProblems = Pick<
  FigureCounts,
  | 'accepted'
  | 'unexpectedAnswers'
  | 'unreadableReceipts'
  | 'accountRejections'
  | 'unreadableAnswers'
  | 'duplicateMessageIds'
>

/** By carrier; carriers without problems are left out. */
export async function countCarrierProblems(db: Queries, since: Date): Promise<Map<string, CarrierProblems>> {
  const rows = await db.query<CarrierProblems & { carrierId: string }>(sql`
    select carrier_id as "carrierId", sum(accepted)::bigint as accepted, ${troubleSums}
    from carrier_stats where slot >= ${since}
    group by carrier_id
    having sum(unexpected_answers + unreadable_receipts + account_rejections + unreadable_answers + duplicate_message_ids) > 0`)
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
      from carrier_stats join carrier on carrier.id = carrier_id
      where slot >= ${since} group by carrier.id, prefix having sum(delivered) + sum(undelivered) > 0
    ) as summed where nth <= ${most} order by carrier, prefix`)
}
