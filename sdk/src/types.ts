// Made by `npm run generate -- types` from the OpenAPI document of the v1 API; a test tells when it is stale.
// biome-ignore-all format: made by a program

/** Every code that the service refuses with. */
export type ErrorCode = 'client_disabled' | 'daily_cap' | 'destination_not_supported' | 'forbidden' | 'idempotency_conflict' | 'insufficient_balance' | 'invalid_number' | 'invalid_request' | 'invalid_variables' | 'ip_not_allowed' | 'not_found' | 'number_cap' | 'prefix_not_allowed' | 'rate_limited' | 'server_error' | 'sms_disabled' | 'suspected_pumping' | 'template_required' | 'type_not_allowed' | 'unauthorized' | 'unavailable' | 'workspace_pending' | 'workspace_suspended'

export type Balance = { balance: number; currency: string; rate: { transactional: number; otp: number; promotional: number }; allowedTypes: ('transactional' | 'otp' | 'promotional')[]; counters: { sent: number; delivered: number; failed: number }; workspaceStatus: 'active' | 'pending' | 'suspended' }
export type CodeRequest = { to: string; purpose?: string | null; ip?: string | null; senderId?: string | null }
export type CodeSent = { success: true; otpId: string; messageId: string; expiresInSeconds: 300 }
export type CodeTry = { to: string; code: string; purpose?: string | null }
export type CodeVerdict = { success: true; verified: boolean; reason?: 'invalid_code' | 'too_many_attempts' | 'no_active_otp' }
export type Coverage = { live: { code: string; name: string }[]; comingSoon: { code: string; name: string }[]; country: string; allowed: string[] }
export type ErrorBody = { error: string; code: string; details?: { path: (string | number)[]; message: string; code: string }[] | { country: string; allowed: string[] } | { balance: number; cost: number } | { templateId: string; name: string; status: 'approved' | 'pending' | 'rejected'; difference?: { position: number; expected: string; found: string } } }
export type InboundEvent = { type: 'message.inbound'; id: string; from: string; text: string; at: string; inReplyTo?: string }
export type Message = { _id: string; to: string; from: string; text: string; type: 'transactional' | 'otp' | 'promotional'; encoding: 'GSM7' | 'UCS2'; segments: number; cost: number; status: 'queued' | 'submitting' | 'submitted' | 'sent' | 'delivered' | 'undelivered' | 'failed' | 'rejected' | 'test'; error: '' | 'network_unavailable' | 'delivery_timeout' | 'carrier_rejected' | 'invalid_number' | 'delivery_failed'; attempts: number; dlr?: { status: string; code: string; raw: string; at: string }; submittedAt: string | null; sentAt: string | null; deliveredAt: string | null; failedAt: string | null; createdAt: string; updatedAt: string }
export type PublicCoverage = { live: { code: string; name: string }[]; comingSoon: { code: string; name: string }[] }
export type Sending = { to: string; text: string; templateId?: null; variables?: Record<string, string | number> | null; type?: 'transactional' | 'otp' | 'promotional' | null; senderId?: string | null } | { to: string; text?: null; templateId: string; variables?: Record<string, string | number> | null; type?: 'transactional' | 'otp' | 'promotional' | null; senderId?: string | null }
export type SendingAccepted = { success: true; messageId: string; status: 'queued'; segments: number; cost: number; encoding: 'GSM7' | 'UCS2'; from: string }
export type StatusEvent = { type: 'message.status'; id: string; status: 'queued' | 'sent' | 'delivered' | 'undelivered' | 'failed'; to: string; at: string; messageType: 'transactional' | 'otp' | 'promotional'; segments: number; error?: string }
