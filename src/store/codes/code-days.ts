// OTPs sent, delivered and verified, by operator prefix and by the day of sending in the workspace's time zone.
import { splitNumber } from '../../domain/codes/pumping.ts'
import type { Queries, Tx } from '../database/db.ts'
import { every, type Fragment, fragment, sql } from '../database/sql.ts'
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

interface CodeRange extends Omit<DayRange, 'workspaceId'> {
  /** null: all workspaces, whose days are each in its own time zone. */
  workspaceId: string | null
}

/** D43: the scan of all workspaces is for the operator only. */
export const MAX_SERVICE_ROWS_SCANNED = 100_000

/** `since` is the first day that was scanned completely, if the days have more rows than a scan may read. */
function scanDays({ workspaceId, from, to }: CodeRange, rows: Fragment): Fragment {
  const most = workspaceId === null ? MAX_SERVICE_ROWS_SCANNED : MAX_ROWS_SCANNED
  const which = every([
    workspaceId === null ? null : fragment`workspace_id = ${workspaceId}`,
    fragment`day between ${from} and ${to}`,
    rows,
  ])
  return fragment`
    looked as materialized (
      select workspace_id, day, operator_prefix, stage, codes from otp_day where ${which} order by day desc limit ${most}
    ), far as materialized (
      select case when count(*) = ${most} then least(min(day) + 1, max(day)) end as since from looked
    )`
}

const wholeDays = fragment`operator_prefix = ''`
const isComplete = fragment`(far.since is null or day >= far.since)`

interface ScannedCodes<Row> {
  since: string | null
  rows: (Row & CodeCounts)[]
}

function scannedCodes<Row>(rows: ({ since: string | null } & Row & CodeCounts)[]): ScannedCodes<Row> {
  return { since: rows[0]?.since ?? null, rows }
}

/** In order. Days without an OTP are left out. Reads three rows per day and workspace, at any number of prefixes. */
export async function listCodeDays(db: Queries, range: CodeRange): Promise<ScannedCodes<{ day: string }>> {
  return scannedCodes(
    await db.query(sql`
      with ${scanDays(range, wholeDays)}
      select far.since, day, ${stageSums} from looked, far where ${isComplete} group by far.since, day order by day`),
  )
}

/** Most OTPs first. */
export async function listCodePrefixes(
  db: Queries,
  { limit, ...range }: CodeRange & { limit: number },
): Promise<ScannedCodes<{ prefix: string }>> {
  return scannedCodes(
    await db.query(sql`
      with ${scanDays(range, fragment`operator_prefix <> ''`)}
      select far.since, operator_prefix as prefix, ${stageSums}
      from looked, far where ${isComplete}
      group by far.since, operator_prefix order by sent desc, prefix limit ${limit}`),
  )
}

interface WorkspaceCodes {
  workspaceId: string
  workspaceName: string
  /** By the fraud guard, of the latest MAX_ROWS_SCANNED fraud events. */
  refused: number
}

/** Most OTPs first. */
export async function listCodeWorkspaces(
  db: Queries,
  { limit, ...days }: Omit<CodeRange, 'workspaceId'> & { limit: number },
): Promise<ScannedCodes<WorkspaceCodes>> {
  return scannedCodes(
    await db.query(sql`
      with ${scanDays({ workspaceId: null, ...days }, wholeDays)}, guarded as (
        select workspace_id, sum(refused)::bigint as refused from (
          select workspace_id, refused from pumping_finding
          where struck_at >= coalesce((select since from far), ${days.from}::date) and struck_at < ${days.to}::date + 1
          order by struck_at desc limit ${MAX_ROWS_SCANNED}
        ) as latest group by workspace_id
      ), sums as (
        select far.since, workspace_id, ${stageSums} from looked, far where ${isComplete}
        group by far.since, workspace_id order by sent desc, workspace_id limit ${limit}
      )
      select since, workspace_id as "workspaceId", workspace.name as "workspaceName", sent, delivered, verified,
        coalesce(refused, 0) as refused
      from sums join workspace on workspace.id = workspace_id left join guarded using (workspace_id)
      order by sent desc, workspace_id`),
  )
}

/** The latest day with an OTP, which can be a day after today in UTC. */
export async function findLatestCodeDay(db: Queries): Promise<string | null> {
  const [row] = await db.query<{ day: string | null }>(sql`select max(day) as day from otp_day where ${wholeDays}`)
  return row?.day ?? null
}
