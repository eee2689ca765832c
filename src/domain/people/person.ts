// People: their addresses and passwords, and what holds a team together.
import { type Refusal, refuse, refuseField } from '../refusals.ts'

export const LONGEST_EMAIL = 254
export const SHORTEST_PASSWORD = 10
export const LONGEST_PASSWORD = 200
export const MOST_MEMBERS = 100
export const MOST_OPERATORS = 100
export const MOST_MEMBERSHIPS = 100

export const LANGUAGES = ['en', 'ne'] as const
export type Language = (typeof LANGUAGES)[number]

/** Compared and kept in small letters: no provider that matters tells people apart by them. */
export function normalEmail(text: string): string {
  return text.trim().toLowerCase()
}

/** A mailbox in one spelling: no brackets, quotes or control characters, and a domain as DNS has it. */
export function isEmail(text: string): boolean {
  return text.length <= LONGEST_EMAIL && /^[^\s@<>()[\]\\,;:"\p{C}]+@[a-z\d]([a-z\d.-]*[a-z\d])?$/u.test(text)
}

/** Length is what makes a password hard to guess; beyond that only what a guesser tries first is refused. */
export function judgePassword(password: string, { email, name }: { email: string; name: string }): Refusal | null {
  const plain = password.toLowerCase()
  const known = [email, email.split('@')[0] ?? '', name.toLowerCase(), 'hulaki']
  const isMade = known.some((word) => word.length > 3 && plain.replaceAll(word, '').length < 5)
  if (isMade) return refuseField('password', 'Must not be made of the name or the address')
  return new Set(plain).size < 4 ? refuseField('password', 'Must have more than a few different characters') : null
}

/** A workspace that has an owner keeps one, unless the operator takes the last away; the service keeps an operator. */
export const LAST_OWNER = refuse('conflict', {
  error: 'A workspace keeps at least one owner; make somebody else owner first',
})
export const LAST_OPERATOR = refuse('conflict', {
  error: 'The service keeps at least one operator; invite somebody else first',
})
