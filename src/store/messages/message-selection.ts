// The messages of a statement: ids, or a subquery for the candidates of reports, which saves a round trip to look up their ids.
import type { MatchScope } from '../../domain/messages/report-matching.ts'
import { type Fragment, fragment } from '../database/sql.ts'

export type MessageSelection = readonly string[] | { candidatesIn: readonly MatchScope[] }

/** More than the segments of one message. */
const MAX_CANDIDATES = 10

export function selectMessageIds(messages: MessageSelection): Fragment {
  if (!('candidatesIn' in messages)) return fragment`${messages}::uuid[]`
  return fragment`(
    select coalesce(array_agg(distinct candidate.message_id), '{}')
    from ${scopesTable(messages.candidatesIn)} cross join lateral (
      -- A carrier can reuse an id for any number of messages: messages to the report's number come first, then the latest.
      select message_id from submission where ${inScope}
      order by to_number = scope.to_number desc, right(to_number, length(scope.last_digits)) = scope.last_digits desc,
        claimed_at desc, message_id desc
      limit ${MAX_CANDIDATES}
    ) as candidate
  )::uuid[]`
}

/** Scopes as a table expression; `nth` is the number of the scope, from 1. */
export function scopesTable(scopes: readonly MatchScope[]): Fragment {
  return fragment`unnest(
        ${scopes.map((it) => it.carrierId)}::uuid[], ${scopes.map((it) => it.reference)}::text[],
        ${scopes.map((it) => it.to)}::text[], ${scopes.map((it) => it.lastDigits)}::text[],
        ${scopes.map((it) => it.since)}::timestamptz[], ${scopes.map((it) => it.until)}::timestamptz[]
      ) with ordinality as scope (carrier_id, reference, to_number, last_digits, since, until, nth)`
}

/** Matches the submissions that a report of the scope in the current row may belong to. */
export const inScope = fragment`
  carrier_id = scope.carrier_id and reference = scope.reference and claimed_at > scope.since and claimed_at <= scope.until`
