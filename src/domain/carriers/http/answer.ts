// Reads the response of an HTTP carrier (D49): by the rules of the description in order, else by its status code. Only a response that
// proves the carrier does not have the message allows a resend (D15); everything else is unknown.

import type { CarrierSign, Verdict } from '../../messages/submission.ts'
import { verdict } from '../../messages/submission.ts'
import { getOwnValue } from '../../own-value.ts'
import type { AnswerReading, AnswerRule, HttpDescription, RuleVerdict } from './description.ts'
import { at, parsePointer } from './pointer.ts'
import { privateParts, type RedactorOf, toOneLine } from './redact.ts'
import type { MessageValues } from './template.ts'

/** `json` is undefined if the body is not JSON. */
export interface HttpAnswer {
  status: number
  json: unknown
}

interface ReadAnswer extends Verdict {
  carrierMessageId: string | null
  /** The full text, with private data. */
  said: string
  /** For the log: why the response does not fit the description. */
  oddity: string | null
}

/** The outcome of one message, without private data. */
interface ReadSubmission extends ReadAnswer {
  /** Receipts are matched by it. */
  reference: string | null
}

const MAX_ID_LENGTH = 200

export function readAnswer(answer: HttpAnswer, reading: AnswerReading): ReadAnswer {
  const id = idAt(answer.json, reading.id)
  const said = saidBy(answer, reading)
  const ruled = ruledBy(answer, reading.rules)
  const decided = ruled ? verdict(ruled.outcome, ruledDetails(ruled)) : interpretStatus(answer, { reading, id })
  const isTaken = decided.outcome === 'accepted'
  return {
    ...decided,
    carrierMessageId: isTaken ? id : null,
    said,
    oddity: oddityOf(answer, { reading, isTaken, id, isRuled: ruled !== null }),
  }
}

/** Reads the response to the submission of one message, and redacts its text. */
export function readSubmission(
  answer: HttpAnswer,
  { description, values, redactorOf }: { description: HttpDescription; values: MessageValues; redactorOf: RedactorOf },
): ReadSubmission {
  const read = readAnswer(answer, description.answer)
  // A carrier without ids reports by our reference. A submission with an unknown outcome gets a reference only from its receipt (D15).
  const reportsByOurs = (description.receipts?.reading.reference ?? null) !== null
  const isOurs = reportsByOurs || description.answer.id === null
  const ours = isOurs && read.outcome === 'accepted' ? values.reference : null
  return {
    ...read,
    said: STATUS_ALONE.test(read.said) ? read.said : redactorOf(privateParts(values)).words(read.said),
    reference: (reportsByOurs ? null : read.carrierMessageId) ?? ours,
  }
}

const STATUS_ALONE = /^HTTP \d+$/
const MAX_PAUSE_MS = 60_000

/** A Retry-After in seconds or as a date; 0 if it is neither. */
export function retryAfterMs(retryAfter: string | null, now: Date): number {
  if (retryAfter === null) return 0
  const ms = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now.getTime()
  return Number.isFinite(ms) ? Math.min(MAX_PAUSE_MS, Math.max(0, ms)) : 0
}

function ruledDetails({ outcome, error }: RuleVerdict) {
  return { error: outcome === 'rejected' ? (error ?? 'carrier_rejected') : ('' as const) }
}

function ruledBy(answer: HttpAnswer, rules: readonly AnswerRule[]): RuleVerdict | null {
  for (const rule of rules) {
    const verdict = matchRule(rule, answer)
    if (verdict) return verdict
  }
  return null
}

function matchRule({ status, at: pointer, is, outcome, error, table }: AnswerRule, answer: HttpAnswer) {
  if (status && !status.some((it) => isStatus(it, answer.status))) return null
  const found = pointer === undefined ? undefined : valueAt(answer.json, pointer)
  if (pointer !== undefined && found === undefined) return null
  if (is && !is.some((it) => it === found)) return null
  if (table) return isPlain(found) ? (getOwnValue(table, String(found)) ?? null) : null
  return outcome ? { outcome, error } : null
}

function isStatus(wanted: number | string, status: number): boolean {
  return typeof wanted === 'number' ? wanted === status : wanted === `${Math.floor(status / 100)}xx`
}

/** Status codes that decide if no rule matches. These are errors of our own: the path, the account, the format of the call. */
const OWN_ERRORS = new Set([
  301, 307, 308, 401, 402, 403, 404, 405, 406, 407, 410, 411, 413, 414, 415, 417, 431, 451, 501, 505,
])
/** The carrier did nothing. */
const TEMPORARY = new Set([408, 421, 423, 424, 425])
/** The carrier may have the message from an earlier call. */
const MAYBE_ACCEPTED = new Set([409])

function interpretStatus(
  { status }: HttpAnswer,
  { reading, id }: { reading: AnswerReading; id: string | null },
): Verdict {
  if (status >= 200 && status < 300) {
    // With rules for success, this response matches none of them. Without rules, an id means success.
    const isSuccess = id !== null && !reading.rules.some(acceptsMessages)
    return isSuccess ? verdict('accepted') : unknown('refuses')
  }
  if (status === 429) return verdict('throttled')
  if (OWN_ERRORS.has(status)) return verdict('other_carrier', { alarm: true })
  if (TEMPORARY.has(status)) return verdict('other_carrier')
  if (status >= 400 && status < 500 && !MAYBE_ACCEPTED.has(status))
    return verdict('rejected', { error: 'carrier_rejected' })
  // A failed gateway or server may have passed the message on, and so may a redirect.
  return unknown('silent')
}

export function acceptsMessages({ outcome, table }: AnswerRule): boolean {
  return outcome === 'accepted' || Object.values(table ?? {}).some((it) => it.outcome === 'accepted')
}

function unknown(sign: CarrierSign): Verdict {
  return verdict('unknown', { sign })
}

function idAt(json: unknown, pointer: string | null): string | null {
  const found = pointer === null ? undefined : valueAt(json, pointer)
  const id = typeof found === 'number' || typeof found === 'string' ? String(found).replaceAll('\u0000', '') : ''
  return id !== '' && id.length <= MAX_ID_LENGTH ? id.toWellFormed() : null
}

function valueAt(json: unknown, pointer: string): unknown {
  const steps = parsePointer(pointer)
  return steps === null ? undefined : at(json, steps)
}

function isPlain(value: unknown): value is string | number | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

/** Other texts and bodies are not stored: they may repeat the message, and with it an OTP (D21). */
function saidBy({ status, json }: HttpAnswer, { said }: AnswerReading): string {
  const words = saidPointers(said)
    .map((pointer) => valueAt(json, pointer))
    .find((it) => it !== undefined)
  return toOneLine(`HTTP ${status} ${words === undefined ? '' : written(words)}`)
}

/** The places of the carrier's error text, in order. */
export function saidPointers(said: AnswerReading['said']): readonly string[] {
  return said === null ? [] : typeof said === 'string' ? [said] : said
}

/** JSON that is nested too deeply to serialize is not quoted. */
function written(words: unknown): string {
  if (typeof words === 'string') return words
  try {
    return JSON.stringify(words)
  } catch {
    return ''
  }
}

function oddityOf(
  { json, status }: HttpAnswer,
  { reading, isTaken, id, isRuled }: { reading: AnswerReading; isTaken: boolean; id: string | null; isRuled: boolean },
): string | null {
  if (json === undefined && status < 300) return 'response is not JSON'
  if (isTaken && reading.id !== null && id === null) return `response has no id at ${reading.id}`
  if (isRuled || isTaken || status >= 300) return null
  return reading.id !== null && id === null
    ? `no rule matches the response, and it has no id at ${reading.id}`
    : 'no rule matches the response'
}
