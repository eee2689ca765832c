// Message counts by quarter hour of acceptance, written with the messages, so that a chart reads a few hundred rows at any traffic.
import { type QuarterCounts, quarterOf } from '../../domain/hours.ts'
import { messageOutcomeOf } from '../../domain/message-status.ts'
import type { AcceptedMessage } from '../../domain/messages/acceptance.ts'
import type { Transition } from '../../domain/messages/transition.ts'
import type { Queries, Tx } from '../database/db.ts'
import { every, fragment, sql } from '../database/sql.ts'

/** Each writer counts in rows of its own, so that no writer waits for the commit of another. */
export type CounterShard = 'answers' | 'reports' | 'deadlines'

const SHARDS: Record<CounterShard | 'accepted', number> = { answers: 0, reports: 1, deadlines: 2, accepted: 3 }

type Counts = Omit<QuarterCounts, 'quarter'>
const NONE: Counts = { accepted: 0, delivered: 0, undelivered: 0, failed: 0 }

interface Counted extends Counts {
  workspaceId: string
  quarter: Date
}

export function countAccepted(
  tx: Tx,
  messages: (Pick<AcceptedMessage, 'status'> & { request: { client: { workspaceId: string } } })[],
  now: Date,
): Promise<void> {
  const quarter = quarterOf(now)
  const counted = new Map<string, Counted>()
  for (const { request, status } of messages) {
    const { workspaceId } = request.client
    if (messageOutcomeOf(status) !== null)
      counted.getOrInsertComputed(workspaceId, () => ({ workspaceId, quarter, ...NONE })).accepted += 1
  }
  return addCounts(tx, [...counted.values()], 'accepted')
}

/** Counts messages at their final status, which a message reaches once (D13). */
export function countEnded(tx: Tx, transitions: Transition[], counterShard: CounterShard): Promise<void> {
  const counted = new Map<string, Counted>()
  for (const { message, to } of transitions) {
    const outcome = messageOutcomeOf(to)
    if (outcome === null || outcome === 'underWay') continue
    const { workspaceId, createdAt } = message
    const quarter = quarterOf(createdAt)
    const key = `${workspaceId} ${quarter.getTime()}`
    counted.getOrInsertComputed(key, () => ({ workspaceId, quarter, ...NONE }))[outcome] += 1
  }
  return addCounts(tx, [...counted.values()], counterShard)
}

/** Rows are locked in one order, which prevents deadlocks. */
async function addCounts(tx: Tx, counted: Counted[], counterShard: keyof typeof SHARDS): Promise<void> {
  if (counted.length === 0) return
  const rows = counted.sort((one, other) =>
    one.workspaceId === other.workspaceId
      ? one.quarter.getTime() - other.quarter.getTime()
      : one.workspaceId < other.workspaceId
        ? -1
        : 1,
  )
  await tx.query(sql`
    insert into message_quarter_hour as known (workspace_id, quarter_hour, counter_shard, accepted, delivered, undelivered, failed)
    select workspace_id, quarter_hour, ${SHARDS[counterShard]}, accepted, delivered, undelivered, failed from unnest(
      ${rows.map((it) => it.workspaceId)}::uuid[], ${rows.map((it) => it.quarter)}::timestamptz[],
      ${rows.map((it) => it.accepted)}::bigint[], ${rows.map((it) => it.delivered)}::bigint[],
      ${rows.map((it) => it.undelivered)}::bigint[], ${rows.map((it) => it.failed)}::bigint[]
    ) as counted (workspace_id, quarter_hour, accepted, delivered, undelivered, failed)
    on conflict (workspace_id, quarter_hour, counter_shard) do update set accepted = known.accepted + excluded.accepted,
      delivered = known.delivered + excluded.delivered, undelivered = known.undelivered + excluded.undelivered,
      failed = known.failed + excluded.failed`)
}

/** Oldest first; of one workspace, or with null the sum of all workspaces. */
export function listQuarters(
  db: Queries,
  { workspaceId, since }: { workspaceId: string | null; since: Date },
): Promise<QuarterCounts[]> {
  const which = every([
    workspaceId === null ? null : fragment`workspace_id = ${workspaceId}`,
    fragment`quarter_hour >= ${since}`,
  ])
  return db.query<QuarterCounts>(sql`
    select quarter_hour as quarter, sum(accepted)::bigint as accepted, sum(delivered)::bigint as delivered,
      sum(undelivered)::bigint as undelivered, sum(failed)::bigint as failed
    from message_quarter_hour where ${which} group by quarter_hour order by quarter_hour`)
}
