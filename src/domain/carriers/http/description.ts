// A carrier that is spoken to over HTTP, as its operator describes it (D48): what is asked, and how the answer is read. It is data: kept
// as JSON, judged when it is saved, and never run.
import type { FailureCode } from '../../message-status.ts'
import type { AnswerOverride } from '../../messages/submission.ts'
import type { HTTP_METHODS, HttpAuth, HttpBody } from './call.ts'
import type { HttpReceipts } from './receipts.ts'

export interface HttpDescription {
  /** What it was made from (D63), for people to see. */
  preset: { name: string; version: number } | null
  /** Beginnings of the numbers it may be given; none is all. Others are refused before the wire. */
  onlyTo: string[]
  method: (typeof HTTP_METHODS)[number]
  /** A template; the part before the path holds no placeholder. */
  url: string
  /** Templates by the name of their header. */
  headers: Record<string, string>
  auth: HttpAuth | null
  body: HttpBody | null
  answer: AnswerReading
  receipts: HttpReceipts | null
}

/** Rules in order, the first that fits decides; where none does, D49's table of status codes. */
export interface AnswerReading {
  rules: AnswerRule[]
  /** Pointer to the carrier's id of the message; null where it gives none, and reports by our reference. */
  id: string | null
  /** Pointer to the carrier's words, for people to read; of several the first that leads to something. */
  said: string | string[] | null
}

/** Where every condition that is given holds. A rule has an outcome, or a table of them by the value at its pointer. */
export interface AnswerRule {
  /** Status codes such as 200, or classes such as `2xx`. */
  status?: (number | string)[] | undefined
  /** Pointer into the JSON of the answer; without `is` or `table`, that there is anything. */
  at?: string | undefined
  is?: (string | number | boolean | null)[] | undefined
  outcome?: RuleOutcome | undefined
  error?: FailureCode | undefined
  /** By the value, as text. */
  table?: Record<string, RuleVerdict> | undefined
}

export interface RuleVerdict {
  outcome: RuleOutcome
  error?: FailureCode | undefined
}

export type RuleOutcome = AnswerOverride['outcome'] | 'unknown'
export const RULE_OUTCOMES = ['taken', 'slow', 'elsewhere', 'retry_twice', 'refused', 'unknown'] as const

/** D43: what an operator may make of it. */
export const HTTP_BOUNDS = {
  url: 2_000,
  template: 2_000,
  headers: 30,
  onlyTo: 50,
  rules: 100,
  tableRows: 500,
  secrets: 20,
  secret: 4_000,
  /** Of the whole description as JSON. */
  description: 50_000,
} as const
