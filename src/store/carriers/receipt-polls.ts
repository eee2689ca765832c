// Receipt polls of HTTP carriers (D54). A claim moves the due time to the end of a lease.
import type { PolledMessage } from '../../domain/carriers/http/poll.ts'
import type { MessageStatus } from '../../domain/message-status.ts'
import type { SubmissionName } from '../../domain/messages/submission.ts'
import type { Queries, Tx } from '../database/db.ts'
import { sql } from '../database/sql.ts'

interface NewPoll extends SubmissionName, PolledMessage {
  carrierId: string
  dueAt: Date
  endsAt: Date
}

export async function insertPolls(tx: Tx, polls: NewPoll[]): Promise<void> {
  if (polls.length === 0) return
  await tx.query(sql`
    insert into receipt_poll (
      message_id, ordinal, segment, carrier_id, carrier_message_id, reference, to_number, due_at, ends_at)
    select * from unnest(
      ${polls.map((it) => it.messageId)}::uuid[], ${polls.map((it) => it.ordinal)}::int[],
      ${polls.map((it) => it.segment)}::smallint[], ${polls.map((it) => it.carrierId)}::uuid[],
      ${polls.map((it) => it.carrierMessageId)}::text[], ${polls.map((it) => it.reference)}::text[],
      ${polls.map((it) => it.to)}::text[], ${polls.map((it) => it.dueAt)}::timestamptz[],
      ${polls.map((it) => it.endsAt)}::timestamptz[])
    on conflict do nothing`)
}

/** Leased to one process until `leasedUntil`. */
export interface ClaimedPoll extends SubmissionName, PolledMessage {
  dueAt: Date
  attempts: number
  said: string
  endsAt: Date
  leasedUntil: Date
}

/**
 * Claims due polls of a carrier, fewest attempts first: the attempt counts are few, and the index is in due order within each count.
 * The status is null for a message that is no longer stored.
 */
export async function claimDuePolls(
  tx: Tx,
  { carrierId, now, leasedUntil, limit }: { carrierId: string; now: Date; leasedUntil: Date; limit: number },
): Promise<(ClaimedPoll & { status: MessageStatus | null })[]> {
  const rows = await tx.query<Omit<ClaimedPoll, 'leasedUntil'> & { status: MessageStatus | null }>(sql`
    with due as materialized (
      select poll.* from generate_series(0, (select max(attempts) from receipt_poll where carrier_id = ${carrierId})) as level
        cross join lateral (
          select message_id, ordinal, segment, due_at from receipt_poll
          where carrier_id = ${carrierId} and attempts = level and due_at <= ${now}
          order by due_at limit ${limit} for update skip locked
        ) as poll
      limit ${limit}
    )
    update receipt_poll poll set due_at = ${leasedUntil} from due
    where poll.message_id = due.message_id and poll.ordinal = due.ordinal and poll.segment = due.segment
    returning poll.message_id as "messageId", poll.ordinal, poll.segment, poll.carrier_message_id as "carrierMessageId",
      poll.reference, poll.to_number as to, due.due_at as "dueAt", poll.attempts, poll.last_state as said, poll.ends_at as "endsAt",
      (select status from message where id = poll.message_id) as status`)
  return rows.map((row) => ({ ...row, leasedUntil }))
}

/** Only under an unexpired lease: afterwards another process may have claimed the poll. */
export async function deletePolls(tx: Tx, polls: ClaimedPoll[]): Promise<void> {
  if (polls.length === 0) return
  await tx.query(sql`
    delete from receipt_poll poll using unnest(
      ${polls.map((it) => it.messageId)}::uuid[], ${polls.map((it) => it.ordinal)}::int[],
      ${polls.map((it) => it.segment)}::smallint[], ${polls.map((it) => it.leasedUntil)}::timestamptz[]
    ) as over (message_id, ordinal, segment, leased_until)
    where poll.message_id = over.message_id and poll.ordinal = over.ordinal and poll.segment = over.segment
      and poll.due_at = over.leased_until`)
}

export type DeferredPoll = ClaimedPoll & { nextAt: Date }

/** Only under an unexpired lease, as above. */
export async function deferPolls(tx: Tx, polls: DeferredPoll[]): Promise<void> {
  if (polls.length === 0) return
  await tx.query(sql`
    update receipt_poll poll set due_at = again.next_at, attempts = again.attempts, last_state = again.last_state
    from unnest(
      ${polls.map((it) => it.messageId)}::uuid[], ${polls.map((it) => it.ordinal)}::int[],
      ${polls.map((it) => it.segment)}::smallint[], ${polls.map((it) => it.leasedUntil)}::timestamptz[],
      ${polls.map((it) => it.nextAt)}::timestamptz[], ${polls.map((it) => it.attempts)}::smallint[],
      ${polls.map((it) => it.said)}::text[]
    ) as again (message_id, ordinal, segment, leased_until, next_at, attempts, last_state)
    where poll.message_id = again.message_id and poll.ordinal = again.ordinal and poll.segment = again.segment
      and poll.due_at = again.leased_until`)
}

export async function findNextPollTime(db: Queries, carrierId: string): Promise<Date | null> {
  const rows = await db.query<{ at: Date | null }>(sql`
    select min(poll.due_at) as at
    from generate_series(0, (select max(attempts) from receipt_poll where carrier_id = ${carrierId})) as level
      cross join lateral (
        select due_at from receipt_poll where carrier_id = ${carrierId} and attempts = level order by due_at limit 1
      ) as poll`)
  return rows[0]?.at ?? null
}
