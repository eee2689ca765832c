// The description of an HTTP carrier by its operator (D48): the request, and how to read the response. It is data: stored as JSON, validated
// when it is saved, and never executed.
import type { FailureCode } from '../../message-status.ts'
import type { AnswerOverride } from '../../messages/submission.ts'

export interface HttpDescription {
  /** The preset it was created from (D63), for display. */
  preset: { name: string; version: number } | null
  /** Prefixes of the numbers this carrier serves; empty for all. Others are rejected before the call. */
  onlyTo: string[]
  method: (typeof HTTP_METHODS)[number]
  /** A template; the part before the path has no placeholders. */
  url: string
  /** Templates by header name. */
  headers: Record<string, string>
  auth: HttpAuth | null
  body: HttpBody | null
  answer: AnswerReading
  receipts: HttpReceipts | null
}

/** The first matching rule decides; without one, the status codes of D49. */
export interface AnswerReading {
  rules: AnswerRule[]
  /** Pointer to the carrier's id of the message; null if the carrier gives none and reports by our reference. */
  id: string | null
  /** Pointer to the carrier's error text; of several, the first one with a value. */
  said: string | string[] | null
}

/** Matches if all its conditions hold. A rule has an outcome, or a table of outcomes by the value at its pointer. */
export interface AnswerRule {
  /** Status codes, for example 200, or classes, for example `2xx`. */
  status?: (number | string)[] | undefined
  /** Pointer into the JSON response; without `is` or `table`, any value matches. */
  at?: string | undefined
  is?: (string | number | boolean | null)[] | undefined
  outcome?: RuleOutcome | undefined
  error?: FailureCode | undefined
  /** By the value as text. */
  table?: Record<string, RuleVerdict> | undefined
}

export interface RuleVerdict {
  outcome: RuleOutcome
  error?: FailureCode | undefined
}

type RuleOutcome = AnswerOverride['outcome'] | 'unknown'
export const RULE_OUTCOMES = ['accepted', 'throttled', 'other_carrier', 'retryable', 'rejected', 'unknown'] as const

export const HTTP_METHODS = ['POST', 'PUT', 'GET'] as const

/** Our credentials; every text is a template over secrets. */
export type HttpAuth =
  | { kind: 'header'; name: string; value: string }
  | { kind: 'basic'; user: string; password: string }
  | { kind: 'query'; name: string; value: string }

/** The texts in the JSON, or the values of the fields, are templates. */
export type HttpBody = { kind: 'json'; value: JsonValue } | { kind: 'form'; fields: Record<string, string> }

export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue }

/** Without receipts, `sent` is the final status of messages (D56). */
export type HttpReceipts = ReceiptCallback | ReceiptPoll

/** The carrier calls its own callback URL. */
export interface ReceiptCallback {
  kind: 'callback'
  reading: ReceiptReading
  /** Authenticates a callback beyond the secret URL (D52); null checks nothing else. */
  check: ReceiptCheck | null
  /** The response that the carrier expects after the report is stored (D53). */
  answer: { status: number; type: (typeof ANSWER_TYPES)[number]; body: string }
}

/** The poll request; its templates use the placeholders of a polled message (D54). */
interface PollRequest {
  method: (typeof HTTP_METHODS)[number]
  url: string
  headers: Record<string, string>
  /** `same` uses the credentials of the submit call; null uses none. */
  auth: HttpAuth | 'same' | null
  body: HttpBody | null
  /** How one call polls for several messages; null polls for one message per call. */
  many: ManyPerPoll | null
}

/** Either `join` or `items` is set. */
interface ManyPerPoll {
  most: number
  /** The text between the values of one placeholder, not escaped. */
  join: string | null
  /** Pointer into the JSON body: a list with one item, which is repeated for each message. */
  items: string | null
}

/** Hulaki polls the carrier until it has a final receipt (D54). */
export interface ReceiptPoll extends PollRequest {
  kind: 'poll'
  /** Places are pointers into the response. A response about one message need not name it. */
  reading: ReceiptReading
  /** After the carrier accepted the message; each further wait doubles. */
  firstAfterSeconds: number
  longestWaitSeconds: number
  /** Concurrent calls, and calls per second, over all processes. */
  atOnce: number
  perSecond: number
}

/**
 * The places of a receipt's values. A place is a JSON pointer into the body (`/message/id`), a form field (`form:MessageSid`), a query
 * parameter (`query:ref`), or a top-level name in any of these (`any:status`).
 */
export interface ReceiptReading {
  /** Pointer to the list of receipts; pointers are then relative to each item. null is one receipt per call. */
  list: string | null
  /** Either the carrier's id of the message, or our reference. */
  id: string | null
  reference: string | null
  state: string
  /** Meanings by state, or by prefix (`REJECTED_*`); other states have their SMPP meaning. */
  states: Record<string, StateMeaning>
  code: string | null
  /** The failure code of an undelivered message, by the carrier's error code. */
  codes: Record<string, { error: FailureCode }>
  /** The number, if a receipt has it. */
  to: string | null
  /** The carrier's own time, for display. */
  time: string | null
}

/** `sent`: the mobile operator has the message. The status does not change, and without another receipt `sent` is final (D13). */
export const STATE_MEANINGS = ['pending', 'sent', 'delivered', 'undelivered', 'rejected', 'expired'] as const

export interface StateMeaning {
  status: (typeof STATE_MEANINGS)[number]
  /** Only with `undelivered`. */
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
      /** The header with the signature, and the text before the signature in it. */
      header: string
      prefix: string
      algorithm: (typeof HMAC_ALGORITHMS)[number]
      encoding: (typeof HMAC_ENCODINGS)[number]
      /** The raw body, or the URL followed by the form fields in alphabetical order. */
      over: (typeof HMAC_OVER)[number]
      key: string
    }

export const HMAC_ALGORITHMS = ['sha1', 'sha256', 'sha512'] as const
export const HMAC_ENCODINGS = ['hex', 'base64'] as const
export const HMAC_OVER = ['body', 'url_and_form'] as const

/** D43: limits for operators. */
export const HTTP_BOUNDS = {
  url: 2_000,
  template: 2_000,
  headers: 30,
  onlyTo: 50,
  rules: 100,
  tableRows: 500,
  secrets: 20,
  secret: 4_000,
  /** The whole description as JSON. */
  description: 50_000,
} as const

/** D43: limits for operators, and for the callbacks of carriers. */
export const RECEIPT_BOUNDS = {
  tableRows: 500,
  place: 220,
  answer: 1_000,
  reportsPerCall: 1_000,
} as const

export const POLL_BOUNDS = {
  maxPerCall: 1_000,
  join: 20,
  firstAfterSeconds: { least: 1, most: 3_600, usual: 10 },
  longestWaitSeconds: { least: 300, most: 86_400, usual: 6 * 3_600 },
  atOnce: { most: 20, usual: 2 },
  perSecond: { most: 100, usual: 5 },
} as const
