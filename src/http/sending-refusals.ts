// The error codes of calls that send a message, which both HTTP APIs share.

/** A message that is sent for a client in the management API. */
export const CLIENT_REFUSALS = [
  'client_disabled',
  'ip_not_allowed',
  'workspace_pending',
  'workspace_suspended',
  'conflict',
  'unavailable',
] as const

const SENDING_REFUSALS = [
  'invalid_number',
  'insufficient_balance',
  'forbidden',
  'type_not_allowed',
  'prefix_not_allowed',
  'destination_not_supported',
  'daily_cap',
  'number_cap',
  'sms_disabled',
] as const

export const TEXT_REFUSALS = [
  ...SENDING_REFUSALS,
  'invalid_variables',
  'template_required',
  'idempotency_conflict',
] as const

export const OTP_REFUSALS = [...SENDING_REFUSALS, 'suspected_pumping'] as const
