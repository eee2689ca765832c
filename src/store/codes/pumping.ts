// Data of the OTP fraud guard (D33): bounded, indexed reads of a client's own sends.
import {
  type CloseFacts,
  type GuardWindows,
  type Hold,
  type NewHold,
  type PumpingFinding,
  type Rule,
  splitNumber,
  type WideFacts,
} from '../../domain/codes/pumping.ts'
import type { Ids } from '../../runtime/ids.ts'
import type { Queries, Tx } from '../database/db.ts'
import { every, fragment, sql } from '../database/sql.ts'
import { idBelow, type Page } from '../pages.ts'

export interface OtpSend {
  messageId: string
  workspaceId: string
  clientId: string
  to: string
}

interface CloseRow extends Pick<CloseFacts, 'isTrusted' | 'nearby' | 'nearbyVerified'> {
  messageId: string
  block: number
  blockVerified: number
  prefixSends: number
  prefixVerified: number
  blockHold: HoldJson | null
  prefixHold: HoldJson | null
}

/** JSON has times as strings. */
interface HoldJson extends Omit<Hold, 'struckAt' | 'until'> {
  struckAt: string
  until: string
}

/** By message id. */
export async function loadCloseFacts(
  db: Queries,
  sends: OtpSend[],
  windows: GuardWindows,
): Promise<Map<string, CloseFacts>> {
  const scopes = sends.map((send) => splitNumber(send.to))
  const rows = await db.query<CloseRow>(sql`
    select requested.message_id as "messageId",
      exists (
        select from verified_number v
        where v.workspace_id = requested.workspace_id and v.to_number = requested.to_number
          and v.verified_at > ${windows.trustedSince}
      ) as "isTrusted",
      near.last_fours as nearby, near.verified::int as "nearbyVerified",
      near_block.numbers::int as block, near_block.verified::int as "blockVerified",
      hours.sends::int as "prefixSends", hours.verified::int as "prefixVerified",
      block_hold.hold as "blockHold", prefix_hold.hold as "prefixHold"
    from unnest(
        ${sends.map((it) => it.messageId)}::uuid[], ${sends.map((it) => it.workspaceId)}::uuid[],
        ${sends.map((it) => it.clientId)}::uuid[], ${sends.map((it) => it.to)}::text[],
        ${scopes.map((it) => it.prefix)}::text[], ${scopes.map((it) => it.block)}::text[],
        ${scopes.map((it) => it.lastFour)}::int[]
      ) as requested (message_id, workspace_id, client_id, to_number, prefix, block, last_four)
      cross join lateral (
        select coalesce(array_agg(distinct last_four), '{}') as last_fours,
          count(distinct last_four) filter (where verified_at is not null) as verified
        from (
          select last_four, verified_at from otp_send_stat s
          where s.client_id = requested.client_id and s.block = requested.block and s.sent_at > ${windows.neighboursSince} and not s.failed
            and s.last_four between requested.last_four - ${windows.nearby}::int and requested.last_four + ${windows.nearby}::int
            and s.to_number <> requested.to_number
          order by s.sent_at desc limit ${windows.maxNumbers}
        ) as latest
      ) as near
      cross join lateral (
        select count(distinct to_number) as numbers, count(distinct to_number) filter (where verified_at is not null) as verified
        from (
          select to_number, verified_at from otp_send_stat s
          where s.client_id = requested.client_id and s.block = requested.block and s.sent_at > ${windows.lastHourSince} and not s.failed
            and (s.verified_at is not null or s.sent_at <= ${windows.maturedBy})
          order by s.sent_at desc limit ${windows.maxNumbers}
        ) as latest
      ) as near_block
      cross join lateral (
        select coalesce(sum(sends), 0) as sends, coalesce(sum(verified), 0) as verified from otp_hour h
        where h.client_id = requested.client_id and h.operator_prefix = requested.prefix and h.hour > ${windows.sumsSince}
      ) as hours
      left join lateral (
        select json_build_object('scope', scope, 'rule', rule, 'reason', reason, 'strikes', strikes,
          'struckAt', struck_at, 'until', held_until) as hold
        from pumping_hold p where p.client_id = requested.client_id and p.scope = requested.block
      ) as block_hold on true
      left join lateral (
        select json_build_object('scope', scope, 'rule', rule, 'reason', reason, 'strikes', strikes,
          'struckAt', struck_at, 'until', held_until) as hold
        from pumping_hold p where p.client_id = requested.client_id and p.scope = requested.prefix
      ) as prefix_hold on true`)
  return new Map(rows.map((row) => [row.messageId, toCloseFacts(row)]))
}

function toCloseFacts(row: CloseRow): CloseFacts {
  return {
    isTrusted: row.isTrusted,
    nearby: row.nearby,
    nearbyVerified: row.nearbyVerified,
    block: { numbers: row.block, verified: row.blockVerified },
    prefixSums: { sends: row.prefixSends, verified: row.prefixVerified },
    blockHold: row.blockHold && parseHold(row.blockHold),
    prefixHold: row.prefixHold && parseHold(row.prefixHold),
  }
}

function parseHold({ struckAt, until, ...hold }: HoldJson): Hold {
  return { ...hold, struckAt: new Date(struckAt), until: new Date(until) }
}

interface WideScope {
  clientId: string
  prefix: string
}

export function wideScopeKey({ clientId, prefix }: WideScope): string {
  return `${clientId}:${prefix}`
}

interface WideRow extends WideScope {
  numbers: number
  verified: number
  elsewhere: number
  elsewhereVerified: number
  sendsInHour: number
  sendsUsual: number
  normal: number
  normalVerified: number
}

/** By client and prefix. One statement for all scopes, because an attacker controls how many are suspect at once. */
export async function loadWideFacts(
  db: Queries,
  scopes: WideScope[],
  windows: GuardWindows,
): Promise<Map<string, WideFacts>> {
  const requested = [...new Map(scopes.map((scope) => [wideScopeKey(scope), scope])).values()]
  const rows = await db.query<WideRow>(sql`
    select requested.client_id as "clientId", requested.prefix,
      here.numbers::int, here.verified::int,
      elsewhere.numbers::int as elsewhere, elsewhere.verified::int as "elsewhereVerified",
      last_hour.sends::int as "sendsInHour", sums.usual as "sendsUsual",
      sums.normal, sums.normal_verified as "normalVerified"
    from unnest(${requested.map((it) => it.clientId)}::uuid[], ${requested.map((it) => it.prefix)}::text[]) as requested (client_id, prefix)
      cross join lateral (
        select count(distinct to_number) as numbers, count(distinct to_number) filter (where verified_at is not null) as verified
        from (
          select to_number, verified_at from otp_send_stat s
          where s.client_id = requested.client_id and s.operator_prefix = requested.prefix and s.sent_at > ${windows.lastHourSince}
            and not s.failed and (s.verified_at is not null or s.sent_at <= ${windows.maturedBy})
          order by s.sent_at desc limit ${windows.maxNumbers}
        ) as latest
      ) as here
      cross join lateral (
        select count(distinct to_number) as numbers, count(distinct to_number) filter (where verified_at is not null) as verified
        from (
          select to_number, verified_at from (
            select to_number, operator_prefix, verified_at from otp_send_stat s
            where s.client_id = requested.client_id and s.sent_at > ${windows.lastHourSince} and not s.failed
              and (s.verified_at is not null or s.sent_at <= ${windows.maturedBy})
            order by s.sent_at desc limit ${windows.maxSends}
          ) as latest
          where operator_prefix <> requested.prefix limit ${windows.maxNumbers}
        ) as latest_elsewhere
      ) as elsewhere
      cross join lateral (
        select count(*) as sends from (
          select from otp_send_stat s
          where s.client_id = requested.client_id and s.operator_prefix = requested.prefix and s.sent_at > ${windows.lastHourSince}
          limit ${windows.maxSends}
        ) as sent
      ) as last_hour
      cross join lateral (
        select coalesce(sum(sends) filter (where operator_prefix = requested.prefix), 0)::int as usual,
          coalesce(sum(sends), 0)::int as normal, coalesce(sum(verified), 0)::int as normal_verified
        from otp_hour h
        where h.client_id = requested.client_id and h.hour > ${windows.usualSince} and h.hour <= ${windows.sumsSince}
      ) as sums`)
  return new Map(
    rows.map((row) => [
      wideScopeKey(row),
      {
        prefix: { numbers: row.numbers, verified: row.verified },
        elsewhere: { numbers: row.elsewhere, verified: row.elsewhereVerified },
        normal: { numbers: row.normal, verified: row.normalVerified },
        sendsInHour: row.sendsInHour,
        sendsUsual: row.sendsUsual,
      },
    ]),
  )
}

export async function insertOtpStats(tx: Tx, sends: OtpSend[], now: Date): Promise<void> {
  if (sends.length === 0) return
  const scopes = sends.map((send) => splitNumber(send.to))
  await Promise.all([
    tx.query(sql`
      insert into otp_send_stat (id, client_id, to_number, operator_prefix, block, last_four, sent_at)
      select *, ${now}::timestamptz from unnest(
        ${sends.map((it) => it.messageId)}::uuid[], ${sends.map((it) => it.clientId)}::uuid[],
        ${sends.map((it) => it.to)}::text[], ${scopes.map((it) => it.prefix)}::text[],
        ${scopes.map((it) => it.block)}::text[], ${scopes.map((it) => it.lastFour)}::smallint[])`),
    tx.query(sql`
      insert into otp_hour as known (client_id, operator_prefix, hour, sends)
      select client_id, prefix, date_trunc('hour', ${now}::timestamptz, 'UTC'), count(*)
      from unnest(${sends.map((it) => it.clientId)}::uuid[], ${scopes.map((it) => it.prefix)}::text[]) as sent (client_id, prefix)
      group by client_id, prefix order by client_id, prefix
      on conflict (client_id, operator_prefix, hour) do update set sends = known.sends + excluded.sends`),
  ])
}

/** Records verified OTPs, which the guard compares with sends. A verification counts for the hour of its send. */
export async function markVerified(tx: Tx, messageIds: string[], now: Date): Promise<void> {
  if (messageIds.length === 0) return
  await tx.query(sql`
    with stat as (
      update otp_send_stat set verified_at = ${now}
      where id = any(${messageIds}::uuid[]) and verified_at is null
      returning client_id, to_number, operator_prefix, date_trunc('hour', sent_at, 'UTC') as hour
    ), hours as (
      insert into otp_hour as known (client_id, operator_prefix, hour, verified)
      select client_id, operator_prefix, hour, count(*) from stat group by 1, 2, 3 order by 1, 2, 3
      on conflict (client_id, operator_prefix, hour) do update set verified = known.verified + excluded.verified
    )
    insert into verified_number (workspace_id, to_number, verified_at)
    select distinct client.workspace_id, stat.to_number, ${now}::timestamptz
    from stat join client on client.id = stat.client_id order by 1, 2
    on conflict (workspace_id, to_number) do update set verified_at = excluded.verified_at`)
}

export async function storeHolds(tx: Tx, holds: NewHold[]): Promise<void> {
  if (holds.length === 0) return
  const distinct = [...new Map(holds.map((hold) => [`${hold.clientId}:${hold.scope}`, hold])).values()]
  await tx.query(sql`
    insert into pumping_hold (client_id, scope, rule, reason, mode, strikes, struck_at, held_until)
    select * from unnest(
      ${distinct.map((it) => it.clientId)}::uuid[], ${distinct.map((it) => it.scope)}::text[],
      ${distinct.map((it) => it.rule)}::text[], ${distinct.map((it) => it.reason)}::text[],
      ${distinct.map((it) => it.mode)}::text[], ${distinct.map((it) => it.strikes)}::int[],
      ${distinct.map((it) => it.struckAt)}::timestamptz[], ${distinct.map((it) => it.until)}::timestamptz[])
    on conflict (client_id, scope) do update set
      rule = excluded.rule, reason = excluded.reason, mode = excluded.mode, strikes = excluded.strikes,
      struck_at = excluded.struck_at, held_until = excluded.held_until`)
}

/** Each hold has one finding, which counts all of its OTPs. Requires the lock on the workspace. */
export async function storeFindings(tx: Tx, findings: PumpingFinding[], ids: Ids): Promise<void> {
  if (findings.length === 0) return
  await tx.query(sql`
    insert into pumping_finding as known (
      id, workspace_id, client_id, scope, rule, reason, strikes, struck_at, held_until, refused, passed)
    select * from unnest(
      ${findings.map(() => ids.next())}::uuid[], ${findings.map((it) => it.workspaceId)}::uuid[],
      ${findings.map((it) => it.clientId)}::uuid[], ${findings.map((it) => it.scope)}::text[],
      ${findings.map((it) => it.rule)}::text[], ${findings.map((it) => it.reason)}::text[],
      ${findings.map((it) => it.strikes)}::int[], ${findings.map((it) => it.struckAt)}::timestamptz[],
      ${findings.map((it) => it.until)}::timestamptz[], ${findings.map((it) => it.refused)}::bigint[],
      ${findings.map((it) => it.passed)}::bigint[])
    on conflict (client_id, scope, struck_at) do update set
      refused = known.refused + excluded.refused, passed = known.passed + excluded.passed`)
}

export interface StoredFinding extends PumpingFinding {
  id: string
  clientName: string
  workspaceName: string
}

/** Newest first. Without a workspace, of all workspaces. */
export function listFindings(
  db: Queries,
  { workspaceId, before, limit }: Page & { workspaceId: string | null },
): Promise<StoredFinding[]> {
  const which = every([workspaceId === null ? null : fragment`workspace_id = ${workspaceId}`, idBelow(before)])
  return db.query<StoredFinding>(sql`
    select finding.id, finding.workspace_id as "workspaceId", workspace.name as "workspaceName", client_id as "clientId",
      client.name as "clientName", scope, rule, reason, strikes, struck_at as "struckAt", held_until as until, refused, passed
    from (select * from pumping_finding where ${which} order by id desc limit ${limit}) as finding
      join client on client.id = client_id join workspace on workspace.id = finding.workspace_id
    order by finding.id desc`)
}

interface StoredPumpingHold {
  scope: string
  rule: Rule
  reason: string
  mode: 'monitor' | 'block'
  strikes: number
  struckAt: Date
  heldUntil: Date
}

/** Newest first. */
export function listHolds(
  db: Queries,
  { clientId, limit }: { clientId: string } & Pick<Page, 'limit'>,
): Promise<StoredPumpingHold[]> {
  return db.query<StoredPumpingHold>(sql`
    select scope, rule, reason, mode, strikes, struck_at as "struckAt", held_until as "heldUntil"
    from pumping_hold where client_id = ${clientId} order by struck_at desc, scope limit ${limit}`)
}
