// What came back from a call, as what became of each of its messages.
import { inOneLine, type ReadAnswer } from '../../domain/http-carrier/answer.ts'
import type { HttpDescription } from '../../domain/http-carrier/description.ts'
import { readAnswers } from '../../domain/http-carrier/many.ts'
import type { MessageValues } from '../../domain/http-carrier/template.ts'
import { classify } from '../../domain/submission.ts'
import type { Submitted } from '../connection.ts'
import type { Exchanged } from './exchange.ts'

/** A message that waits for its call, or for what becomes of it. */
export interface Waiting {
  values: MessageValues
  resolve: (submitted: Submitted) => void
  onLateAnswer: (submitted: Submitted) => void
}

interface Reading {
  description: HttpDescription
  messages: readonly Waiting[]
  hide: (text: string) => string
}

export function submittedOf(exchanged: Exchanged, reading: Reading): (Submitted & { oddity: string | null })[] {
  const { description, messages, hide } = reading
  // A carrier that gives no id reports by our reference. What nobody knows to be taken has none until a report names it so (D15).
  const reportsByOurs = (description.receipts?.reading.reference ?? null) !== null
  const ours = (values: MessageValues) => (reportsByOurs || description.answer.id === null ? values.reference : null)
  if (exchanged.kind !== 'answered') {
    const judged = classify(exchanged)
    const rest = { said: null, commandStatus: null, carrierMessageId: null, reference: null, oddity: null }
    return messages.map(() => ({ ...judged, ...rest }))
  }
  const { status, body, oddity } = exchanged
  const references = messages.map(({ values }) => values.reference)
  const read = readAnswers(
    { status, json: parsed(body) },
    { reading: description.answer, many: description.many, references },
  )
  // What is said of all messages of a call at once is looked through once.
  const hidden = new Map<string, string>()
  return messages.map(({ values }, index) => {
    const { said, ...own } = read[index] as ReadAnswer
    const isTaken = own.outcome === 'taken'
    return {
      ...own,
      said: quoted(hidden.getOrInsertComputed(said, hide), values),
      commandStatus: status,
      reference: (reportsByOurs ? null : own.carrierMessageId) ?? (isTaken ? ours(values) : null),
      oddity: oddity ?? own.oddity,
    }
  })
}

const LONGEST_SAID = 200
/** So much is looked through for each message: longer than the longest text, of which half might be left otherwise. */
const LOOKED_THROUGH = 10_000

/** What a carrier says may repeat the message: its number, its words, and the code in them (D21). Cut at last, so that none is halved. */
function quoted(said: string, { text, toDigits, toNational }: MessageValues): string {
  const codes = text.match(/\d{4,}/g) ?? []
  const private_ = [inOneLine(text), toDigits, toNational, ...codes].filter((it) => it.length >= 4)
  return private_
    .reduce((hidden, it) => hidden.replaceAll(it, '***'), said.slice(0, LOOKED_THROUGH))
    .slice(0, LONGEST_SAID)
    .toWellFormed()
}

export function parsed(body: Buffer | null): unknown {
  if (body === null) return undefined
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

const LONGEST_REST_MS = 60_000

/** Of a Retry-After, in seconds or as a date; 0 where it is neither. */
export function restMs(retryAfter: string | null, now: Date): number {
  if (retryAfter === null) return 0
  const ms = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now.getTime()
  return Number.isFinite(ms) ? Math.min(LONGEST_REST_MS, Math.max(0, ms)) : 0
}
