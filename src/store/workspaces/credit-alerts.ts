// The credit alerts of workspaces (D79, D85): the balances, whether the balance is below them, and whether they were announced.
import { CREDIT_ALERT_EVERY_MS } from '../../domain/workspaces/account.ts'
import type { Queries, Tx } from '../database/db.ts'
import { type Fragment, fragment, sql } from '../database/sql.ts'

/** In a new billing period the next request grants the monthly credit (D9). */
export function currentBalance(now: Date) {
  return fragment`case when period_ends_at <= ${now} then monthly_credit_e4 else balance_e4 end`
}

/** Requires the lock on the workspace. An alert that stays keeps its state; a new one begins with the last announcements of the workspace. */
export async function replaceAlerts(
  tx: Tx,
  { workspaceId, belowE4 }: { workspaceId: string; belowE4: readonly number[] },
): Promise<void> {
  // In the order of every transaction, which prevents deadlocks.
  await tx.query(sql`select from credit_alert where workspace_id = ${workspaceId} order by below_e4 for update`)
  await tx.query(sql`
    delete from credit_alert where workspace_id = ${workspaceId} and below_e4 <> all(${belowE4}::bigint[])`)
  await tx.query(sql`
    insert into credit_alert (workspace_id, below_e4, notified_at, posted_at)
    select ${workspaceId}, below_e4, notified_at, posted_at
    from unnest(${belowE4}::bigint[]) as wanted (below_e4)
      left join credit_alert_notice on workspace_id = ${workspaceId}
    order by below_e4 on conflict do nothing`)
}

export async function storeAlertClient(
  tx: Tx,
  { workspaceId, clientId }: { workspaceId: string; clientId: string | null },
): Promise<void> {
  if (clientId === null) await tx.query(sql`delete from credit_alert_webhook where workspace_id = ${workspaceId}`)
  else
    await tx.query(sql`
      insert into credit_alert_webhook (workspace_id, client_id) values (${workspaceId}, ${clientId})
      on conflict (workspace_id) do update set client_id = excluded.client_id`)
}

/** Marks alerts that the balance has crossed since the last call, in both directions. */
export async function markCrossings(tx: Tx, now: Date): Promise<void> {
  await tx.query(sql`
    with moved as materialized (
      select workspace_id, below_e4, ${currentBalance(now)} < below_e4 as is_below
      from credit_alert alert join workspace on workspace.id = workspace_id
      where (crossed_at is not null) <> (${currentBalance(now)} < below_e4)
      order by workspace_id, below_e4 for update of alert
    )
    update credit_alert set notify_after = null,
      -- Later than the last announcement, also by the clock of another process.
      crossed_at = case when is_below then
        greatest(${now}::timestamptz, greatest(notified_at, posted_at) + interval '1 millisecond') end
    from moved where credit_alert.workspace_id = moved.workspace_id and credit_alert.below_e4 = moved.below_e4`)
}

/** `announcedAt` is the column of one kind of announcement. */
function isDue(announcedAt: Fragment, now: Date): Fragment {
  const since = new Date(now.getTime() - CREDIT_ALERT_EVERY_MS)
  return fragment`
    crossed_at is not null and (${announcedAt} is null or ${announcedAt} < crossed_at and ${announcedAt} <= ${since})`
}

const MAX_POSTED_AT_ONCE = 500

export interface PostedAlert
  extends Pick<DueAlert, 'workspaceId' | 'workspaceName' | 'currency' | 'balanceE4' | 'belowE4'> {
  clientId: string
}

/** Marks crossed alerts as posted. Returns the lowest of each workspace that has a client for them. */
export function markPosted(tx: Tx, now: Date): Promise<PostedAlert[]> {
  return tx.query<PostedAlert>(sql`
    with due as materialized (
      select workspace_id, below_e4 from credit_alert alert
      where ${isDue(fragment`posted_at`, now)}
        and exists (select from credit_alert_webhook where workspace_id = alert.workspace_id)
      order by workspace_id, below_e4 limit ${MAX_POSTED_AT_ONCE} for update of alert
    ), posted as (
      update credit_alert set posted_at = greatest(crossed_at, ${now}::timestamptz)
      from due where credit_alert.workspace_id = due.workspace_id and credit_alert.below_e4 = due.below_e4
      returning credit_alert.workspace_id, credit_alert.below_e4, posted_at
    ), noticed as (
      insert into credit_alert_notice (workspace_id, posted_at)
      select workspace_id, max(posted_at) from posted group by workspace_id order by workspace_id
      on conflict (workspace_id) do update set posted_at = excluded.posted_at
    )
    select workspace_id as "workspaceId", client_id as "clientId", name as "workspaceName", currency,
      ${currentBalance(now)} as "balanceE4", below_e4 as "belowE4"
    from (select workspace_id, min(below_e4::bigint) as below_e4 from posted group by workspace_id) as lowest
      join credit_alert_webhook using (workspace_id) join workspace on workspace.id = workspace_id
    order by workspace_id`)
}

export interface DueAlert {
  workspaceId: string
  workspaceName: string
  currency: string
  balanceE4: number
  belowE4: number
  crossedAt: Date
  /** When the owners got the mail of the previous crossing. */
  previousAt: Date | null
}

/** The crossed alerts of the first workspace with a due mail, the lowest first. A workspace without owners has none. */
export function listDueAlerts(db: Queries, now: Date): Promise<DueAlert[]> {
  return db.query<DueAlert>(sql`
    with due as (
      select *, dense_rank() over (order by workspace_id) as rank from credit_alert
      where ${isDue(fragment`notified_at`, now)}
        and (notify_after is null or notify_after <= ${now})
        and exists (select from membership where workspace_id = credit_alert.workspace_id and role = 'owner')
    )
    select workspace_id as "workspaceId", name as "workspaceName", currency, ${currentBalance(now)} as "balanceE4",
      below_e4 as "belowE4", crossed_at as "crossedAt", notified_at as "previousAt"
    from due join workspace on workspace.id = workspace_id where rank = 1 order by below_e4`)
}

/** Stores when the owners were notified; `notifyAfter` delays a mail that could not be sent. */
export async function storeAlertNotices(
  tx: Tx,
  {
    workspaceId,
    notices,
    notifyAfter,
  }: { workspaceId: string; notices: { belowE4: number; at: Date | null }[]; notifyAfter: Date | null },
): Promise<void> {
  await tx.query(sql`
    update credit_alert set notified_at = notice.at, notify_after = ${notifyAfter}
    from (
      select alert.below_e4, notice.at
      from unnest(${notices.map((it) => it.belowE4)}::bigint[], ${notices.map((it) => it.at)}::timestamptz[]) as notice (below_e4, at)
        join credit_alert alert on alert.workspace_id = ${workspaceId} and alert.below_e4 = notice.below_e4
      order by alert.below_e4 for update of alert
    ) as notice
    where credit_alert.workspace_id = ${workspaceId} and credit_alert.below_e4 = notice.below_e4`)
  const times = notices.flatMap(({ at }) => at ?? [])
  const latest = times.length > 0 ? new Date(Math.max(...times.map(Number))) : null
  await tx.query(sql`
    insert into credit_alert_notice (workspace_id, notified_at) values (${workspaceId}, ${latest})
    on conflict (workspace_id) do update set notified_at = excluded.notified_at`)
}
