// Masks numbers and texts for people. Programs get full values; people see them masked on screen, and viewers never see them.
import type { Actor } from './actor.ts'
import type { Role } from './permission.ts'

/** The caller, or only a role. */
type Viewer = Actor | { kind: Role }

export const HIDDEN_TEXT = '(hidden)'
export const HIDDEN_CODE = '(OTP hidden)'

const SHOWN_AHEAD = 6
const SHOWN_BEHIND = 3
const DOTS = '••••'

/** D68: how many last digits anyone may search by. */
export const DIGITS_SEARCHED = 4

/** `+97798••••699`; a short number shows only its end. */
export function maskNumber(number: string): string {
  const ahead = number.length > SHOWN_AHEAD + SHOWN_BEHIND ? number.slice(0, SHOWN_AHEAD) : ''
  return `${ahead}${DOTS}${number.slice(-SHOWN_BEHIND)}`
}

/** People reveal one number at a time, which the audit log records. */
export function canSeeNumbers(actor: Viewer): boolean {
  return actor.kind !== 'viewer' && !('personId' in actor && actor.personId !== undefined)
}

/** D68: a caller that may reveal numbers may also search by one. */
export function canRevealNumbers(actor: Viewer): boolean {
  return actor.kind !== 'viewer'
}

/** D68: the path and the query of a webhook URL often hold a secret. */
export function shownUrl(url: string, actor: Viewer): string {
  return actor.kind === 'viewer' ? (URL.parse(url)?.origin ?? '') : url
}

/** A prefix may be a whole number. */
export function shownPrefix(prefix: string, actor: Viewer): string {
  return canRevealNumbers(actor) || prefix.length <= SHOWN_AHEAD + SHOWN_BEHIND ? prefix : maskNumber(prefix)
}

export function canSeeTexts(actor: Viewer): boolean {
  return actor.kind !== 'viewer'
}

export function shownNumber(number: string, actor: Viewer): string {
  return canSeeNumbers(actor) ? number : maskNumber(number)
}

/** null is an OTP message, whose text is never shown. */
export function shownText(text: string | null, actor: Viewer): string {
  return text === null ? HIDDEN_CODE : canSeeTexts(actor) ? text : HIDDEN_TEXT
}

/** The body of a webhook event: unchanged, or with masked values. */
export function shownEventBody(body: string, actor: Viewer): string {
  if (canSeeNumbers(actor) && canSeeTexts(actor)) return body
  const event: unknown = JSON.parse(body)
  if (typeof event !== 'object' || event === null) return HIDDEN_TEXT
  const members = Object.entries(event).map(([name, value]) => [name, shownMember(name, value, actor)])
  return JSON.stringify(Object.fromEntries(members))
}

function shownMember(name: string, value: unknown, actor: Viewer): unknown {
  if (typeof value !== 'string') return value
  if (name === 'to' || name === 'from') return shownNumber(value, actor)
  return name === 'text' ? shownText(value, actor) : value
}

/** An endpoint's response may repeat the event. */
export function shownAnswer(answer: string, actor: Viewer): string {
  if (!canSeeTexts(actor)) return HIDDEN_TEXT
  return canSeeNumbers(actor) ? answer : answer.replaceAll(/\+?\d{7,15}/g, maskNumber)
}
