// What the pumping guard reads and remembers (D33): bounded, indexed reads of a client's own sends.
import type { Conversion, Hold, NewHold, PumpingFacts, PumpingLook } from '../domain/pumping.ts'
import { scopesOf } from '../domain/pumping.ts'
import type { Queries, Tx } from './db.ts'
import { sql } from './sql.ts'
import type { Page } from './workspaces.ts'

export interface OtpSend {
  messageId: string
  workspaceId: string
  clientId: string
  to: string
}

const MATURED_SECONDS = 120
const MOST_NUMBERS = 500

interface CloseRow {
  messageId: string
  isTrusted: boolean
  /** The last four digits of each. */
  nearby: number[]
  nearbyVerified: number
  block: number
  blockVerified: number
  prefixSends: number
  prefixVerified: number
  blockHold: StoredHold | null
  prefixHold: StoredHold | null
}

interface StoredHold extends Omit<Hold, 'struckAt' | 'until'> {
  struckAt: string
  until: string
}

/**
 * By message: the facts about each send, closest first: what lies further away (the prefix, the client's other traffic) is read only
 * for a send that the sums of the last two hours, or its own neighbourhood, make doubtful, and once for all sends that share it.
 */
export async function lookForPumping(db: Queries, sends: OtpSend[], now: Date): Promise<Map<string, PumpingLook>> {
  const close = new Map((await loadClose(db, sends, now)).map((row) => [row.messageId, row]))
  const looks = sends.map((send) => {
    const row = close.get(send.messageId)
    if (!row) throw new Error('a send has no facts')
    return { send, row, scope: { clientId: send.clientId, prefix: scopesOf(send.to).prefix } }
  })
  const doubtful = looks.filter(({ row }) => isDoubtful(row, now)).map(({ scope }) => scope)
  const wide = doubtful.length > 0 ? await loadWide(db, doubtful, now) : new Map<string, Wide>()
  return new Map(
    looks.map(({ send, row, scope }) => {
      const facts = { to: send.to, at: now, ...closeFacts(row), ...(wide.get(wideName(scope)) ?? NOTHING_WIDE) }
      return [send.messageId, { clientId: send.clientId, facts, nearby: new Set(row.nearby) }]
    }),
  )
}

function closeFacts(row: CloseRow) {
  return {
    isTrusted: row.isTrusted,
    neighbours: { numbers: row.nearby.length, verified: row.nearbyVerified },
    block: { numbers: row.block, verified: row.blockVerified },
    blockHold: row.blockHold && revive(row.blockHold),
    prefixHold: row.prefixHold && revive(row.prefixHold),
  }
}

const NONE: Conversion = { numbers: 0, verified: 0 }
type Wide = Pick<PumpingFacts, 'prefix' | 'prefixSends' | 'elsewhere' | 'normal'>
const NOTHING_WIDE: Wide = {
  prefix: NONE,
  prefixSends: { lastHour: 0, usualPerHour: 0 },
  elsewhere: NONE,
  normal: NONE,
}

/** Looser than every rule on purpose: it only spares the wider reads where no rule could speak, or none needs to. */
function isDoubtful(row: CloseRow, now: Date): boolean {
  const isHeld = [row.blockHold, row.prefixHold].some((hold) => hold !== null && new Date(hold.until) > now)
  const closeBy = row.nearby.length >= 5 || row.block >= 8
  // The sums are of two hours of the clock, so not the share tells: of 100 numbers of the last hour, 91 were not verified.
  const surge = row.prefixSends >= 100 && row.prefixSends - row.prefixVerified > 90
  return !row.isTrusted && !isHeld && (closeBy || surge)
}

function revive({ struckAt, until, ...hold }: StoredHold): Hold {
  return { ...hold, struckAt: new Date(struckAt), until: new Date(until) }
}

function ago(now: Date, seconds: number): Date {
  return new Date(now.getTime() - seconds * 1000)
}

function loadClose(db: Queries, sends: OtpSend[], now: Date): Promise<CloseRow[]> {
  const scopes = sends.map((send) => scopesOf(send.to))
  return db.query<CloseRow>(sql`
    select asked.message_id as "messageId",
      exists (
        select from verified_number v
        where v.workspace_id = asked.workspace_id and v.to_number = asked.to_number
          and v.verified_at > ${ago(now, 90 * 86_400)}
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
      ) as asked (message_id, workspace_id, client_id, to_number, prefix, block, last_four)
      cross join lateral (
        select coalesce(array_agg(distinct last_four), '{}') as last_fours,
          count(distinct last_four) filter (where verified_at is not null) as verified
        from (
          select last_four, verified_at from otp_send_stat s
          where s.client_id = asked.client_id and s.block = asked.block and s.sent_at > ${ago(now, 600)} and not s.failed
            and s.last_four between asked.last_four - 50 and asked.last_four + 50 and s.to_number <> asked.to_number
          order by s.sent_at desc limit ${MOST_NUMBERS}
        ) as latest
      ) as near
      cross join lateral (
        select count(distinct to_number) as numbers, count(distinct to_number) filter (where verified_at is not null) as verified
        from (
          select to_number, verified_at from otp_send_stat s
          where s.client_id = asked.client_id and s.block = asked.block and s.sent_at > ${ago(now, 3600)} and not s.failed
            and (s.verified_at is not null or s.sent_at <= ${ago(now, MATURED_SECONDS)})
          order by s.sent_at desc limit ${MOST_NUMBERS}
        ) as latest
      ) as near_block
      cross join lateral (
        select coalesce(sum(sends), 0) as sends, coalesce(sum(verified), 0) as verified from otp_hour h
        where h.client_id = asked.client_id and h.operator_prefix = asked.prefix and h.hour > ${ago(now, 7200)}
      ) as hours
      left join lateral (
        select json_build_object('scope', scope, 'rule', rule, 'reason', reason, 'strikes', strikes,
          'struckAt', struck_at, 'until', held_until) as hold
        from pumping_hold p where p.client_id = asked.client_id and p.scope = asked.block
      ) as block_hold on true
      left join lateral (
        select json_build_object('scope', scope, 'rule', rule, 'reason', reason, 'strikes', strikes,
          'struckAt', struck_at, 'until', held_until) as hold
        from pumping_hold p where p.client_id = asked.client_id and p.scope = asked.prefix
      ) as prefix_hold on true`)
}

interface WideScope {
  clientId: string
  prefix: string
}

function wideName({ clientId, prefix }: WideScope): string {
  return `${clientId}:${prefix}`
}

interface WideRow extends WideScope {
  numbers: number
  verified: number
  elsewhere: number
  elsewhereVerified: number
  lastHour: number
  usual: number
  normal: number
  normalVerified: number
}

/** Where a client sends much, its latest sends tell: so many of the last hour are looked through for other prefixes. */
const MOST_SENDS = 10_000

/** By client and prefix, all in one statement: how many are doubtful at once is up to whoever attacks. */
async function loadWide(db: Queries, scopes: WideScope[], now: Date): Promise<Map<string, Wide>> {
  const asked = [...new Map(scopes.map((scope) => [wideName(scope), scope])).values()]
  const rows = await db.query<WideRow>(sql`
    select asked.client_id as "clientId", asked.prefix,
      here.numbers::int, here.verified::int,
      elsewhere.numbers::int as elsewhere, elsewhere.verified::int as "elsewhereVerified",
      last_hour.sends::int as "lastHour", sums.usual, sums.normal, sums.normal_verified as "normalVerified"
    from unnest(${asked.map((it) => it.clientId)}::uuid[], ${asked.map((it) => it.prefix)}::text[]) as asked (client_id, prefix)
      cross join lateral (
        select count(distinct to_number) as numbers, count(distinct to_number) filter (where verified_at is not null) as verified
        from (
          select to_number, verified_at from otp_send_stat s
          where s.client_id = asked.client_id and s.operator_prefix = asked.prefix and s.sent_at > ${ago(now, 3600)}
            and not s.failed and (s.verified_at is not null or s.sent_at <= ${ago(now, MATURED_SECONDS)})
          order by s.sent_at desc limit ${MOST_NUMBERS}
        ) as latest
      ) as here
      cross join lateral (
        select count(distinct to_number) as numbers, count(distinct to_number) filter (where verified_at is not null) as verified
        from (
          select to_number, verified_at from (
            select to_number, operator_prefix, verified_at from otp_send_stat s
            where s.client_id = asked.client_id and s.sent_at > ${ago(now, 3600)} and not s.failed
              and (s.verified_at is not null or s.sent_at <= ${ago(now, MATURED_SECONDS)})
            order by s.sent_at desc limit ${MOST_SENDS}
          ) as latest
          where operator_prefix <> asked.prefix limit ${MOST_NUMBERS}
        ) as latest_elsewhere
      ) as elsewhere
      cross join lateral (
        select count(*) as sends from (
          select from otp_send_stat s
          where s.client_id = asked.client_id and s.operator_prefix = asked.prefix and s.sent_at > ${ago(now, 3600)}
          limit ${MOST_SENDS}
        ) as sent
      ) as last_hour
      cross join lateral (
        select coalesce(sum(sends) filter (where operator_prefix = asked.prefix), 0)::int as usual,
          coalesce(sum(sends), 0)::int as normal, coalesce(sum(verified), 0)::int as normal_verified
        from otp_hour h
        where h.client_id = asked.client_id and h.hour > ${ago(now, 7 * 86_400)} and h.hour <= ${ago(now, 7200)}
      ) as sums`)
  return new Map(
    rows.map((row) => [
      wideName(row),
      {
        prefix: { numbers: row.numbers, verified: row.verified },
        elsewhere: { numbers: row.elsewhere, verified: row.elsewhereVerified },
        prefixSends: { lastHour: row.lastHour, usualPerHour: row.usual / (7 * 24) },
        normal: { numbers: row.normal, verified: row.normalVerified },
      },
    ]),
  )
}

export async function insertOtpStats(tx: Tx, sends: OtpSend[], now: Date): Promise<void> {
  if (sends.length === 0) return
  const scopes = sends.map((send) => scopesOf(send.to))
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

/** The guard learns from conversions; a conversion counts for the hour of its send. */
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

export interface StoredPumpingHold {
  scope: string
  rule: string
  reason: string
  mode: 'monitor' | 'block'
  strikes: number
  struckAt: Date
  heldUntil: Date
}

/** The latest first; old ones are forgotten by the sweeper. */
export function listHolds(
  db: Queries,
  { clientId, limit }: { clientId: string } & Pick<Page, 'limit'>,
): Promise<StoredPumpingHold[]> {
  return db.query<StoredPumpingHold>(sql`
    select scope, rule, reason, mode, strikes, struck_at as "struckAt", held_until as "heldUntil"
    from pumping_hold where client_id = ${clientId} order by struck_at desc, scope limit ${limit}`)
}
