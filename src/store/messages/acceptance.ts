// What accepting a batch of sends reads and writes: set-based, locks in the order that everybody keeps (workspaces, numbers, keys).

import { priorityOf } from '../../domain/carriers/routing.ts'
import { rareStatus } from '../../domain/message-status.ts'
import type { MessageType } from '../../domain/message-type.ts'
import type { AcceptedMessage } from '../../domain/messages/acceptance.ts'
import type { AnswerScope, KnownAnswer } from '../../domain/messages/idempotency.ts'
import { LONGEST_ACCEPT_MS } from '../../domain/messages/lifetime.ts'
import { HIGHEST_HOURLY_CAP, type Hit } from '../../domain/messages/limits.ts'
import type { KnownWindow, WindowLook } from '../../domain/sliding-window.ts'
import type { AccountState } from '../../domain/workspaces/account.ts'
import type { Usage } from '../../domain/workspaces/usage.ts'
import { lowestIdOf } from '../../runtime/ids.ts'
import type { Queries, Tx } from '../database/db.ts'
import { sql } from '../database/sql.ts'

export interface LockedWorkspace extends AccountState {
  priceE4: Record<MessageType, number>
  allowedTypes: MessageType[]
  allowedCountries: string[] | null
  templatesRequired: boolean
  templatesRevision: number
}

export async function lockWorkspaces(tx: Tx, ids: string[]): Promise<LockedWorkspace[]> {
  const rows = await tx.query<
    Omit<LockedWorkspace, 'priceE4'> & { transactional: number; otp: number; promotional: number }
  >(sql`
    select id as "workspaceId", time_zone as "timeZone", monthly_credit_e4 as "monthlyCreditE4",
      balance_e4 as "balanceE4", period, period_ends_at as "periodEndsAt", last_entry_id as "lastEntryId",
      transactional_price_e4 as transactional, otp_price_e4 as otp, promotional_price_e4 as promotional,
      allowed_types as "allowedTypes", allowed_countries as "allowedCountries",
      templates_required as "templatesRequired", templates_revision as "templatesRevision"
    from workspace where id = any(${ids}::uuid[]) order by id for no key update`)
  return rows.map(({ transactional, otp, promotional, ...row }) => ({
    ...row,
    priceE4: { transactional, otp, promotional },
  }))
}

/** Locks those of them that nobody else holds, without waiting, and tells which. */
export async function lockFreeWorkspaces(tx: Tx, ids: string[]): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(sql`
    select id from workspace where id = any(${ids}::uuid[]) order by id for no key update skip locked`)
  return new Set(rows.map((row) => row.id))
}

/** What the operator has switched on. */
export async function readSwitches(tx: Tx): Promise<{ smsEnabled: boolean; liveCountries: string[] }> {
  const [row] = await tx.query<{ smsEnabled: boolean; liveCountries: string[] }>(sql`
    select sms_enabled as "smsEnabled", array(select code from country where state = 'live' order by code) as "liveCountries"
    from service`)
  if (!row) throw new Error('the row of table service is missing')
  return row
}

/** Waits for whoever works on one of these scopes; taken in one order by everybody, so nobody waits in a circle. */
export async function lockScopes(tx: Tx, scopes: string[]): Promise<void> {
  await tx.query(sql`
    select pg_advisory_xact_lock(lock) from (
      select distinct hashtextextended(scope, 1) as lock from unnest(${scopes}::text[]) as scopes (scope) order by 1
    ) as locks`)
}

/** Those of these scopes that nobody else works on; they are locked, without waiting. */
export async function lockFreeScopes(tx: Tx, scopes: string[]): Promise<Set<string>> {
  const rows = await tx.query<{ scope: string }>(sql`
    select scope from (select distinct scope from unnest(${scopes}::text[]) as scopes (scope)) as asked
    where pg_try_advisory_xact_lock(hashtextextended(scope, 1))`)
  return new Set(rows.map((row) => row.scope))
}

/** Takes the keys that are free, without waiting: a key that is not free belongs to a request still running (D25). */
export async function tryLockKeys(tx: Tx, scopes: string[]): Promise<Set<string>> {
  const rows = await tx.query<{ scope: string; taken: boolean }>(sql`
    select scope, pg_try_advisory_xact_lock(hashtextextended(scope, 2)) as taken
    from unnest(${scopes}::text[]) as scopes (scope)`)
  return new Set(rows.filter((row) => row.taken).map((row) => row.scope))
}

/** The table calls every owner of a key a client. */
export function findAnswers(
  tx: Tx,
  scopes: AnswerScope[],
  notBefore: Date,
): Promise<(KnownAnswer & { scope: string })[]> {
  return tx.query(sql`
    select client_id || ':' || idempotency_key as scope, key_id as "keyId", fingerprint, answer
    from idempotent_answer
    where (client_id, idempotency_key) in (
        select * from unnest(${scopes.map((it) => it.ownerId)}::uuid[], ${scopes.map((it) => it.idempotencyKey)}::text[]))
      and answered_at > ${notBefore}`)
}

export type NewAnswer = AnswerScope & KnownAnswer

export async function insertAnswers(tx: Tx, answers: NewAnswer[], now: Date): Promise<void> {
  if (answers.length === 0) return
  await tx.query(sql`
    insert into idempotent_answer (client_id, idempotency_key, key_id, fingerprint, answer, answered_at)
    select *, ${now}::timestamptz from unnest(
      ${answers.map((it) => it.ownerId)}::uuid[], ${answers.map((it) => it.idempotencyKey)}::text[],
      ${answers.map((it) => it.keyId)}::text[], ${answers.map((it) => it.fingerprint)}::bytea[],
      ${answers.map((it) => it.answer)}::text[])
    on conflict (client_id, idempotency_key) do update set
      key_id = excluded.key_id, fingerprint = excluded.fingerprint, answer = excluded.answer,
      answered_at = excluded.answered_at`)
}

/** By scope: of each window only the hits that may decide, however many lie inside. */
export async function loadWindows(db: Queries, asked: WindowLook[]): Promise<Map<string, KnownWindow>> {
  const idAt = (at: Date, ms: number) => lowestIdOf(new Date(at.getTime() + ms))
  // What was sent to a number before is read once, however many of its senders ask, and no more of it than a cap may allow.
  const rows = await db.query<{ scope: string; at: Date }>(sql`
    with asked as materialized (
      select * from unnest(
        ${asked.map((it) => it.limit.scope)}::text[], ${asked.map((it) => it.limit.most)}::int[],
        ${asked.map((it) => it.skipped)}::int[], ${asked.map((it) => it.since)}::timestamptz[],
        ${asked.map((it) => it.setAfter?.at ?? it.since)}::timestamptz[],
        ${asked.map((it) => it.setAfter?.clientId)}::uuid[], ${asked.map((it) => it.setAfter?.to)}::text[],
        ${asked.map((it) => it.setAfter && idAt(it.since, -LONGEST_ACCEPT_MS))}::uuid[],
        ${asked.map((it) => it.setAfter && idAt(it.setAfter.at, LONGEST_ACCEPT_MS))}::uuid[]
      ) as asked (scope, most, skipped, since, hits_since, client_id, to_number, from_id, to_id)
    ), earlier as materialized (
      select number.to_number, latest.client_id, array_agg(latest.created_at) as times
      from (
          select to_number, min(from_id::text)::uuid as from_id, max(to_id::text)::uuid as to_id
          from asked where to_number is not null group by to_number
        ) as number
        cross join lateral (
          select client_id, created_at from message
          where to_number = number.to_number and id >= number.from_id and id < number.to_id
          order by id desc limit ${HIGHEST_HOURLY_CAP}
        ) as latest
      group by number.to_number, latest.client_id
    )
    select asked.scope, hit.at
    from asked
      left join earlier on earlier.to_number = asked.to_number and earlier.client_id = asked.client_id
      cross join lateral (
        select at from (
          (select at from window_hit where scope = asked.scope and at > asked.hits_since order by at desc limit asked.most)
          union all
          (select at from unnest(earlier.times) as at where at > asked.since and at <= asked.hits_since
            order by at desc limit asked.most)
        ) as inside
        order by at desc offset asked.skipped limit asked.most - asked.skipped
      ) as hit
    order by asked.scope, hit.at desc`)
  const times = Map.groupBy(rows, (row) => row.scope)
  return new Map(
    asked.map(({ limit, skipped }) => {
      const hits = times.get(limit.scope)?.map((row) => row.at) ?? []
      return [limit.scope, { limit, skipped, times: hits }]
    }),
  )
}

export async function insertHits(tx: Tx, hits: Hit[]): Promise<void> {
  if (hits.length === 0) return
  await tx.query(sql`
    insert into window_hit (scope, at, id)
    select * from unnest(
      ${hits.map((it) => it.scope)}::text[], ${hits.map((it) => it.at)}::timestamptz[],
      ${hits.map((it) => it.messageId)}::uuid[])`)
}

/** When a code was last sent to each of these, whatever became of it. */
export async function loadCodeTimes(
  tx: Tx,
  scopes: { clientId: string; to: string; purpose: string }[],
): Promise<{ clientId: string; to: string; purpose: string; sentAt: Date }[]> {
  return tx.query(sql`
    select client_id as "clientId", to_number as to, purpose, sent_at as "sentAt" from otp_code
    where (client_id, to_number, purpose) in (
      select * from unnest(
        ${scopes.map((it) => it.clientId)}::uuid[], ${scopes.map((it) => it.to)}::text[],
        ${scopes.map((it) => it.purpose)}::text[]))`)
}

export async function countToday(
  tx: Tx,
  days: { clientId: string; day: string }[],
): Promise<{ clientId: string; messages: number }[]> {
  return tx.query(sql`
    select client_id as "clientId", sum(messages)::bigint as messages from usage_day
    where (client_id, day) in (
      select * from unnest(${days.map((it) => it.clientId)}::uuid[], ${days.map((it) => it.day)}::date[]))
    group by client_id`)
}

export interface NewMessages {
  messages: AcceptedMessage[]
  /** The ledger entry that pays for each of them; null where it costs nothing. */
  payments: (string | null)[]
  now: Date
}

/** The messages, and those that are to be sent into the queue as well. */
export async function insertMessages(tx: Tx, { messages, payments, now }: NewMessages): Promise<void> {
  if (messages.length === 0) return
  const queued = messages.filter((it) => it.destination !== null)
  // Unnested side by side in the list of columns: in `from`, each row would be stored and read again before it is inserted.
  await tx.query(sql`
    with queued as (
      insert into delivery_queue (message_id, destination, avoid_carrier_id, priority, workspace_id, client_id, due_at)
      select unnest(${queued.map((it) => it.request.messageId)}::uuid[]), unnest(${queued.map((it) => it.destination)}::text[]),
        '00000000-0000-0000-0000-000000000000', unnest(${queued.map((it) => priorityOf(it.type))}::smallint[]),
        unnest(${queued.map((it) => it.request.client.workspaceId)}::uuid[]),
        unnest(${queued.map((it) => it.request.client.id)}::uuid[]), ${now}::timestamptz
    )
    insert into message (
      id, workspace_id, client_id, to_number, country, sender, text, type, encoding, segments, cost_e4, reservation_id,
      status, rare_status, template_id, created_at, updated_at)
    select
      unnest(${messages.map((it) => it.request.messageId)}::uuid[]),
      unnest(${messages.map((it) => it.request.client.workspaceId)}::uuid[]),
      unnest(${messages.map((it) => it.request.client.id)}::uuid[]), unnest(${messages.map((it) => it.to)}::text[]),
      unnest(${messages.map((it) => it.country)}::text[]), unnest(${messages.map((it) => it.sender)}::text[]),
      unnest(${messages.map((it) => it.text)}::text[]), unnest(${messages.map((it) => it.type)}::text[]),
      unnest(${messages.map((it) => it.encoding)}::text[]), unnest(${messages.map((it) => it.segments)}::smallint[]),
      unnest(${messages.map((it) => it.costE4)}::bigint[]), unnest(${payments}::uuid[]),
      unnest(${messages.map((it) => it.status)}::text[]), unnest(${messages.map((it) => rareStatus(it.status))}::text[]),
      unnest(${messages.map((it) => it.templateId)}::uuid[]),
      ${now}::timestamptz, ${now}::timestamptz`)
}

/** Behind the lock of the workspace. */
export async function addUsage(tx: Tx, usage: Usage[]): Promise<void> {
  if (usage.length === 0) return
  await tx.query(sql`
    insert into usage_day as known (workspace_id, client_id, day, type, messages, segments, cost_e4, refunds, refunded_e4)
    select * from unnest(
      ${usage.map((it) => it.workspaceId)}::uuid[], ${usage.map((it) => it.clientId)}::uuid[],
      ${usage.map((it) => it.day)}::date[], ${usage.map((it) => it.type)}::text[],
      ${usage.map((it) => it.messages)}::bigint[], ${usage.map((it) => it.segments)}::bigint[],
      ${usage.map((it) => it.costE4)}::bigint[], ${usage.map((it) => it.refunds)}::bigint[],
      ${usage.map((it) => it.refundedE4)}::bigint[])
    on conflict (client_id, day, type) do update set
      messages = known.messages + excluded.messages, segments = known.segments + excluded.segments,
      cost_e4 = known.cost_e4 + excluded.cost_e4, refunds = known.refunds + excluded.refunds,
      refunded_e4 = known.refunded_e4 + excluded.refunded_e4`)
}

export interface NewCode {
  clientId: string
  to: string
  purpose: string
  otpId: string
  messageId: string
  keyId: string
  codeHash: Buffer
  /** null in test mode, where nothing waits for delivery. */
  sealedText: Buffer | null
}

/** D22: a new code replaces the one before it in its scope, tries and all. */
export async function storeCodes(
  tx: Tx,
  codes: NewCode[],
  { now, expiresAt }: { now: Date; expiresAt: Date },
): Promise<void> {
  if (codes.length === 0) return
  const sealed = codes.filter((it) => it.sealedText !== null)
  await Promise.all([
    tx.query(sql`
      insert into otp_code (client_id, to_number, purpose, otp_id, message_id, key_id, code_hash, sent_at, expires_at)
      select *, ${now}::timestamptz, ${expiresAt}::timestamptz from unnest(
        ${codes.map((it) => it.clientId)}::uuid[], ${codes.map((it) => it.to)}::text[],
        ${codes.map((it) => it.purpose)}::text[], ${codes.map((it) => it.otpId)}::uuid[],
        ${codes.map((it) => it.messageId)}::uuid[], ${codes.map((it) => it.keyId)}::text[],
        ${codes.map((it) => it.codeHash)}::bytea[])
      on conflict (client_id, to_number, purpose) do update set
        otp_id = excluded.otp_id, message_id = excluded.message_id, key_id = excluded.key_id,
        code_hash = excluded.code_hash, sent_at = excluded.sent_at, expires_at = excluded.expires_at,
        wrong_tries = 0, used_at = null`),
    tx.query(sql`
      insert into sealed_text (message_id, sealed, expires_at)
      select *, ${expiresAt}::timestamptz from unnest(
        ${sealed.map((it) => it.messageId)}::uuid[], ${sealed.map((it) => it.sealedText)}::bytea[])`),
  ])
}

/** The approved templates of workspaces whose compiled set is out of date. */
export function loadApprovedTemplates(tx: Tx, workspaceIds: string[]) {
  return tx.query<{ id: string; workspaceId: string; name: string; type: MessageType; text: string }>(sql`
    select id, workspace_id as "workspaceId", name, type, text from template
    where workspace_id = any(${workspaceIds}::uuid[]) and status = 'approved'`)
}

/** Which of these messages are stored: the judge after an answer to COMMIT was lost. */
export async function findStored(db: Queries, messageIds: string[]): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(sql`select id from message where id = any(${messageIds}::uuid[])`)
  return new Set(rows.map((row) => row.id))
}
