// A carrier that is spoken to over HTTP, as its operator describes it (D48): what is asked, and how the answer is read. It is data: kept
// as JSON, judged when it is saved, and never run.
import type { FailureCode } from '../../message-status.ts'
import type { AnswerOverride } from '../../messages/submission.ts'

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
export const RULE_OUTCOMES = ['accepted', 'throttled', 'other_carrier', 'retryable', 'rejected', 'unknown'] as const

export const HTTP_METHODS = ['POST', 'PUT', 'GET'] as const

/** Who we are; every text is a template over secrets. */
export type HttpAuth =
  | { kind: 'header'; name: string; value: string }
  | { kind: 'basic'; user: string; password: string }
  | { kind: 'query'; name: string; value: string }

/** Templates are the texts within the JSON, or the values of the fields. */
export type HttpBody = { kind: 'json'; value: Json } | { kind: 'form'; fields: Record<string, string> }

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

/** Where this is null it does not tell, and `sent` is the end of its messages (D56). */
export type HttpReceipts = ReceiptCallback | ReceiptPoll

/** The carrier calls the address of its own that we gave it. */
export interface ReceiptCallback {
  kind: 'callback'
  reading: ReceiptReading
  /** How a call shows that it is the carrier's, beside knowing the address (D52); null is by that alone. */
  check: ReceiptCheck | null
  /** What it wants to hear once the report is stored (D53). */
  answer: { status: number; type: (typeof ANSWER_TYPES)[number]; body: string }
}

/** What is asked; templates are over the message that is asked about (D54), and what stands in its place. */
export interface PollRequest {
  method: (typeof HTTP_METHODS)[number]
  url: string
  headers: Record<string, string>
  /** As the call that hands messages over has it, unless it is said here; null is none. */
  auth: HttpAuth | 'same' | null
  body: HttpBody | null
  /** How one call asks about many messages; null is one message per call. */
  many: ManyPerPoll | null
}

/** One of the two. */
export interface ManyPerPoll {
  most: number
  /** What stands between the values of one placeholder, as it is written here. */
  join: string | null
  /** Pointer into the JSON of the body: a list of one item, which is repeated for each message. */
  items: string | null
}

/** We ask the carrier, again and again until it knows (D54). */
export interface ReceiptPoll extends PollRequest {
  kind: 'poll'
  /** Places are pointers into the answer. Where one message is asked about, the answer need not name it. */
  reading: ReceiptReading
  /** After the carrier took it; each wait from then on is twice as long as the one before. */
  firstAfterSeconds: number
  longestWaitSeconds: number
  /** Calls under way at once, and begun in a second: of all processes together. */
  atOnce: number
  perSecond: number
}

/**
 * Where a receipt has what. A place is a JSON pointer into the body (`/message/id`), a field of a form (`form:MessageSid`), a parameter
 * of the query (`query:ref`), or a name at the top of whichever of these has it (`any:status`).
 */
export interface ReceiptReading {
  /** Pointer to the list of reports; pointers are then read within each. null is one report per call. */
  list: string | null
  /** The carrier's id of the message, or our reference: one of them. */
  id: string | null
  reference: string | null
  state: string
  /** What states mean, by their words, or by how they begin (`REJECTED_*`); those that are not here are read as SMPP has them. */
  states: Record<string, StateMeaning>
  code: string | null
  /** What an undelivered message is put down to, by its code. */
  codes: Record<string, { error: FailureCode }>
  /** The number, where a receipt has it. */
  to: string | null
  /** The carrier's own time, for people to see. */
  time: string | null
}

/** `sent`: the operator has it, and may never tell more. Nothing changes, and without another receipt `sent` is the end (D13). */
export const STATE_MEANINGS = ['pending', 'sent', 'delivered', 'undelivered', 'rejected', 'expired'] as const

export interface StateMeaning {
  status: (typeof STATE_MEANINGS)[number]
  /** Of `undelivered` alone. */
  error?: FailureCode | undefined
}

export const ANSWER_TYPES = ['text/plain', 'application/json', 'text/xml'] as const

/** Values and keys are templates over secrets. */
export type ReceiptCheck =
  | { kind: 'header'; name: string; value: string }
  | { kind: 'query'; name: string; value: string }
  | { kind: 'basic'; user: string; password: string }
  | {
      kind: 'hmac'
      /** The header with the signature, and what stands in it before that. */
      header: string
      prefix: string
      algorithm: (typeof HMAC_ALGORITHMS)[number]
      encoding: (typeof HMAC_ENCODINGS)[number]
      /** The body as it came, or the address followed by each field of the form in the order of their names. */
      over: (typeof HMAC_OVER)[number]
      key: string
    }

export const HMAC_ALGORITHMS = ['sha1', 'sha256', 'sha512'] as const
export const HMAC_ENCODINGS = ['hex', 'base64'] as const
export const HMAC_OVER = ['body', 'url_and_form'] as const

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

/** D43: what an operator may make of it, and a carrier of one call. */
export const RECEIPT_BOUNDS = {
  tableRows: 500,
  place: 220,
  answer: 1_000,
  reportsPerCall: 1_000,
} as const

export const POLL_BOUNDS = {
  mostPerCall: 1_000,
  join: 20,
  firstAfterSeconds: { least: 1, most: 3_600, usual: 10 },
  longestWaitSeconds: { least: 300, most: 86_400, usual: 6 * 3_600 },
  atOnce: { most: 20, usual: 2 },
  perSecond: { most: 100, usual: 5 },
} as const
