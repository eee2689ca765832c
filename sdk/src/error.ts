// The error class of the SDK. The compiler checks a `switch` over its `code`.
import type { ErrorBody, ErrorCode } from './types.ts'

/** Error codes of the service. */
export type ServiceCode = ErrorCode
/** No response, no response in time, a response that is not from the service, or aborted by the caller. */
export type LocalCode = 'network' | 'timeout' | 'unreadable' | 'aborted'

type Code = ServiceCode | LocalCode

type Details = NonNullable<ErrorBody['details']>

/** The type of `details` by error code. */
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

// The class name appears in logs.
const AnyError = class HulakiError extends Error {
  override readonly name = 'HulakiError'
  readonly code: Code
  /** The HTTP status; 0 without a response. */
  readonly status: number
  readonly details: ErrorBody['details']
  /** The id of the request in the log of the service. */
  readonly requestId: string | null
  /** When to retry, if the service says so. */
  readonly retryAfterSeconds: number | null
  /**
   * The key of the call; null for a GET. After `network`, `timeout` or `aborted` the message may have been accepted: repeat the call
   * with this key within 24 hours, and the message is sent and charged once.
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

/** One type per code, so that a comparison of `code` narrows the type of `details`. */
export type HulakiError = { [Its in Code]: ErrorOf<Its> }[Code]

interface HulakiErrorClass {
  new (facts: ErrorFacts): HulakiError
  readonly prototype: HulakiError
}

// The cast is safe: the service guarantees the details of each code (§2.6).
export const HulakiError = AnyError as unknown as HulakiErrorClass
