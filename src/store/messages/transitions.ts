// The only writer of message status changes (§3.1), with their times, counters and the deletion of sealed texts.
import { type MessageStatus, RARE_STATUSES } from '../../domain/message-status.ts'
import type { MessageState, Transition } from '../../domain/messages/transition.ts'
import { addCodeDays } from '../codes/code-days.ts'
import type { Tx } from '../database/db.ts'
import { fragment, prepared, sql } from '../database/sql.ts'
import { lockWorkspaces } from '../workspaces/workspaces.ts'
import { type CounterShard, countEnded, shardNumber } from './message-counts.ts'
import { idRangeOf, type MessageSelection, selectMessageIds } from './message-selection.ts'

/** Locks messages in id order. A status changes under this lock, or by an update that checks the status before (common answers and reports). */
export function lockMessages(tx: Tx, messages: MessageSelection): Promise<MessageState[]> {
  const statement = sql`
    select message.id, message.workspace_id as "workspaceId", client_id as "clientId", to_number as to, message.country, type, segments,
      cost_e4 as "costE4", message.status, message.created_at as "createdAt",
      message.updated_at as "updatedAt", (webhook_url is not null or listening_until is not null) as "hasListener"
    from message join client on client.id = message.client_id
    where message.id = any(${selectMessageIds(messages)}) and ${idRangeOf(messages)(fragment`message.id`)}
    order by message.id for no key update of message`
  return tx.query<MessageState>(prepared(statement))
}

/** Locks the workspaces whose balance may change. Every transaction locks workspaces before messages, which prevents deadlocks. */
export async function lockWorkspacesOf(tx: Tx, messageIds: string[]): Promise<void> {
  if (messageIds.length === 0) return
  const rows = await tx.query<{ id: string }>(sql`
    select distinct workspace_id as id from message where id = any(${messageIds}::uuid[])`)
  await lockWorkspaces(
    tx,
    rows.map((row) => row.id),
  )
}

/**
 * A message can have several transitions, in order. The update checks that no message has changed since its
 * transition was decided: messages of the common path are not locked before. All statements are sent in one round trip.
 */
export async function storeTransitions(
  tx: Tx,
  {
    transitions,
    updates,
    counterShard,
  }: { transitions: Transition[]; updates: MessageUpdate[]; counterShard: CounterShard },
): Promise<void> {
  const moved = new Set(transitions.map((it) => it.message.id))
  await Promise.all([
    storeUpdates(
      tx,
      updates.filter((it) => !moved.has(it.messageId)),
    ),
    storeStatuses(tx, { transitions, updates }),
    eraseTexts(tx, transitions),
    markFailedCodes(tx, transitions),
    addClientCounts(tx, transitions, counterShard),
    addDeliveredCodes(tx, transitions),
    countEnded(tx, transitions, counterShard),
  ])
}

/** The reserved amount and billing period of each message. */
export function listReservations(tx: Tx, messageIds: string[]) {
  return tx.query<{ messageId: string; workspaceId: string; amountE4: number; period: string }>(sql`
    select message.id as "messageId", message.workspace_id as "workspaceId", cost_e4 as "amountE4", period
    from message join ledger_entry entry
      on entry.workspace_id = message.workspace_id and entry.id = message.reservation_id
    where message.id = any(${messageIds}::uuid[])`)
}

interface MessageChange {
  first: Transition
  last: Transition
  all: Transition[]
}

async function storeStatuses(
  tx: Tx,
  { transitions, updates }: { transitions: Transition[]; updates: MessageUpdate[] },
): Promise<void> {
  if (transitions.length === 0) return
  const updateOf = new Map(updates.map((it) => [it.messageId, it]))
  const changes = new Map<string, MessageChange>()
  for (const it of transitions) {
    const known = changes.get(it.message.id)
    known?.all.push(it)
    if (known) known.last = it
    else changes.set(it.message.id, { first: it, last: it, all: [it] })
  }
  // In the order in which messages are locked elsewhere.
  const all = [...changes.values()].sort((one, other) => (one.first.message.id < other.first.message.id ? -1 : 1))
  const at = (status: MessageStatus) => all.map((change) => change.all.findLast((it) => it.to === status)?.at ?? null)
  const range = idRangeOf(all.map(({ last }) => last.message.id))
  const statement = sql`
    with changed as (
    update message set status = change.status, error = change.error,
      updated_at = greatest(change.at, (change.dlr ->> 'at')::timestamptz),
      submitted_at = coalesce(message.submitted_at, change.submitted_at, change.sent_at),
      sent_at = coalesce(message.sent_at, change.sent_at),
      delivered_at = coalesce(message.delivered_at, change.delivered_at),
      failed_at = coalesce(message.failed_at, change.failed_at, change.rejected_at),
      undelivered_at = coalesce(message.undelivered_at, change.undelivered_at),
      submissions = coalesce(change.submissions, message.submissions), dlr = coalesce(change.dlr, message.dlr),
      rare_status = case when change.status = any(${RARE_STATUSES}::text[]) then change.status end
    from unnest(
      ${all.map(({ last }) => last.message.id)}::uuid[], ${all.map(({ first }) => first.from)}::text[],
      ${all.map(({ first }) => first.message.updatedAt)}::timestamptz[],
      ${all.map(({ last }) => last.to)}::text[], ${all.map(({ last }) => last.error)}::text[],
      ${all.map(({ last }) => last.at)}::timestamptz[],
      ${at('submitted')}::timestamptz[], ${at('sent')}::timestamptz[], ${at('delivered')}::timestamptz[],
      ${at('undelivered')}::timestamptz[], ${at('failed')}::timestamptz[], ${at('rejected')}::timestamptz[],
      ${all.map(({ last }) => updateOf.get(last.message.id)?.submissions ?? null)}::smallint[],
      ${all.map(({ last }) => updateOf.get(last.message.id)?.dlr ?? null)}::jsonb[],
      ${all.map(({ last }) => updateOf.get(last.message.id)?.isOnlyReport ?? false)}::boolean[]
    ) as change (
      id, was, was_updated_at, status, error, at, submitted_at, sent_at, delivered_at, undelivered_at, failed_at, rejected_at, submissions, dlr, is_only_report)
    where message.id = change.id and ${range(fragment`message.id`)} and message.status = change.was
      and date_trunc('milliseconds', message.updated_at) = change.was_updated_at
      and (not change.is_only_report or message.dlr is null and message.submissions = 1)
    returning message.id
    ) select expect_rows(count(*), ${all.length}) from changed`
  await tx.query(prepared(statement))
}

/** D17: one row per client and shard. Rows are locked in one order, which prevents deadlocks. */
async function addClientCounts(tx: Tx, transitions: Transition[], counterShard: CounterShard): Promise<void> {
  const sums = new Map<string, { sent: number; delivered: number; failed: number }>()
  for (const { message, counts } of transitions) {
    if (counts !== null) sums.getOrInsert(message.clientId, { sent: 0, delivered: 0, failed: 0 })[counts] += 1
  }
  const rows = [...sums].sort(([one], [other]) => (one < other ? -1 : 1))
  if (rows.length === 0) return
  await tx.query(sql`
    insert into client_counter as known (client_id, counter_shard, sent, delivered, failed)
    select client_id, ${shardNumber(counterShard)}, sent, delivered, failed from unnest(
      ${rows.map(([clientId]) => clientId)}::uuid[], ${rows.map(([, it]) => it.sent)}::bigint[],
      ${rows.map(([, it]) => it.delivered)}::bigint[], ${rows.map(([, it]) => it.failed)}::bigint[]
    ) as counted (client_id, sent, delivered, failed)
    on conflict (client_id, counter_shard) do update set sent = known.sent + excluded.sent,
      delivered = known.delivered + excluded.delivered, failed = known.failed + excluded.failed`)
}

/** D21: the sealed text of an OTP is deleted once a carrier has it, or never will. */
async function eraseTexts(tx: Tx, transitions: Transition[]): Promise<void> {
  const ended = transitions.filter(
    ({ message, to }) => message.type === 'otp' && to !== 'queued' && to !== 'submitting',
  )
  if (ended.length === 0) return
  await tx.query(sql`delete from sealed_text where message_id = any(${ended.map((it) => it.message.id)}::uuid[])`)
}

/** D33: an OTP that never arrived does not indicate SMS pumping. */
async function markFailedCodes(tx: Tx, transitions: Transition[]): Promise<void> {
  const failed = transitions.filter(({ message, counts }) => message.type === 'otp' && counts === 'failed')
  if (failed.length === 0) return
  await tx.query(
    sql`update otp_send_stat set failed = true where id = any(${failed.map((it) => it.message.id)}::uuid[])`,
  )
}

async function addDeliveredCodes(tx: Tx, transitions: Transition[]): Promise<void> {
  const delivered = transitions.filter(({ message, to }) => message.type === 'otp' && to === 'delivered')
  await addCodeDays(
    tx,
    'delivered',
    delivered.map((it) => it.message.id),
  )
}

/** Changes besides the status: the number of submissions and the latest report (§2.1). */
export interface MessageUpdate {
  messageId: string
  submissions: number
  dlr: { status: string; code: string; raw: string; at: string } | null
  /** The report has no row of its own, so the message must have no other report. */
  isOnlyReport: boolean
}

/** For messages whose status does not change. Even a late report changes `updatedAt` (D13). */
async function storeUpdates(tx: Tx, updates: MessageUpdate[]): Promise<void> {
  if (updates.length === 0) return
  const range = idRangeOf(updates.map((it) => it.messageId))
  const statement = sql`
    update message set submissions = remark.submissions, dlr = coalesce(remark.dlr, message.dlr),
      updated_at = coalesce((remark.dlr ->> 'at')::timestamptz, message.updated_at)
    from unnest(
      ${updates.map((it) => it.messageId)}::uuid[], ${updates.map((it) => it.submissions)}::smallint[],
      ${updates.map((it) => it.dlr)}::jsonb[]) as remark (id, submissions, dlr)
    where message.id = remark.id and ${range(fragment`message.id`)}
      and (message.submissions <> remark.submissions or remark.dlr is not null)`
  await tx.query(prepared(statement))
}
