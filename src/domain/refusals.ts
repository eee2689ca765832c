// Every rejection (§7.1, §7.2), with its HTTP status. A refusal is a value; it is never thrown.
import type { TemplateStatus } from './template-status.ts'

export const REFUSALS = {
  invalid_request: { status: 400, error: 'The request is not valid' },
  invalid_number: { status: 400, error: 'The number cannot receive SMS' },
  invalid_variables: { status: 400, error: 'The template variables are not valid' },
  unauthorized: { status: 401, error: 'Invalid API key' },
  insufficient_balance: { status: 402, error: 'The balance is lower than the cost of the message' },
  client_disabled: { status: 403, error: 'This API client is disabled' },
  workspace_pending: { status: 403, error: 'The workspace is not activated yet' },
  workspace_suspended: { status: 403, error: 'The workspace is suspended' },
  forbidden: { status: 403, error: 'This message type is not allowed for the workspace' },
  template_required: { status: 403, error: 'The message matches no approved template of its type' },
  type_not_allowed: { status: 403, error: 'This API key may not send this message type' },
  ip_not_allowed: { status: 403, error: 'This API key may not be used from this address' },
  prefix_not_allowed: { status: 403, error: 'This API key may not send to numbers with this prefix' },
  // Only in the management API, like conflict and key_limit.
  sign_in_again: { status: 403, error: 'Sign in again to do this' },
  not_found: { status: 404, error: 'Not found' },
  conflict: { status: 409, error: 'The request conflicts with the current state' },
  key_limit: { status: 409, error: 'The client has two active API keys; revoke one first' },
  idempotency_conflict: { status: 409, error: 'The Idempotency-Key was used with another body' },
  destination_not_supported: { status: 422, error: 'This API key cannot send to this country' },
  rate_limited: { status: 429, error: 'Too many requests' },
  daily_cap: { status: 429, error: 'This API key has reached its daily message cap' },
  number_cap: { status: 429, error: 'Too many messages to this number within an hour' },
  suspected_pumping: { status: 429, error: 'This traffic looks like SMS pumping' },
  server_error: { status: 500, error: 'Something went wrong on our side' },
  unavailable: { status: 503, error: 'Delivery is temporarily unavailable; nothing was charged' },
  sms_disabled: { status: 503, error: 'The SMS service is temporarily switched off' },
} as const satisfies Record<string, { status: number; error: string }>

export type RefusalCode = keyof typeof REFUSALS

/** One error in a request body (§2.6). */
export interface FieldError {
  path: (string | number)[]
  message: string
  code: string
}

/** For a text without an approved template: the closest template, or a matching one that is not approved. */
export interface NearestTemplate {
  templateId: string
  name: string
  status: TemplateStatus
  /** The first difference from an approved one. */
  difference?: { position: number; expected: string; found: string }
}

export interface RefusalDetails {
  /** Replaces the default sentence; for people, never for logic (§2.6). */
  error?: string
  details?: FieldError[] | { country: string; allowed: string[] } | { balance: number; cost: number } | NearestTemplate
  retryAfterSeconds?: number
  /** D28: a body that is too large has its own status. */
  status?: 413
  /** Distinguishes refusals of one code where they are counted (D75); not part of the error response. */
  reason?: string
}

export class Refusal {
  readonly code: RefusalCode
  readonly status: number
  readonly error: string
  readonly details: RefusalDetails['details']
  readonly retryAfterSeconds: number | undefined
  /** The code, where there is no finer reason. */
  readonly reason: string

  constructor(code: RefusalCode, { error, details, retryAfterSeconds, status, reason = code }: RefusalDetails) {
    this.code = code
    this.status = status ?? REFUSALS[code].status
    this.error = error ?? REFUSALS[code].error
    this.details = details
    this.retryAfterSeconds = retryAfterSeconds
    this.reason = reason
  }
}

export function refuse(code: RefusalCode, details: RefusalDetails = {}): Refusal {
  return new Refusal(code, details)
}

/** The response before any work, to every request. */
export const OVERLOADED = refuse('unavailable', {
  error: 'The service is overloaded; nothing was charged',
  retryAfterSeconds: 1,
})

/** An error that a schema cannot detect, in the same shape as schema errors. */
export function refuseField(path: string, message: string): Refusal {
  return refuse('invalid_request', { error: message, details: [{ path: [path], message, code: 'custom' }] })
}
