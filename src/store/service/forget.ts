// Removes a number and the texts of its messages and replies from every table that keeps them (D77). Rows stay, so counts and money stay.
import { UNFINISHED_STATUSES } from '../../domain/message-status.ts'
import { REMOVED_NUMBER } from '../../domain/people/masking.ts'
import type { Queries, Tx } from '../database/db.ts'
import { type Fragment, fragment, sql } from '../database/sql.ts'
import { idRangeOf } from '../messages/message-selection.ts'

interface Batch {
  number: string
  limit: number
}

interface MessageBatch extends Batch {
  /** A message with a lower id that is still sent stays so: no receipt was requested, or none came (D56). */
  sentBeforeId: string
}

const isPending = fragment`event.state = 'pending'`

/** Locks messages to the number that are final or get no receipt any more, without events that are still to be posted: their bytes may not change (§6.3 rule 3). */
export async function lockForgettable(tx: Tx, { number, limit, sentBeforeId }: MessageBatch): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select id from message
    where to_number = ${number} and (status <> all(${UNFINISHED_STATUSES}::text[]) or status = 'sent' and id < ${sentBeforeId})
      and not exists (select from webhook_event event where event.message_id = message.id and ${isPending})
    order by id limit ${limit} for update`)
  return rows.map(({ id }) => id)
}

export async function forgetMessages(tx: Tx, { number, ids }: { number: string; ids: string[] }): Promise<void> {
  if (ids.length === 0) return
  const range = idRangeOf(ids)
  const ofMessages = fragment`message_id = any(${ids}::uuid[])`
  await Promise.all([
    tx.query(sql`
      update message set to_number = ${REMOVED_NUMBER}, text = null, dlr = dlr || '{"raw": ""}'
      where id = any(${ids}::uuid[]) and ${range(fragment`id`)}`),
    tx.query(sql`
      update submission set to_number = ${REMOVED_NUMBER} where ${ofMessages} and ${range(fragment`message_id`)}`),
    tx.query(sql`update report set raw = '' where ${ofMessages} and ${range(fragment`message_id`)}`),
    tx.query(sql`update webhook_event set body = ${bodyWithout(number)} where ${ofMessages}`),
    tx.query(sql`update listening_event set body = ${bodyWithout(number)} where ${ofMessages}`),
    tx.query(sql`
      update webhook_attempt attempt set response_body = '' from webhook_event event
      where event.${ofMessages} and ${isAttemptWithBody}`),
    tx.query(sql`
      update otp_send_stat set to_number = ${REMOVED_NUMBER}, last_four = 0 where id = any(${ids}::uuid[])`),
    tx.query(sql`delete from receipt_poll where ${ofMessages}`),
  ])
}

/** An endpoint may respond with the event. */
const isAttemptWithBody = fragment`attempt.delivery_id = event.delivery_id and attempt.response_body <> ''`

/** The JSON of an event without the number. */
function bodyWithout(number: string): Fragment {
  return fragment`convert_to(replace(convert_from(body, 'UTF8'), ${number}, ${REMOVED_NUMBER}), 'UTF8')`
}

/** The event of a reply is created with it; that of a reply attributed later is deleted after its week. */
const EVENT_WITHIN = fragment`interval '1 hour'`

const ofReply = fragment`
  event.client_id = reply.client_id and event.name = 'message.inbound'
  and event.created_at between reply.received_at - ${EVENT_WITHIN} and reply.received_at + ${EVENT_WITHIN}
  and event.delivery_id > reply.id and convert_from(event.body, 'UTF8')::jsonb ->> 'id' = reply.id::text`

/** Each workspace is one lookup, because the index of numbers begins with it. */
function repliesFrom({ number, limit }: Batch): Fragment {
  return fragment`
    select id, client_id, received_at from inbound_message where workspace_id is null and from_number = ${number}
    union all
    select own.* from workspace cross join lateral (
      select id, client_id, received_at from inbound_message
      where workspace_id = workspace.id and from_number = ${number} limit ${limit}
    ) as own`
}

export async function lockForgettableReplies(tx: Tx, batch: Batch): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    with found as materialized (
      select reply.id from (${repliesFrom(batch)}) as reply
      where not exists (select from webhook_event event where ${ofReply} and ${isPending})
      order by reply.id limit ${batch.limit}
    )
    select id from inbound_message where id = any(array(select id from found)) order by id for update`)
  return rows.map(({ id }) => id)
}

export async function forgetReplies(tx: Tx, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  const isReply = fragment`reply.id = any(${ids}::uuid[]) and ${idRangeOf(ids)(fragment`reply.id`)}`
  const withoutText = fragment`
    convert_to((convert_from(event.body, 'UTF8')::jsonb || jsonb_build_object('from', ${REMOVED_NUMBER}::text, 'text', ''))::text, 'UTF8')`
  await Promise.all([
    tx.query(
      sql`update webhook_event event set body = ${withoutText} from inbound_message reply where ${isReply} and ${ofReply}`,
    ),
    tx.query(
      sql`update listening_event event set body = ${withoutText} from inbound_message reply where ${isReply} and ${ofReply}`,
    ),
    tx.query(sql`
      update webhook_attempt attempt set response_body = '' from webhook_event event, inbound_message reply
      where ${isReply} and ${ofReply} and ${isAttemptWithBody}`),
    tx.query(sql`update inbound_message reply set from_number = ${REMOVED_NUMBER}, text = '' where ${isReply}`),
  ])
}

/** Rows that are used only for checks of the number. Without them, its limits and cooldowns are reset. */
export async function forgetDecisions(tx: Tx, number: string): Promise<void> {
  await Promise.all([
    tx.query(sql`delete from otp_code where to_number = ${number}`),
    tx.query(sql`
      delete from verified_number where workspace_id = any(array(select id from workspace)) and to_number = ${number}`),
    tx.query(sql`
      delete from pending_report where carrier_id = any(array(select id from carrier)) and to_number = ${number}`),
    tx.query(sql`delete from unmatched_receipt where to_number = ${number}`),
    tx.query(sql`delete from inbound_part where from_number = ${number}`),
    tx.query(sql`
      delete from rate_limit_hit where scope = ${`otp-number:${number}`}
        or scope = any(array(select 'hour:' || id || ':' || ${number}::text from client))`),
  ])
}

/**
 * A carrier may get the national number, which has few digits in a small country, so only the last digits are compared. Frames are kept for
 * an hour, so deleting that of another number too is acceptable.
 */
const COMPARED_DIGITS = 5

/** Carrier tests and captures. A test that a process may still send keeps its number: it was started at `sentSince` or later. */
export async function forgetCarrierRecords(
  tx: Tx,
  { number, sentSince }: { number: string; sentSince: Date },
): Promise<void> {
  const ofTests = fragment`
    test.to_number = ${number} and (test.answered_at is not null or test.started_at < ${sentSince})`
  const digits = number.slice(-COMPARED_DIGITS)
  await tx.query(sql`
    update carrier_test_bind bind set steps = '[]' from carrier_test test where test.id = bind.test_id and ${ofTests}`)
  await tx.query(sql`
    update carrier_test test set to_number = ${REMOVED_NUMBER}, text = '', report_raw = left(report_raw, 0) where ${ofTests}`)
  await tx.query(sql`
    delete from captured_frame
    where position(convert_to(${digits}, 'UTF8') in bytes) > 0 or position(${digits} in decoded::text) > 0`)
}

/** Messages, replies and carrier tests that still have the number, up to `limit` of each. */
export async function countRemaining(db: Queries, batch: Batch): Promise<number> {
  const { number, limit } = batch
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from (
      (select from message where to_number = ${number} limit ${limit})
      union all
      (select from (${repliesFrom(batch)}) as reply limit ${limit})
      union all
      (select from carrier_test where to_number = ${number} limit ${limit})
    ) as counted`)
  return row?.count ?? 0
}
