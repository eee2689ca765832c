// Webhook deliveries as their owner sees them: the history of 7 days, and what is sent again from it (§6.4 rule 4).
import type { WebhookStatus } from '../../domain/webhooks/webhook-event.ts'
import type { Death } from '../../domain/webhooks/webhook-schedule.ts'
import { lowestIdOf } from '../../runtime/ids.ts'
import type { Queries, Tx } from '../database/db.ts'
import { every, part, sql } from '../database/sql.ts'
import { MOST_LOOKED_AT, type Page, type Walked } from '../workspaces/workspaces.ts'

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

export interface WebhookDelivery {
  id: string
  clientId: string
  workspaceId: string
  event: 'message.status' | 'message.inbound'
  messageId: string | null
  status: WebhookStatus | null
  state: DeliveryState
  failureReason: Death | null
  /** Of a pending delivery; of one that is being posted, when its claim would end. */
  nextPostingAt: Date | null
  createdAt: Date
  endedAt: Date | null
  /** Over all rounds; of one that was posted more often than is shown, as many as are. */
  postings: number
  /** Of the latest posting. */
  postedAt: Date | null
  statusCode: number | null
  failure: string | null
}

export interface StoredPosting {
  url: string
  postedAt: Date
  milliseconds: number
  statusCode: number | null
  failure: string | null
  answerHead: Buffer | null
  /** Counts from 1 over all rounds. */
  number: number
}

export const MOST_POSTINGS_SHOWN = 100

const columns = part`
  event.delivery_id as id, event.client_id as "clientId", client.workspace_id as "workspaceId", event.name as event,
  event.message_id as "messageId", event.webhook_status as status, event.state, event.failure_reason as "failureReason",
  queued.due_at as "nextPostingAt", event.created_at as "createdAt", event.ended_at as "endedAt",
  (select count(*) from (select from webhook_attempt where delivery_id = event.delivery_id limit ${MOST_POSTINGS_SHOWN}) as made) as postings,
  latest.attempted_at as "postedAt", latest.status_code as "statusCode", latest.failure`

const deliveries = part`
  webhook_event event join client on client.id = event.client_id
    left join webhook_queue queued on queued.delivery_id = event.delivery_id
    left join lateral (
      select attempted_at, status_code, failure from webhook_attempt where delivery_id = event.delivery_id
      order by claim_id desc limit 1
    ) as latest on true`

interface DeliveryFilter {
  /** Whose: one client, or those of a workspace. */
  clientIds: string[]
  state: DeliveryState | null
  event: WebhookDelivery['event'] | null
  messageId: string | null
  since: Date | null
  until: Date | null
}

/** Newest first. Those of each client are walked, or only the failed ones, or those of one message: each has an index. */
export async function listDeliveries(db: Queries, filter: DeliveryFilter & Page): Promise<Walked<WebhookDelivery>> {
  const { clientIds, state, event, messageId, since, until, before, limit } = filter
  const driver = every([
    part`event.client_id = own.id`,
    state === 'failed' ? part`event.failure_reason is not null` : null,
    messageId === null ? null : part`event.message_id = ${messageId}`,
    since === null
      ? null
      : part`event.created_at >= ${since} and event.delivery_id >= ${lowestIdOf(shifted(since, -1))}`,
    until === null ? null : part`event.created_at < ${until} and event.delivery_id < ${lowestIdOf(shifted(until, 1))}`,
    before === null ? null : part`event.delivery_id < ${before}`,
  ])
  const others = [
    state === 'pending' || state === 'delivered' ? part`event.state = ${state}` : null,
    event === null ? null : part`event.name = ${event}`,
  ]
  const isWalk = messageId === null && others.some((it) => it !== null)
  const each = Math.floor(MOST_LOOKED_AT / Math.max(1, clientIds.length))
  // Of every client all is looked at down to the highest of their ends.
  const [end] = isWalk
    ? await db.query<{ id: string }>(sql`
        select walked.id from unnest(${clientIds}::uuid[]) as own (id) cross join lateral (
          select delivery_id as id from webhook_event event where ${driver}
          order by delivery_id desc offset ${each - 1} limit 1
        ) as walked order by walked.id desc limit 1`)
    : []
  const rows = await db.query<WebhookDelivery>(sql`
    with page as materialized (
      select found.delivery_id from unnest(${clientIds}::uuid[]) as own (id) cross join lateral (
        select delivery_id from webhook_event event
        where ${every([driver, ...others, end ? part`event.delivery_id >= ${end.id}` : null])}
        order by delivery_id desc limit ${limit}
      ) as found order by found.delivery_id desc limit ${limit}
    )
    select ${columns} from page cross join ${deliveries} where event.delivery_id = page.delivery_id
    order by event.delivery_id desc`)
  return { rows, lookedTo: end?.id ?? null }
}

/** Ids are made a little before or after the time that their event carries. */
function shifted(at: Date, minutes: number): Date {
  return new Date(at.getTime() + minutes * 60_000)
}

/** `within` is the only workspace the asker may see, or null for any. */
export async function findDelivery(
  db: Queries,
  { id, within }: { id: string; within: string | null },
): Promise<(WebhookDelivery & { body: Buffer }) | null> {
  const rows = await db.query<WebhookDelivery & { body: Buffer }>(sql`
    select ${columns}, event.body from ${deliveries}
    where event.delivery_id = ${id} and (${within}::uuid is null or client.workspace_id = ${within})`)
  return rows[0] ?? null
}

/** Beyond it there are more, and that is enough to know. */
export const MOST_DEAD_COUNTED = 1_000

export async function countDead(db: Queries): Promise<number> {
  const [row] = await db.query<{ dead: number }>(sql`
    select count(*) as dead from (
      select from webhook_event where failure_reason is not null limit ${MOST_DEAD_COUNTED}
    ) as counted`)
  return row?.dead ?? 0
}

interface DeadDelivery {
  id: string
  because: Death
  client: { id: string; name: string }
  workspace: { id: string; name: string }
  endedAt: Date
}

/** Clients whose latest dead delivery is looked at. */
const MOST_DEAD_CLIENTS = 500

/** The latest of each client that has any, one step of the index for each. */
export function listDead(db: Queries, limit: number): Promise<DeadDelivery[]> {
  return db.query<DeadDelivery>(sql`
    with recursive latest as (
      (select client_id, delivery_id from webhook_event where failure_reason is not null
        order by client_id desc, delivery_id desc limit 1)
      union all
      select next.* from latest cross join lateral (
        select client_id, delivery_id from webhook_event
        where failure_reason is not null and client_id < latest.client_id
        order by client_id desc, delivery_id desc limit 1
      ) as next
    )
    select event.delivery_id as id, event.failure_reason as because, event.ended_at as "endedAt",
      json_build_object('id', client.id, 'name', client.name) as client,
      json_build_object('id', workspace.id, 'name', workspace.name) as workspace
    from (select delivery_id from latest limit ${MOST_DEAD_CLIENTS}) as latest
      join webhook_event event using (delivery_id) join client on client.id = event.client_id
      join workspace on workspace.id = client.workspace_id
    order by event.delivery_id desc limit ${limit}`)
}

/** The latest, in the order they were made: whoever sends a delivery again and again makes many. */
export function listPostings(db: Queries, deliveryId: string): Promise<StoredPosting[]> {
  return db.query<StoredPosting>(sql`
    select url, attempted_at as "postedAt", milliseconds, status_code as "statusCode", failure, response_body as "answerHead", number
    from (
      select *, row_number() over (order by claim_id) as number from webhook_attempt where delivery_id = ${deliveryId}
      order by claim_id desc limit ${MOST_POSTINGS_SHOWN}
    ) as latest order by claim_id`)
}

/**
 * Puts a delivery back into the queue for a new round of postings, due now. One that a process is posting at this moment
 * is left to it.
 */
export async function requeueDelivery(tx: Tx, { id, now }: { id: string; now: Date }): Promise<void> {
  // Queue before event, as a completion takes them.
  await tx.query(sql`select from webhook_queue where delivery_id = ${id} for update`)
  await tx.query(sql`
    with event as (
      update webhook_event set state = 'pending', failure_reason = null, ended_at = null where delivery_id = ${id}
      returning delivery_id, client_id
    )
    insert into webhook_queue (delivery_id, client_id, workspace_id, retry, due_at)
    select delivery_id, client_id, workspace_id, true, ${now}::timestamptz from event join client on client.id = client_id
    on conflict (delivery_id) do update set retry = true, due_at = excluded.due_at, attempts = 0, claims = 0
      where webhook_queue.claim_id is null`)
}

/** The same for up to `limit` deliveries of a client that died at `since` or later; returns how many. */
export async function requeueDead(
  tx: Tx,
  { clientId, since, limit, now }: { clientId: string; since: Date; limit: number; now: Date },
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    with dead as (
      select delivery_id from webhook_event
      where client_id = ${clientId} and failure_reason is not null and ended_at >= ${since}
      order by delivery_id limit ${limit} for update skip locked
    ), event as (
      update webhook_event set state = 'pending', failure_reason = null, ended_at = null
      from dead where webhook_event.delivery_id = dead.delivery_id
      returning webhook_event.delivery_id, client_id
    ), queued as (
      insert into webhook_queue (delivery_id, client_id, workspace_id, retry, due_at)
      select delivery_id, client_id, workspace_id, true, ${now}::timestamptz
      from event join client on client.id = client_id order by delivery_id
    )
    select count(*) from event`)
  return row?.count ?? 0
}

/**
 * Deletes up to `limit` deliveries that ended at `endedBy` or before, with their postings; returns how many. Ids rise
 * with time, so the oldest are found by them alone, and `idsBelow` bounds the search.
 */
export async function deleteHistory(
  db: Queries,
  { endedBy, idsBelow, limit }: { endedBy: Date; idsBelow: string; limit: number },
): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    with old as (
      select delivery_id from webhook_event where delivery_id < ${idsBelow} and ended_at <= ${endedBy}
      order by delivery_id limit ${limit} for update skip locked
    ), event as (
      delete from webhook_event using old where webhook_event.delivery_id = old.delivery_id
    ), attempt as (
      delete from webhook_attempt using old where webhook_attempt.delivery_id = old.delivery_id
    )
    select count(*) from old`)
  return row?.count ?? 0
}
