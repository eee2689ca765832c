// The messages of a statement: ids, or a subquery for the candidates of reports, which saves a round trip to look up their ids.
import type { MatchScope } from '../../domain/messages/report-matching.ts'
import { type Fragment, fragment } from '../database/sql.ts'

export type MessageSelection = readonly string[] | { candidatesIn: readonly MatchScope[] }

/** More than the segments of one message. */
const MOST_CANDIDATES = 10

export function selectMessageIds(messages: MessageSelection): Fragment {
  if (!('candidatesIn' in messages)) return fragment`${messages}::uuid[]`
  const scopes = messages.candidatesIn
  // A carrier can reuse an id for any number of messages: messages to the report's number come first, then the latest.
  return fragment`(
    select coalesce(array_agg(distinct candidate.message_id), '{}')
    from unnest(
        ${scopes.map((it) => it.carrierId)}::uuid[], ${scopes.map((it) => it.reference)}::text[],
        ${scopes.map((it) => it.to)}::text[], ${scopes.map((it) => it.lastDigits)}::text[],
        ${scopes.map((it) => it.since)}::timestamptz[], ${scopes.map((it) => it.until)}::timestamptz[]
      ) as scope (carrier_id, reference, to_number, last_digits, since, until)
      cross join lateral (
        select message_id from submission
        where carrier_id = scope.carrier_id and reference = scope.reference
          and claimed_at > scope.since and claimed_at <= scope.until
        order by to_number = scope.to_number desc, right(to_number, length(scope.last_digits)) = scope.last_digits desc,
          claimed_at desc, message_id desc
        limit ${MOST_CANDIDATES}
      ) as candidate
  )::uuid[]`
}
