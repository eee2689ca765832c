// What may go wrong, as one class: decide by `code`; a `switch` over it is checked by the compiler.
import type { ErrorBody, ErrorCode } from './types.ts'

/** What the service answers. */
export type ServiceCode = ErrorCode
/** What happens before it answers: nobody did, or not in time, or it was no answer of the service, or the caller gave up. */
export type LocalCode = 'network' | 'timeout' | 'unreadable' | 'aborted'

export interface ErrorFacts {
  code: ServiceCode | LocalCode
  message: string
  status: number
  details?: ErrorBody['details']
  requestId?: string | null
  retryAfterSeconds?: number | null
  idempotencyKey?: string | null
  cause?: unknown
}

export class HulakiError extends Error {
  override readonly name = 'HulakiError'
  readonly code: ServiceCode | LocalCode
  /** The HTTP status; 0 where there was no answer. */
  readonly status: number
  readonly details: ErrorBody['details']
  /** For whoever runs the service: under this id it stands in the log. */
  readonly requestId: string | null
  /** When to ask again, where the service says so. */
  readonly retryAfterSeconds: number | null
  /**
   * The one that the call carried; null for what only reads. After a `network`, `timeout` or `aborted` nobody knows whether the
   * message was accepted: made again with this key within 24 hours, the call sends it once and charges it once.
   */
  readonly idempotencyKey: string | null

  constructor(facts: ErrorFacts) {
    super(facts.message, facts.cause === undefined ? {} : { cause: facts.cause })
    this.code = facts.code
    this.status = facts.status
    this.details = facts.details
    this.requestId = facts.requestId ?? null
    this.retryAfterSeconds = facts.retryAfterSeconds ?? null
    this.idempotencyKey = facts.idempotencyKey ?? null
  }
}
