// Masks numbers and texts for people. Programs get full values; people see them masked on screen, and viewers never see them.
import type { MessageType } from '../message-type.ts'
import type { Actor } from './actor.ts'
import type { Role } from './permission.ts'

/** The caller, or only a role. */
export type Viewer = Actor | { kind: Role }

export const HIDDEN_TEXT = '(hidden)'
export const HIDDEN_CODE = '(OTP hidden)'
/** D44 */
export const DELETED_TEXT = '(deleted)'
/** D77: in place of the number of a person who asked for its removal. */
export const REMOVED_NUMBER = 'removed'

const SHOWN_AHEAD = 6
const SHOWN_BEHIND = 3
const DOTS = '••••'

/** D68: how many last digits anyone may search by. */
export const DIGITS_SEARCHED = 4

/** `+97798••••699`; a short number shows only its end. */
export function maskNumber(number: string): string {
  if (number === REMOVED_NUMBER) return number
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

export function shownText(text: string, actor: Viewer): string {
  return canSeeTexts(actor) ? text : HIDDEN_TEXT
}

/** The text of an OTP message is never stored in plain form (D21); that of another message is deleted after its retention (D44). */
export function shownMessageText({ text, type }: { text: string | null; type: MessageType }, viewer: Viewer): string {
  if (text === null) return type === 'otp' ? HIDDEN_CODE : DELETED_TEXT
  return shownText(text, viewer)
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
