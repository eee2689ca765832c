// OTPs sent, delivered and verified, by operator prefix and by the day of sending in the workspace's time zone.
import { splitNumber } from '../../domain/codes/pumping.ts'
import type { Queries, Tx } from '../database/db.ts'
import { fragment, sql } from '../database/sql.ts'
import { MAX_ROWS_SCANNED } from '../pages.ts'
import type { DayRange } from '../workspaces/usage.ts'
import type { OtpSend } from './pumping.ts'

type CodeStage = 'sent' | 'delivered' | 'verified'
type CodeCounts = Record<CodeStage, number>

const stageSums = fragment`
  coalesce(sum(codes) filter (where stage = 'sent'), 0)::bigint as sent,
  coalesce(sum(codes) filter (where stage = 'delivered'), 0)::bigint as delivered,
  coalesce(sum(codes) filter (where stage = 'verified'), 0)::bigint as verified`

export async function addSentCodes(tx: Tx, sends: OtpSend[], now: Date): Promise<void> {
  if (sends.length === 0) return
  const counts = new Map<string, { workspaceId: string; prefix: string; codes: number }>()
  for (const { workspaceId, to } of sends) {
    const { prefix } = splitNumber(to)
    counts.getOrInsertComputed(`${workspaceId} ${prefix}`, () => ({ workspaceId, prefix, codes: 0 })).codes += 1
  }
  const rows = [...counts.values()]
  await tx.query(sql`
    insert into otp_day as known (workspace_id, day, operator_prefix, stage, codes)
    select workspace.id, (${now}::timestamptz at time zone workspace.time_zone)::date, coalesce(sent.prefix, ''), 'sent', sum(codes)
    from unnest(
        ${rows.map((it) => it.workspaceId)}::uuid[], ${rows.map((it) => it.prefix)}::text[],
        ${rows.map((it) => it.codes)}::bigint[]) as sent (workspace_id, prefix, codes)
      join workspace on workspace.id = sent.workspace_id
    group by grouping sets ((workspace.id, workspace.time_zone), (workspace.id, workspace.time_zone, sent.prefix))
    on conflict (workspace_id, day, operator_prefix, stage) do update set codes = known.codes + excluded.codes`)
}

/** Counts OTPs that have reached a stage, each once. Other messages and tests have no row in otp_send_stat, so they do not count (D33). */
export async function addCodeDays(tx: Tx, stage: Exclude<CodeStage, 'sent'>, messageIds: string[]): Promise<void> {
  if (messageIds.length === 0) return
  // Rows are locked in one order, after all other locks of a batch, which prevents deadlocks.
  await tx.query(sql`
    insert into otp_day as known (workspace_id, day, operator_prefix, stage, codes)
    select workspace_id, day, coalesce(operator_prefix, '') as prefix, ${stage}, count(*)
    from (
      select client.workspace_id, (stat.sent_at at time zone workspace.time_zone)::date as day, stat.operator_prefix
      from otp_send_stat stat
        join client on client.id = stat.client_id
        join workspace on workspace.id = client.workspace_id
      where stat.id = any(${messageIds}::uuid[])
    ) as reached
    group by grouping sets ((workspace_id, day), (workspace_id, day, operator_prefix))
    order by workspace_id, day, prefix
    on conflict (workspace_id, day, operator_prefix, stage) do update set codes = known.codes + excluded.codes`)
}

/** Days without an OTP are left out. Reads three rows per day, at any number of prefixes. */
export function listCodeDays(
  db: Queries,
  { workspaceId, from, to }: DayRange,
): Promise<({ day: string } & CodeCounts)[]> {
  return db.query(sql`
    select day, ${stageSums} from otp_day
    where workspace_id = ${workspaceId} and operator_prefix = '' and day between ${from} and ${to}
    group by day order by day`)
}

/** Most OTPs first. If the days have more rows than a page may scan (D43), `since` is the first day that was scanned completely. */
export async function listCodePrefixes(
  db: Queries,
  { workspaceId, from, to, limit }: DayRange & { limit: number },
): Promise<{ since: string | null; prefixes: ({ prefix: string } & CodeCounts)[] }> {
  const rows = await db.query<{ since: string | null; prefix: string } & CodeCounts>(sql`
    with looked as materialized (
      select day, operator_prefix, stage, codes from otp_day
      where workspace_id = ${workspaceId} and day between ${from} and ${to} and operator_prefix <> ''
      order by day desc limit ${MAX_ROWS_SCANNED}
    ), far as materialized (
      select case when count(*) = ${MAX_ROWS_SCANNED} then least(min(day) + 1, max(day)) end as since from looked
    )
    select far.since, operator_prefix as prefix, ${stageSums}
    from looked, far where far.since is null or day >= far.since
    group by far.since, operator_prefix order by sent desc, prefix limit ${limit}`)
  const prefixes = rows.map(({ prefix, sent, delivered, verified }) => ({ prefix, sent, delivered, verified }))
  return { since: rows[0]?.since ?? null, prefixes }
}
