// What came back from a call, as what became of its message.
import { inOneLine, readAnswer } from '../../domain/carriers/http/answer.ts'
import type { HttpDescription } from '../../domain/carriers/http/description.ts'
import { readJson } from '../../domain/carriers/http/read-json.ts'
import type { MessageValues } from '../../domain/carriers/http/template.ts'
import { type Submitted, unanswered } from '../connection.ts'
import type { Exchanged } from './exchange.ts'

/** A message that waits for its call, or for what becomes of it. */
export interface Waiting {
  values: MessageValues
  resolve: (submitted: Submitted) => void
  onLateAnswer: (submitted: Submitted) => void
}

interface Reading {
  description: HttpDescription
  values: MessageValues
  hide: (text: string) => string
}

export function submittedOf(exchanged: Exchanged, reading: Reading): Submitted & { oddity: string | null } {
  const { description, values, hide } = reading
  if (exchanged.kind !== 'answered') return { ...unanswered(exchanged), oddity: null }
  const { status, body, oddity } = exchanged
  const { said, ...own } = readAnswer({ status, json: parsed(body) }, description.answer)
  // A carrier that gives no id reports by our reference. What nobody knows to be taken has none until a report names it so (D15).
  const reportsByOurs = (description.receipts?.reading.reference ?? null) !== null
  const isOurs = reportsByOurs || description.answer.id === null
  const ours = isOurs && own.outcome === 'taken' ? values.reference : null
  const shown = quoted(hide(said), values)
  return {
    ...own,
    said: shown,
    ...(/^HTTP [1-5]\d\d$/.test(shown) && { statusName: shown }),
    commandStatus: status,
    reference: (reportsByOurs ? null : own.carrierMessageId) ?? ours,
    oddity: oddity ?? own.oddity,
  }
}

const LONGEST_SAID = 200
/** So much is looked through: longer than the longest text, of which half might be left otherwise. */
const LOOKED_THROUGH = 10_000
const HIDDEN = '***'
const SHORTEST_PRIVATE = 4

/** What a carrier says may repeat the message: its number, its words, and the code in them (D21). Cut at last, so that none is halved. */
function quoted(said: string, { text, toDigits, toNational }: MessageValues): string {
  const digits = [toDigits, toNational, ...(text.match(/\p{Nd}{4,}/gu) ?? [])]
  const longestFirst = [inOneLine(text), ...digits]
    .filter((it) => it.length >= SHORTEST_PRIVATE)
    .sort((one, other) => other.length - one.length)
  return longestFirst
    .reduce((shown, it) => shown.replaceAll(it, HIDDEN), said.slice(0, LOOKED_THROUGH))
    .slice(0, LONGEST_SAID)
    .toWellFormed()
}

export function parsed(body: Buffer | null): unknown {
  return body === null ? undefined : readJson(body)
}

const LONGEST_REST_MS = 60_000

/** Of a Retry-After, in seconds or as a date; 0 where it is neither. */
export function restMs(retryAfter: string | null, now: Date): number {
  if (retryAfter === null) return 0
  const ms = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now.getTime()
  return Number.isFinite(ms) ? Math.min(LONGEST_REST_MS, Math.max(0, ms)) : 0
}
