// What an answer over HTTP means (D49): by the rules of the description in their order, else by its status code. Only what says for
// certain that the carrier has nothing may be sent again (D15); whatever leaves that open is unknown.

import type { CarrierSign, Verdict } from '../../messages/submission.ts'
import { verdict } from '../../messages/submission.ts'
import { ownOf } from '../../own.ts'
import type { AnswerReading, AnswerRule, HttpDescription, RuleVerdict } from './description.ts'
import { at, parsePointer } from './pointer.ts'
import { inOneLine, privateParts, type RedactorOf } from './redact.ts'
import type { MessageValues } from './template.ts'

/** As it came: `json` is undefined where the body is none. */
export interface HttpAnswer {
  status: number
  json: unknown
}

export interface ReadAnswer extends Verdict {
  carrierMessageId: string | null
  /** All of it, with what is private. */
  said: string
  /** For the log: why it could not be read as the description says. */
  oddity: string | null
}

/** What became of one message, for people and for its receipts. */
export interface ReadSubmission extends ReadAnswer {
  /** By which its receipts are found. */
  reference: string | null
}

const LONGEST_ID = 200

export function readAnswer(answer: HttpAnswer, reading: AnswerReading): ReadAnswer {
  const id = idAt(answer.json, reading.id)
  const said = saidBy(answer, reading)
  const ruled = ruledBy(answer, reading.rules)
  const judged = ruled ? verdict(ruled.outcome, ruledDetails(ruled)) : judgeStatus(answer, { reading, id })
  const isTaken = judged.outcome === 'accepted'
  return {
    ...judged,
    carrierMessageId: isTaken ? id : null,
    said,
    oddity: oddityOf(answer, { reading, isTaken, id, isRuled: ruled !== null }),
  }
}

/** The answer to the call with one message, its words without what is private. */
export function readSubmission(
  answer: HttpAnswer,
  { description, values, redactorOf }: { description: HttpDescription; values: MessageValues; redactorOf: RedactorOf },
): ReadSubmission {
  const read = readAnswer(answer, description.answer)
  // A carrier that gives no id reports by our reference. What nobody knows to be taken has none until a report names it so (D15).
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
const LONGEST_REST_MS = 60_000

/** Of a Retry-After, in seconds or as a date; 0 where it is neither. */
export function restMs(retryAfter: string | null, now: Date): number {
  if (retryAfter === null) return 0
  const ms = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now.getTime()
  return Number.isFinite(ms) ? Math.min(LONGEST_REST_MS, Math.max(0, ms)) : 0
}

function ruledDetails({ outcome, error }: RuleVerdict) {
  return { error: outcome === 'rejected' ? (error ?? 'carrier_rejected') : ('' as const) }
}

function ruledBy(answer: HttpAnswer, rules: readonly AnswerRule[]): RuleVerdict | null {
  for (const rule of rules) {
    const verdict = judgeRule(rule, answer)
    if (verdict) return verdict
  }
  return null
}

function judgeRule({ status, at: pointer, is, outcome, error, table }: AnswerRule, answer: HttpAnswer) {
  if (status && !status.some((it) => isStatus(it, answer.status))) return null
  const found = pointer === undefined ? undefined : valueAt(answer.json, pointer)
  if (pointer !== undefined && found === undefined) return null
  if (is && !is.some((it) => it === found)) return null
  if (table) return isPlain(found) ? (ownOf(table, String(found)) ?? null) : null
  return outcome ? { outcome, error } : null
}

function isStatus(wanted: number | string, status: number): boolean {
  return typeof wanted === 'number' ? wanted === status : wanted === `${Math.floor(status / 100)}xx`
}

/** What the status says for certain, where no rule knows better. Of our own making: the path, the account, the form of the call. */
const OURS = new Set([
  301, 307, 308, 401, 402, 403, 404, 405, 406, 407, 410, 411, 413, 414, 415, 417, 431, 451, 501, 505,
])
/** The carrier says itself that it did nothing. */
const NOT_NOW = new Set([408, 421, 423, 424, 425])
/** It may be the second time that it sees this message. */
const PERHAPS_TAKEN = new Set([409])

function judgeStatus({ status }: HttpAnswer, { reading, id }: { reading: AnswerReading; id: string | null }): Verdict {
  if (status >= 200 && status < 300) {
    // Where rules say what success is, this is none that they know; where the id says so, it is one with an id.
    const isSuccess = id !== null && !reading.rules.some(saysTaken)
    return isSuccess ? verdict('accepted') : unknown('refuses')
  }
  if (status === 429) return verdict('throttled')
  if (OURS.has(status)) return verdict('other_carrier', { alarm: true })
  if (NOT_NOW.has(status)) return verdict('other_carrier')
  if (status >= 400 && status < 500 && !PERHAPS_TAKEN.has(status))
    return verdict('rejected', { error: 'carrier_rejected' })
  // A gateway that lost its server, or a server its thread: the message may be behind them. So may it behind a redirect.
  return unknown('silent')
}

export function saysTaken({ outcome, table }: AnswerRule): boolean {
  return outcome === 'accepted' || Object.values(table ?? {}).some((it) => it.outcome === 'accepted')
}

function unknown(sign: CarrierSign): Verdict {
  return verdict('unknown', { sign })
}

function idAt(json: unknown, pointer: string | null): string | null {
  const found = pointer === null ? undefined : valueAt(json, pointer)
  const id = typeof found === 'number' || typeof found === 'string' ? String(found).replaceAll('\u0000', '') : ''
  return id !== '' && id.length <= LONGEST_ID ? id.toWellFormed() : null
}

function valueAt(json: unknown, pointer: string): unknown {
  const steps = parsePointer(pointer)
  return steps === null ? undefined : at(json, steps)
}

function isPlain(value: unknown): value is string | number | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

/** Of what is no JSON, or stands elsewhere, nothing is quoted: it may repeat the message, and that may hold a code (D21). */
function saidBy({ status, json }: HttpAnswer, { said }: AnswerReading): string {
  const words = saidAt(said)
    .map((pointer) => valueAt(json, pointer))
    .find((it) => it !== undefined)
  return inOneLine(`HTTP ${status} ${words === undefined ? '' : written(words)}`)
}

/** Where a carrier's words may stand, the first place first. */
export function saidAt(said: AnswerReading['said']): readonly string[] {
  return said === null ? [] : typeof said === 'string' ? [said] : said
}

/** What is nested deeper than anything can be written is not quoted. */
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
  if (json === undefined && status < 300) return 'the answer is not JSON'
  if (isTaken && reading.id !== null && id === null) return `the answer has no id at ${reading.id}`
  if (isRuled || isTaken || status >= 300) return null
  return reading.id !== null && id === null
    ? `no rule fits the answer, and it has no id at ${reading.id}`
    : 'no rule fits the answer'
}
