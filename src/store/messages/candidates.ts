// Which messages a statement is about: their ids, or, before these are known, the candidates of reports. So what is asked of the
// candidates travels with the question which they are.
import type { MatchScope } from '../../domain/messages/report-matching.ts'
import { type Fragment, part } from '../database/sql.ts'

export type Messages = readonly string[] | { candidatesIn: readonly MatchScope[] }

/** More segments than a message has. */
const MOST_OF_ONE_ID = 10

export function idsOf(messages: Messages): Fragment {
  if (!('candidatesIn' in messages)) return part`${messages}::uuid[]`
  const scopes = messages.candidatesIn
  // An id may have been given to any number of messages: those to the number of the report come first, then the latest.
  return part`(
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
        limit ${MOST_OF_ONE_ID}
      ) as candidate
  )::uuid[]`
}
