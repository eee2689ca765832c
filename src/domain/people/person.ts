// People: e-mail addresses, passwords, and the limits of a team.
import { type Refusal, refuse, refuseField } from '../refusals.ts'

export const MAX_EMAIL_LENGTH = 254
export const MIN_PASSWORD_LENGTH = 10
export const MAX_PASSWORD_LENGTH = 200
export const MAX_MEMBERS = 100
export const MAX_OPERATORS = 100
export const MAX_MEMBERSHIPS = 100

/** Compared and stored in lower case: no major provider treats addresses as case-sensitive. */
export function normalEmail(text: string): string {
  return text.trim().toLowerCase()
}

/** An address in one spelling: no brackets, quotes or control characters, and a DNS domain. */
export function isEmail(text: string): boolean {
  return text.length <= MAX_EMAIL_LENGTH && /^[^\s@<>()[\]\\,;:"\p{C}]+@[a-z\d]([a-z\d.-]*[a-z\d])?$/u.test(text)
}

/** Length makes a password hard to guess; beyond that only the first guesses are rejected. */
export function checkPassword(password: string, { email, name }: { email: string; name: string }): Refusal | null {
  const plain = password.toLowerCase()
  const known = [email, email.split('@')[0] ?? '', name.toLowerCase(), 'hulaki']
  const isObvious = known.some((word) => word.length > 3 && plain.replaceAll(word, '').length < 5)
  if (isObvious) return refuseField('password', 'Must not consist of your name or e-mail address')
  return new Set(plain).size < 4 ? refuseField('password', 'Must have at least 4 different characters') : null
}

/** A workspace with an owner keeps one, unless the operator removes the last; the service keeps an operator. */
export const LAST_OWNER = refuse('conflict', {
  error: 'A workspace needs at least one owner; make another member owner first',
})
export const LAST_OPERATOR = refuse('conflict', {
  error: 'The service needs at least one operator; invite another one first',
})
