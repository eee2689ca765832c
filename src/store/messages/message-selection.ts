// The messages of a statement: ids, or a subquery for the candidates of reports, which saves a round trip to look up their ids.
import { deadlineSeconds, MAX_ACCEPT_MS } from '../../domain/messages/lifetime.ts'
import type { MatchScope } from '../../domain/messages/report-matching.ts'
import { NIL_UUID } from '../../domain/uuid.ts'
import { lowestIdOf } from '../../runtime/ids.ts'
import { type Fragment, fragment } from '../database/sql.ts'

export type MessageSelection = readonly string[] | { candidatesIn: readonly MatchScope[] }

/** A condition on a column with message ids. Without it a statement would plan, lock and open the partitions of all months (D44). */
export type IdRange = (column: Fragment) => Fragment

export const ANY_ID: IdRange = () => fragment`true`

/** The range of the ids of these messages. */
export function idRangeOf(messages: MessageSelection): IdRange {
  const [from, to] = 'candidatesIn' in messages ? boundsOfScopes(messages.candidatesIn) : boundsOfIds(messages)
  return (column) => fragment`${column} >= ${from}::uuid and ${column} <= ${to}::uuid`
}

function boundsOfIds(ids: readonly string[]): [string, string] {
  const [first = NIL_UUID] = ids
  let [from, to] = [first.toLowerCase(), first.toLowerCase()]
  for (const given of ids) {
    const id = given.toLowerCase()
    if (id < from) from = id
    if (id > to) to = id
  }
  return [from, to]
}

/** A message is submitted within its lifetime, so it is not much older than its submission. */
const LONGEST_LIFE_MS = deadlineSeconds('transactional') * 1000

/** The range of the ids of messages that were submitted since then. */
export function submittedSince(since: Date): IdRange {
  const from = lowestIdOf(new Date(since.getTime() - LONGEST_LIFE_MS))
  return (column) => fragment`${column} >= ${from}::uuid`
}

function boundsOfScopes(scopes: readonly MatchScope[]): [string, string] {
  if (scopes.length === 0) return [NIL_UUID, NIL_UUID]
  const since = Math.min(...scopes.map((it) => it.since.getTime()))
  const until = Math.max(...scopes.map((it) => it.until.getTime()))
  return [lowestIdOf(new Date(since - LONGEST_LIFE_MS)), lowestIdOf(new Date(until + MAX_ACCEPT_MS))]
}

/** More than the segments of one message. */
const MAX_CANDIDATES = 10

export function selectMessageIds(messages: MessageSelection): Fragment {
  if (!('candidatesIn' in messages)) return fragment`${messages}::uuid[]`
  return fragment`(
    select coalesce(array_agg(distinct candidate.message_id), '{}')
    from ${scopesTable(messages.candidatesIn)} cross join lateral (
      -- A carrier can reuse an id for any number of messages: messages to the report's number come first, then the latest.
      select message_id from submission where ${inScope} and ${idRangeOf(messages)(fragment`message_id`)}
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
