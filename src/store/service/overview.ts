// Bounded counts for the operator's overview page and for `doctor`.
import { lowestIdOf } from '../../runtime/ids.ts'
import type { Queries } from '../database/db.ts'
import { fragment, sql } from '../database/sql.ts'
import { isRetryQueued } from '../messages/delivery-queue.ts'
import { submittedSince } from '../messages/message-selection.ts'
import { currentBalance } from '../workspaces/credit-alerts.ts'

/** Enough to measure the rate of accepted messages. */
export const MAX_ACCEPTED_COUNTED = 5_000

/** `counted` excludes messages of test clients; `looked` is the number of rows read. */
export async function countRecentlyAccepted(
  db: Queries,
  since: Date,
): Promise<{ counted: number; looked: number; firstAt: Date | null }> {
  const [row] = await db.query<{ counted: number; looked: number; firstAt: Date | null }>(sql`
    select count(*) filter (where rare_status is distinct from 'test') as counted, count(*) as looked,
      min(created_at) as "firstAt"
    from (
      select created_at, rare_status from message where id >= ${lowestIdOf(since)} order by id desc limit ${MAX_ACCEPTED_COUNTED}
    ) as latest`)
  return row ?? { counted: 0, looked: 0, firstAt: null }
}

const MAX_WORKSPACES_LISTED = 20
const MAX_PENDING_COUNTED = 10_000

interface WorkspaceFacts {
  activeWorkspaces: number
  pendingTemplates: number
}

export async function countForDoctor(db: Queries): Promise<WorkspaceFacts> {
  const [row] = await db.query<WorkspaceFacts>(sql`
    select (select count(*) from workspace where status = 'active') as "activeWorkspaces", (
      select count(*) from (select from template where status = 'pending' limit ${MAX_PENDING_COUNTED}) as counted
    ) as "pendingTemplates"`)
  return row ?? { activeWorkspaces: 0, pendingTemplates: 0 }
}

interface LowCredit {
  id: string
  name: string
  isEmpty: boolean
}

/** Active workspaces with balance 0, then below their alert. */
export function listWorkspacesLowOnCredit(db: Queries, now: Date): Promise<LowCredit[]> {
  return db.query<LowCredit>(sql`
    select id, name, current_e4 = 0 as "isEmpty"
    from workspace cross join lateral (
      select ${currentBalance(now)} as current_e4,
        (select max(below_e4) from credit_alert where workspace_id = workspace.id) as highest_alert_e4
    ) as balance
    where status = 'active' and (current_e4 = 0 or current_e4 < highest_alert_e4)
    order by current_e4 = 0 desc, id desc limit ${MAX_WORKSPACES_LISTED}`)
}

const MAX_UNKNOWN_COUNTED = 10_000

interface InDoubt {
  messages: number
  /** When the first of these messages was submitted. */
  since: Date
}

/** By carrier: messages outside the queue with an unknown outcome (D15). */
export async function countInDoubt(db: Queries, since: Date): Promise<Map<string, InDoubt>> {
  const range = submittedSince(since)
  const rows = await db.query<InDoubt & { carrierId: string }>(sql`
    select carrier_id as "carrierId", count(distinct message_id) as messages, min(claimed_at) as since
    from (
        select message_id, carrier_id, claimed_at from submission
        where outcome = 'unknown' and claimed_at > ${since} and resend_allowed_at is null and ${range(fragment`message_id`)}
        order by claimed_at limit ${MAX_UNKNOWN_COUNTED}
      ) as unknown
      join message on message.id = unknown.message_id and ${range(fragment`message.id`)} and message.status in ('queued', 'submitted')
    where not ${isRetryQueued(fragment`unknown.message_id`)}
    group by carrier_id`)
  return new Map(rows.map(({ carrierId, messages, since: first }) => [carrierId, { messages, since: first }]))
}
