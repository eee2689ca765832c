// What came back from a call, as what became of each of its messages.
import { inOneLine, type ReadAnswer } from '../../domain/carriers/http/answer.ts'
import type { HttpDescription } from '../../domain/carriers/http/description.ts'
import { readAnswers } from '../../domain/carriers/http/many.ts'
import { readJson } from '../../domain/carriers/http/read-json.ts'
import type { MessageValues } from '../../domain/carriers/http/template.ts'
import { classify } from '../../domain/messages/submission.ts'
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
  const hideDigits = digitsHider(messages)
  return messages.map(({ values }, index) => {
    const { said, ...own } = read[index] as ReadAnswer
    const isTaken = own.outcome === 'taken'
    return {
      ...own,
      said: quoted(hidden.getOrInsertComputed(said, hide), values, hideDigits),
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
function quoted(said: string, { text }: MessageValues, hideDigits: (said: string) => string): string {
  const words = inOneLine(text)
  const looked = said.slice(0, LOOKED_THROUGH)
  return hideDigits(words.length >= SHORTEST_PRIVATE ? looked.replaceAll(words, HIDDEN) : looked)
    .slice(0, LONGEST_SAID)
    .toWellFormed()
}

const HIDDEN = '***'
const SHORTEST_PRIVATE = 4

/**
 * Blanks out numbers and codes of all messages of a call: what it says of one may repeat another, which is somebody else's. Each run of
 * digits is looked up, by each length that there is, so that a call of a thousand messages takes no longer for each of them.
 */
function digitsHider(messages: readonly Waiting[]): (said: string) => string {
  const private_ = new Set(
    messages
      .flatMap(({ values: { text, toDigits, toNational } }) => [
        toDigits,
        toNational,
        ...(text.match(/\p{Nd}{4,}/gu) ?? []),
      ])
      .filter((it) => it.length >= SHORTEST_PRIVATE),
  )
  const lengths = [...new Set(Array.from(private_, (it) => it.length))].sort((one, other) => other - one)
  return (said) =>
    said.replaceAll(/\p{Nd}{4,}/gu, (run) => {
      let shown = ''
      for (let from = 0; from < run.length; ) {
        const length = lengths.find((it) => private_.has(run.slice(from, from + it)))
        shown += length === undefined ? run[from] : HIDDEN
        from += length ?? 1
      }
      return shown
    })
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
