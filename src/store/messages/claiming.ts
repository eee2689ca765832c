// What a claim finds: the next messages of a carrier's places, locked, with all that is known of them.

import type { CarrierFields } from '../../domain/carriers/carrier.ts'
import type { DueMessage } from '../../domain/carriers/claim.ts'
import type { Place } from '../../domain/carriers/routing.ts'
import type { Tx } from '../database/db.ts'
import { prepared, sql } from '../database/sql.ts'
import { inPlace, placesTable } from './delivery-queue.ts'
import type { StoredSubmission } from './submissions.ts'

interface Found extends Omit<DueMessage, 'submissions' | 'place'> {
  submissions: StoredSubmission[] | null
  /** Which of the places, from 1. */
  nth: number
}

export interface DueRequest {
  /** The first first. */
  places: readonly Place[]
  limit: number
  /** Workspaces take turns in the order of their ids, beginning behind this one. */
  behind: string
  /** Shuffles the clients of a workspace: one that gets no turn now gets one soon. */
  shuffle: string
  now: Date
}

/** So many workspaces take their turn at once; the others are next. */
const MOST_TURNS = 200
/** In its turn each may have so many: some who wait have nothing that is due, and batches of one message are slow. */
const LEAST_SHARE = 32

/**
 * Locks what is due, place by place, until there is enough, past whatever another process has in hand. Each workspace that waits in
 * a place is found by one step in the index, and so is each of its clients; what a claim takes is shared out among them. However
 * much one of them has waiting, nothing of it is walked.
 */
export async function lockDue(tx: Tx, request: DueRequest): Promise<DueMessage[]> {
  const { places, limit, behind, shuffle, now } = request
  if (places.length === 0 || limit === 0) return []
  const turns = Math.min(limit, MOST_TURNS)
  const statement = sql`
    with due as materialized (
      select picked.message_id, picked.claims, picked.claim_id, row_number() over () as in_line, place.nth
      from ${placesTable(places)} cross join lateral (
        with recursive later as (
          (select workspace_id, 1 as steps from delivery_queue where ${inPlace} and workspace_id > ${behind}
            order by workspace_id limit 1)
          union all
          select next.workspace_id, later.steps + 1 from later cross join lateral (
            select workspace_id from delivery_queue where ${inPlace} and workspace_id > later.workspace_id
            order by workspace_id limit 1
          ) as next
          where later.steps < ${turns}
        ), earlier as (
          (select workspace_id, 1 as steps from delivery_queue where ${inPlace} and workspace_id <= ${behind}
            order by workspace_id limit 1)
          union all
          select next.workspace_id, earlier.steps + 1 from earlier cross join lateral (
            select workspace_id from delivery_queue
            where ${inPlace} and workspace_id > earlier.workspace_id and workspace_id <= ${behind}
            order by workspace_id limit 1
          ) as next
          where earlier.steps < ${turns}
        ), turn as materialized (
          select workspace_id, greatest(ceil(${limit}::numeric / count(*) over ()), ${Math.min(limit, LEAST_SHARE)}::int)::int as share
          from (
            (select workspace_id, 0 as round from later) union all (select workspace_id, 1 from earlier)
            order by round, workspace_id limit ${turns}
          ) as all_turns
        )
        select of_workspace.* from turn cross join lateral (
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
            select client_id, greatest(ceil(turn.share::numeric / count(*) over ()), least(turn.share, ${LEAST_SHARE}::int))::int as share
            from walked
            order by md5(client_id || ${shuffle}::text)
          )
          select own.* from client cross join lateral (
            select message_id, claims, claim_id from delivery_queue
            where ${inPlace} and workspace_id = turn.workspace_id and client_id = client.client_id
              and due_at <= ${now} and (claim_id is null or leased_until <= ${now})
            order by due_at limit client.share
            for update skip locked
          ) as own
          limit turn.share
        ) as of_workspace
      ) as picked
      limit ${limit}
    )
    select message.id, message.workspace_id as "workspaceId", message.client_id as "clientId", to_number as to, country, sender,
      text, sealed as "sealedText", type, encoding, segments, cost_e4 as "costE4", message.status,
      message.created_at as "createdAt", message.updated_at as "updatedAt", (webhook_url is not null or listening_until is not null) as "hasListener",
      due.claims, due.claim_id as "claimId", due.nth,
      (select currency from workspace where id = message.workspace_id) as currency,
      case when due.claims > 0 then (
        select json_agg(json_build_object(
          'messageId', message_id, 'ordinal', ordinal, 'segment', segment, 'ofSegments', segment_count, 'carrierId', carrier_id,
          'outcome', outcome, 'error', submission.error, 'receipts', coalesce(receipts, 'each'),
          'isLetGo', resend_allowed_at is not null, 'resendUnknown', coalesce(carrier.resend_unknown, false))
          order by ordinal, segment)
        from submission left join carrier on carrier.id = submission.carrier_id where message_id = message.id
      ) end as submissions
    from due
      -- One by one, whatever the planner knows of the table: it may have been empty when it looked.
      cross join lateral (select * from message where id = due.message_id offset 0) as message
      join client on client.id = message.client_id
      left join lateral (select sealed from sealed_text where message_id = due.message_id offset 0) as sealed_text on true
    order by due.in_line`
  const rows = await tx.query<Found>(prepared(statement))
  return rows.map(({ nth, submissions, ...row }) => {
    const { destination, avoidCarrierId, priority } = places[nth - 1] as Place
    return { ...row, place: { destination, avoidCarrierId, priority }, submissions: submissions ?? [] }
  })
}

/** D57: what the workspace and the template of each message say to carriers; the template's word counts before the workspace's. */
export async function loadCarrierFields(tx: Tx, messageIds: string[]): Promise<Map<string, CarrierFields>> {
  const rows = await tx.query<{ id: string; fields: CarrierFields }>(sql`
    select message.id, workspace.carrier_fields || coalesce(template.carrier_fields, '{}') as fields
    from message join workspace on workspace.id = message.workspace_id
      left join template on template.id = message.template_id
    where message.id = any(${messageIds}::uuid[])`)
  return new Map(rows.map(({ id, fields }) => [id, fields]))
}
