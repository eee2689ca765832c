// ⌘K: where a record leads, which entries match, and which answer belongs to what is typed.
import type { Found } from '../api/calls.ts'

/** The page of a record. */
export function hrefOf({ kind, id, workspace }: Found): string {
  if (kind === 'carrier') return `~/console/carriers/${id}`
  const at = `~/console/w/${workspace?.id ?? id}`
  if (kind === 'workspace') return at
  if (kind === 'message') return `${at}/messages/${id}`
  if (kind === 'delivery') return `${at}/webhooks/${id}`
  if (kind === 'client') return `${at}/clients/${id}`
  // The filter shows a request of any page.
  return kind === 'template' ? `${at}/templates?open=${id}` : `${at}/requests?request=${id}&open=${id}`
}

/** The entries that contain the text; names that begin with it come first. */
export function matching<Entry extends { name: string }>(entries: readonly Entry[], typed: string): readonly Entry[] {
  const sought = typed.trim().toLocaleLowerCase()
  const places = entries.map((entry) => ({ entry, place: entry.name.toLocaleLowerCase().indexOf(sought) }))
  return places
    .filter(({ place }) => place >= 0)
    .sort((one, other) => Number(one.place > 0) - Number(other.place > 0))
    .map(({ entry }) => entry)
}

const SHORTEST_SEARCH = 2
const MAX_LENGTH = 200

/** What the server is asked for; null for a text that is too short. */
export function searchOf(typed: string): string | null {
  const text = typed.trim()
  return text.length >= SHORTEST_SEARCH && text.length <= MAX_LENGTH ? text : null
}

/** Records are shown only for the text that they were found for: Enter never opens a record of an older text. */
export function answerFor<Answer>(
  typed: string,
  { asked, answer, isOld }: { asked: string | null; answer: Answer | undefined; isOld: boolean },
): Answer | undefined {
  return asked !== null && asked === searchOf(typed) && !isOld ? answer : undefined
}

/** Whether the text may be a phone number. */
export function isNumber(typed: string): boolean {
  return /^\+?[\d\s()-]{5,}$/.test(typed.trim())
}
