// What may go wrong, as one class: decide by `code`; a `switch` over it is checked by the compiler.
import type { ErrorBody, ErrorCode } from './types.ts'

/** What the service answers. */
export type ServiceCode = ErrorCode
/** What happens before it answers: nobody did, or not in time, or it was no answer of the service, or the caller gave up. */
export type LocalCode = 'network' | 'timeout' | 'unreadable' | 'aborted'

type Code = ServiceCode | LocalCode

type Details = NonNullable<ErrorBody['details']>

/** What the service adds to these codes. */
interface DetailsByCode {
  invalid_request: Extract<Details, readonly unknown[]>
  invalid_variables: Extract<Details, readonly unknown[]>
  destination_not_supported: Extract<Details, { country: string }>
  insufficient_balance: Extract<Details, { balance: number }>
  template_required: Extract<Details, { templateId: string }>
}

export interface ErrorFacts {
  code: Code
  message: string
  status: number
  details?: ErrorBody['details']
  requestId?: string | null
  retryAfterSeconds?: number | null
  idempotencyKey?: string | null
  cause?: unknown
}

// Its name is what a log shows of it.
const AnyError = class HulakiError extends Error {
  override readonly name = 'HulakiError'
  readonly code: Code
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

interface ErrorOf<Its extends Code> extends Omit<InstanceType<typeof AnyError>, 'code' | 'details'> {
  readonly code: Its
  readonly details: Its extends keyof DetailsByCode ? DetailsByCode[Its] | undefined : undefined
}

/** One type for each code, so that whoever has compared the code has the `details` that belong to it. */
export type HulakiError = { [Its in Code]: ErrorOf<Its> }[Code]

interface HulakiErrorClass {
  new (facts: ErrorFacts): HulakiError
  readonly prototype: HulakiError
}

// The service keeps to which code has which details (§2.6), which the compiler cannot know of what it reads.
export const HulakiError = AnyError as unknown as HulakiErrorClass
