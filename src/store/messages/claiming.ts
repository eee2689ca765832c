// Claiming: locks the next due messages of a carrier's places and loads what sending them requires.
import type { CarrierFields } from '../../domain/carriers/carrier.ts'
import type { DueMessage } from '../../domain/carriers/claim.ts'
import type { QueueGroup } from '../../domain/carriers/routing.ts'
import type { Tx } from '../database/db.ts'
import { type Fragment, fragment, prepared, sql } from '../database/sql.ts'
import { inPlace, placesTable } from './delivery-queue.ts'
import type { StoredSubmission } from './submissions.ts'

interface DueRow extends Omit<DueMessage, 'submissions' | 'place'> {
  submissions: StoredSubmission[] | null
  /** Number of the place in the request, from 1. */
  nth: number
}

interface DueRequest {
  /** In order of preference. */
  places: readonly QueueGroup[]
  limit: number
  /** Workspaces take turns in id order, starting after this one. */
  afterWorkspaceId: string
  /** Seed for the order of a workspace's clients, so that every client gets a turn over time. */
  shuffle: string
  now: Date
}

/** Workspaces per claim; the others follow in the next one. */
const MAX_TURNS = 200
/** Messages that each workspace may have at least: some workspaces have nothing due, and batches of one message are slow. */
const MIN_SHARE = 32

/** Finds the workspaces whose turn it is in a place, one index step per workspace, and the share of each. */
function selectTurns({ limit, afterWorkspaceId }: DueRequest): Fragment {
  const turns = Math.min(limit, MAX_TURNS)
  return fragment`
    with recursive later as (
      (select workspace_id, 1 as steps from delivery_queue where ${inPlace} and workspace_id > ${afterWorkspaceId}
        order by workspace_id limit 1)
      union all
      select next.workspace_id, later.steps + 1 from later cross join lateral (
        select workspace_id from delivery_queue where ${inPlace} and workspace_id > later.workspace_id
        order by workspace_id limit 1
      ) as next
      where later.steps < ${turns}
    ), earlier as (
      (select workspace_id, 1 as steps from delivery_queue where ${inPlace} and workspace_id <= ${afterWorkspaceId}
        order by workspace_id limit 1)
      union all
      select next.workspace_id, earlier.steps + 1 from earlier cross join lateral (
        select workspace_id from delivery_queue
        where ${inPlace} and workspace_id > earlier.workspace_id and workspace_id <= ${afterWorkspaceId}
        order by workspace_id limit 1
      ) as next
      where earlier.steps < ${turns}
    ), turn as materialized (
      select workspace_id, greatest(ceil(${limit}::numeric / count(*) over ()), ${Math.min(limit, MIN_SHARE)}::int)::int as share
      from (
        (select workspace_id, 0 as round from later) union all (select workspace_id, 1 from earlier)
        order by round, workspace_id limit ${turns}
      ) as all_turns
    )`
}

/** Locks the due messages of one workspace's turn, shared among its clients, one index step per client. */
function lockTurn({ shuffle, now }: DueRequest): Fragment {
  return fragment`
    with recursive walked as (
      (select client_id from delivery_queue where ${inPlace} and workspace_id = turn.workspace_id
        order by client_id limit 1)
      union all
      select next.client_id from walked cross join lateral (
        select client_id from delivery_queue
        where ${inPlace} and workspace_id = turn.workspace_id and client_id > walked.client_id
        order by client_id limit 1
      ) as next
    ), client as materialized (
      select client_id, greatest(ceil(turn.share::numeric / count(*) over ()), least(turn.share, ${MIN_SHARE}::int))::int as share
      from walked
      order by md5(client_id || ${shuffle}::text)
    )
    select own.* from client cross join lateral (
      -- The limit stops the scan, so only the rows of these messages are locked.
      select waiting.id as message_id, attempts, first_message_id from (
        select message_ids, attempts, first_message_id from delivery_queue
        where ${inPlace} and workspace_id = turn.workspace_id and client_id = client.client_id and due_at <= ${now}
        order by due_at limit client.share
        for update skip locked
      ) as locked cross join lateral unnest(message_ids) as waiting (id)
      limit client.share
    ) as own
    limit turn.share`
}

/**
 * Locks due messages place by place up to the limit, and skips messages that another process has locked. The cost depends on the
 * number of workspaces and clients with messages, not on the backlog of any of them.
 */
export async function lockDueMessages(tx: Tx, request: DueRequest): Promise<DueMessage[]> {
  const { places, limit } = request
  if (places.length === 0 || limit === 0) return []
  const statement = sql`
    with due as materialized (
      select picked.message_id, picked.attempts, picked.first_message_id, row_number() over () as in_line, place.nth
      from ${placesTable(places)} cross join lateral (
        ${selectTurns(request)}
        select of_workspace.* from turn cross join lateral (${lockTurn(request)}) as of_workspace
      ) as picked
      limit ${limit}
    )
    select message.id, message.workspace_id as "workspaceId", message.client_id as "clientId", to_number as to, message.country, sender,
      text, sealed as "sealedText", type, encoding, segments, cost_e4 as "costE4", message.status,
      message.created_at as "createdAt", message.updated_at as "updatedAt", (webhook_url is not null or listening_until is not null) as "hasListener",
      due.attempts, due.first_message_id as "firstMessageId", due.nth, workspace.currency,
      case when due.attempts > 0 then (
        select json_agg(json_build_object(
          'messageId', message_id, 'ordinal', ordinal, 'segment', segment, 'ofSegments', segment_count, 'carrierId', carrier_id,
          'outcome', outcome, 'error', submission.error, 'receipts', coalesce(receipts, 'each'),
          'isResendAllowed', resend_allowed_at is not null, 'resendUnknown', coalesce(carrier.resend_unknown, false))
          order by ordinal, segment)
        from submission left join carrier on carrier.id = submission.carrier_id where message_id = message.id
      ) end as submissions
    from due
      -- Offset 0 forces an index lookup per row: a plan made while the table was empty would scan the table.
      cross join lateral (select * from message where id = due.message_id offset 0) as message
      join client on client.id = message.client_id
      join workspace on workspace.id = message.workspace_id
      left join lateral (
        select sealed from sealed_text where message.type = 'otp' and message_id = due.message_id offset 0
      ) as sealed_text on true
    order by due.in_line`
  const [, rows] = await Promise.all([keepPlans(tx), tx.query<DueRow>(prepared(statement))])
  // The rows become the messages: copies of objects with twenty fields cost more than the rest of the loop.
  return rows.map((row) =>
    Object.assign(row, { place: places[row.nth - 1] as QueueGroup, submissions: row.submissions ?? [] }),
  )
}

/** PostgreSQL overestimates a plan for any limit and would plan each claim again, which costs almost as much as the claim itself. */
function keepPlans(tx: Tx): Promise<unknown> {
  return tx.query(sql`select set_config('plan_cache_mode', 'force_generic_plan', true)`)
}

/** Carrier fields of each message (D57); a field of the template overrides the same field of the workspace. */
export async function loadCarrierFields(tx: Tx, messageIds: string[]): Promise<Map<string, CarrierFields>> {
  const rows = await tx.query<{ id: string; fields: CarrierFields }>(sql`
    select message.id, workspace.carrier_fields || coalesce(template.carrier_fields, '{}') as fields
    from message join workspace on workspace.id = message.workspace_id
      left join template on template.id = message.template_id
    where message.id = any(${messageIds}::uuid[])`)
  return new Map(rows.map(({ id, fields }) => [id, fields]))
}
