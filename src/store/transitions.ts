// The only writer of changes of status (§3.1). A batch is written whole: status and times, refunds, counters, events, and
// the end of a sealed text.
import { Account } from '../domain/account.ts'
import { RARE_STATUSES } from '../domain/message-status.ts'
import type { MessageState, Transition } from '../domain/transition.ts'
import { statusEvent } from '../domain/webhook-event.ts'
import type { Ids } from '../runtime/ids.ts'
import { lockWorkspaces } from './acceptance.ts'
import type { Tx } from './db.ts'
import { storeAccounts } from './ledger.ts'
import { sql } from './sql.ts'
import { insertEvents } from './webhook-events.ts'

/** Messages, locked in the order of their ids: whoever changes a status holds its row first. */
export function lockMessages(tx: Tx, ids: string[]): Promise<MessageState[]> {
  return tx.query<MessageState>(sql`
    select message.id, message.workspace_id as "workspaceId", client_id as "clientId", to_number as to, type, segments,
      cost_e4 as "costE4", message.status, message.created_at as "createdAt",
      message.updated_at as "updatedAt", webhook_url is not null as "isTold"
    from message join client on client.id = message.client_id
    where message.id = any(${ids}::uuid[]) order by message.id for no key update of message`)
}

/** The workspaces whose money may move; in the order that everybody keeps they are locked before any message. */
export async function lockWorkspacesOf(tx: Tx, messageIds: string[]): Promise<void> {
  if (messageIds.length === 0) return
  const rows = await tx.query<{ id: string }>(sql`
    select distinct workspace_id as id from message where id = any(${messageIds}::uuid[])`)
  await lockWorkspaces(
    tx,
    rows.map((row) => row.id),
  )
}

/** Those of these messages that have more than one segment. */
export async function findLong(tx: Tx, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await tx.query<{ id: string }>(sql`
    select id from message where id = any(${ids}::uuid[]) and segments > 1`)
  return rows.map((row) => row.id)
}

/**
 * Of one message there may be several, in the order they happened. The rows are locked; that each change still finds
 * the status it was decided on is checked all the same.
 */
export async function storeTransitions(
  tx: Tx,
  { transitions, remarks, ids, now }: { transitions: Transition[]; remarks: Remark[]; ids: Ids; now: Date },
): Promise<void> {
  const moved = new Set(transitions.map((it) => it.message.id))
  await storeRemarks(
    tx,
    remarks.filter((it) => !moved.has(it.messageId)),
  )
  if (transitions.length === 0) return
  await storeStatuses(tx, { transitions, remarks })
  await refund(tx, { transitions: transitions.filter((it) => it.refund), ids, now })
  await Promise.all([
    count(tx, transitions),
    announce(tx, { transitions, ids, now }),
    eraseTexts(tx, transitions),
    markFailedCodes(tx, transitions),
  ])
}

interface MessageChange {
  first: Transition
  last: Transition
  times: Partial<Record<string, Date>>
}

async function storeStatuses(
  tx: Tx,
  { transitions, remarks }: { transitions: Transition[]; remarks: Remark[] },
): Promise<void> {
  const remarkOn = new Map(remarks.map((it) => [it.messageId, it]))
  const changes = new Map<string, MessageChange>()
  for (const it of transitions) {
    const { times, first } = changes.get(it.message.id) ?? { times: {}, first: it }
    changes.set(it.message.id, { first, last: it, times: { ...times, [it.to]: it.at } })
  }
  const all = [...changes.values()]
  const at = (status: string) => all.map(({ times }) => times[status] ?? null)
  const rows = await tx.query(sql`
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
      ${all.map(({ last }) => last.to)}::text[], ${all.map(({ last }) => last.error)}::text[],
      ${all.map(({ last }) => last.at)}::timestamptz[],
      ${at('submitted')}::timestamptz[], ${at('sent')}::timestamptz[], ${at('delivered')}::timestamptz[],
      ${at('undelivered')}::timestamptz[], ${at('failed')}::timestamptz[], ${at('rejected')}::timestamptz[],
      ${all.map(({ last }) => remarkOn.get(last.message.id)?.submissions ?? null)}::smallint[],
      ${all.map(({ last }) => remarkOn.get(last.message.id)?.dlr ?? null)}::jsonb[]
    ) as change (
      id, was, status, error, at, submitted_at, sent_at, delivered_at, undelivered_at, failed_at, rejected_at, submissions, dlr)
    where message.id = change.id and message.status = change.was
    returning message.id`)
  if (rows.length !== all.length) throw new Error('a message changed its status while it was locked')
}

/** D10, D11. The ledger's unique index is the last word on 'once'. */
async function refund(
  tx: Tx,
  { transitions, ids, now }: { transitions: Transition[]; ids: Ids; now: Date },
): Promise<void> {
  if (transitions.length === 0) return
  const reserved = await tx.query<{ messageId: string; workspaceId: string; amountE4: number; period: string }>(sql`
    select message.id as "messageId", message.workspace_id as "workspaceId", cost_e4 as "amountE4", period
    from message join ledger_entry entry
      on entry.workspace_id = message.workspace_id and entry.id = message.reservation_id
    where message.id = any(${transitions.map((it) => it.message.id)}::uuid[])`)
  if (reserved.length === 0) return
  const locked = await lockWorkspaces(tx, [...new Set(reserved.map((it) => it.workspaceId))])
  const accounts = new Map(locked.map((state) => [state.workspaceId, Account.at(now, state)]))
  for (const reservation of reserved) accounts.get(reservation.workspaceId)?.refund(reservation)
  await storeAccounts(tx, { accounts: [...accounts.values()], ids, now })
}

/** D17. One row per client, in one order for everybody. */
async function count(tx: Tx, transitions: Transition[]): Promise<void> {
  const sums = new Map<string, { sent: number; delivered: number; failed: number }>()
  for (const { message, counts } of transitions) {
    if (counts !== null) sums.getOrInsert(message.clientId, { sent: 0, delivered: 0, failed: 0 })[counts] += 1
  }
  const rows = [...sums].sort(([one], [other]) => (one < other ? -1 : 1))
  if (rows.length === 0) return
  await tx.query(sql`
    insert into client_counter as known (client_id, sent, delivered, failed)
    select * from unnest(
      ${rows.map(([clientId]) => clientId)}::uuid[], ${rows.map(([, it]) => it.sent)}::bigint[],
      ${rows.map(([, it]) => it.delivered)}::bigint[], ${rows.map(([, it]) => it.failed)}::bigint[])
    on conflict (client_id) do update set sent = known.sent + excluded.sent,
      delivered = known.delivered + excluded.delivered, failed = known.failed + excluded.failed`)
}

async function announce(
  tx: Tx,
  { transitions, ids, now }: { transitions: Transition[]; ids: Ids; now: Date },
): Promise<void> {
  const events = transitions.flatMap(({ message, announces: status, at, error }) => {
    if (status === undefined || !message.isTold) return []
    const { id: messageId, clientId, to, type: messageType, segments } = message
    const event = statusEvent({ messageId, status, to, at, messageType, segments, error })
    return [{ deliveryId: ids.next(), clientId, about: { messageId, status }, event }]
  })
  await insertEvents(tx, events, now)
}

/** D21: once a carrier has the code, or never will, its sealed text is gone. */
async function eraseTexts(tx: Tx, transitions: Transition[]): Promise<void> {
  const ended = transitions.filter(
    ({ message, to }) => message.type === 'otp' && to !== 'queued' && to !== 'submitting',
  )
  if (ended.length === 0) return
  await tx.query(sql`delete from sealed_text where message_id = any(${ended.map((it) => it.message.id)}::uuid[])`)
}

/** D33: a code that never arrived is no sign of pumping. */
async function markFailedCodes(tx: Tx, transitions: Transition[]): Promise<void> {
  const failed = transitions.filter(({ message, counts }) => message.type === 'otp' && counts === 'failed')
  if (failed.length === 0) return
  await tx.query(
    sql`update otp_send_stat set failed = true where id = any(${failed.map((it) => it.message.id)}::uuid[])`,
  )
}

/** What changes beside the status: the count of submissions, and the latest report (§2.1). */
export interface Remark {
  messageId: string
  submissions: number
  dlr: { status: string; code: string; raw: string; at: string } | null
}

/** For messages whose status does not move. D13: a report moves `updatedAt`, also a late one. */
async function storeRemarks(tx: Tx, remarks: Remark[]): Promise<void> {
  if (remarks.length === 0) return
  await tx.query(sql`
    update message set submissions = remark.submissions, dlr = coalesce(remark.dlr, message.dlr),
      updated_at = coalesce((remark.dlr ->> 'at')::timestamptz, message.updated_at)
    from unnest(
      ${remarks.map((it) => it.messageId)}::uuid[], ${remarks.map((it) => it.submissions)}::smallint[],
      ${remarks.map((it) => it.dlr)}::jsonb[]) as remark (id, submissions, dlr)
    where message.id = remark.id and (message.submissions <> remark.submissions or remark.dlr is not null)`)
}
