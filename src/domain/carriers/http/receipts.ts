// How a carrier over HTTP tells what became of a message after it took it: it calls us, or we ask it. It is part of the description,
// data like the rest of it (D48).
import type { FailureCode } from '../../message-status.ts'
import type { HTTP_METHODS, HttpAuth, HttpBody } from './call.ts'

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
