// Which messages a statement is about: their ids, or, before we know them, what reports were found to be about in its transaction. So
// that whatever is asked of these travels with the question which they are.
import { type Fragment, part } from '../database/sql.ts'

/** What `listNamed` found last in this transaction; nothing, where it found nothing. */
export const MATCHED = Symbol('matched')

export type Messages = readonly string[] | typeof MATCHED

export function idsOf(messages: Messages): Fragment {
  return messages === MATCHED
    ? // In a query of its own it is read once, and not for every row that is looked at.
      part`(select coalesce(nullif(current_setting('hulaki.matched', true), ''), '{}')::uuid[])::uuid[]`
    : part`${messages}::uuid[]`
}
