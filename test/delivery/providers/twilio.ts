// Twilio, by its "Messages resource" and "Error and Warning Dictionary": 201 with a sid, else a code in JSON. It calls StatusCallback with a
// form for each change, signed over that address and the form.
import { createHmac } from 'node:crypto'
import { type FakeProvider, formOf, type ProviderCall, type ProviderResponse, type ReportedState } from './fake.ts'

const SID = `AC${'0123456789abcdef'.repeat(2)}`
const TOKEN = 'a-token-of-twilio'
const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
export const API_KEY = { sid: `SK${'0123456789abcdef'.repeat(2)}`, secret: 'a-secret-of-a-key' }
export const SERVICE_SID = `MG${'0123456789abcdef'.repeat(2)}`
/** Basic auth with the account's token, or with an API key and its secret. */
const ACCOUNTS = [basic(SID, TOKEN), basic(API_KEY.sid, API_KEY.secret)]

const no = (status: number, code: number, message: string): ProviderResponse => ({
  status,
  body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
})

const STATES: Record<ReportedState, Record<string, string>> = {
  pending: { MessageStatus: 'sent' },
  delivered: { MessageStatus: 'delivered' },
  undelivered: { MessageStatus: 'undelivered', ErrorCode: '30003' },
  'invalid number': { MessageStatus: 'failed', ErrorCode: '30005' },
}

/** "Validating requests": the URL, then each form field with its value, sorted by name. */
function signed(url: string, fields: Record<string, string>): string {
  const names = Object.keys(fields).sort()
  return createHmac('sha1', TOKEN)
    .update(url + names.map((name) => name + fields[name]).join(''))
    .digest('base64')
}

function callWith(url: string, fields: Record<string, string>): ProviderCall {
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const headers = { ...type, 'x-twilio-signature': signed(url, fields) }
  return { url, method: 'POST', headers, body: new URLSearchParams(fields).toString() }
}

export const twilio: FakeProvider = {
  preset: 'twilio',
  values: { accountSid: SID },
  secrets: { authToken: TOKEN },
  faultOf(got) {
    const form = formOf(got)
    if (!ACCOUNTS.includes(got.headers.authorization ?? '')) return no(401, 20003, 'Authenticate')
    if (got.method !== 'POST' || got.url !== `/2010-04-01/Accounts/${SID}/Messages.json`)
      return no(404, 20404, 'The requested resource was not found')
    if (!form.get('Body')) return no(400, 21602, 'Message body is required.')
    const [from, service] = [form.get('From'), form.get('MessagingServiceSid')]
    if (!from && !service) return no(400, 21603, "A 'From' phone number is required.")
    if (service !== null && service !== SERVICE_SID) return no(400, 21705, 'The Messaging Service Sid is invalid')
    if ((from ?? '').length > 20) return no(400, 21212, "Invalid 'From' Phone Number")
    return /^\+\d{8,15}$/.test(form.get('To') ?? '') ? null : no(400, 21211, "Invalid 'To' Phone Number")
  },
  read(got) {
    const form = formOf(got)
    return {
      to: form.get('To') ?? '',
      from: form.get('From') ?? form.get('MessagingServiceSid') ?? '',
      text: form.get('Body') ?? '',
    }
  },
  idOf: (count) => `SM${String(count).padStart(32, '0')}`,
  taken(got, sid) {
    const form = formOf(got)
    const [to, from, body] = [form.get('To'), form.get('From'), form.get('Body')]
    const state = { account_sid: SID, api_version: '2010-04-01', direction: 'outbound-api', error_code: null }
    return { status: 201, body: { sid, to, from, body, status: 'queued', error_message: null, ...state } }
  },
  refusals: [
    { says: no(400, 21211, "Invalid 'To' Phone Number"), error: 'invalid_number' },
    { says: no(400, 21614, "'To' number is not a valid mobile number"), error: 'invalid_number' },
    { says: no(400, 21610, 'Attempt to send to unsubscribed recipient'), error: 'carrier_rejected' },
    {
      says: no(400, 21617, 'The concatenated message body exceeds the 1600 character limit'),
      error: 'carrier_rejected',
    },
  ],
  notNow: no(400, 21408, 'Permission to send an SMS has not been enabled for the region'),
  throttled: no(429, 20429, 'Too Many Requests'),
  open: [no(500, 20500, 'Internal Server Error'), no(503, 20503, 'Service Unavailable')],
  report: (pending) =>
    pending.map(({ got, id, state }) => {
      const form = formOf(got)
      const { MessageStatus = '', ...error } = STATES[state]
      const ids = { MessageSid: id, SmsSid: id, AccountSid: SID, ApiVersion: '2010-04-01' }
      const about = { To: form.get('To') ?? '', From: form.get('From') ?? '', MessageStatus, SmsStatus: MessageStatus }
      return callWith(form.get('StatusCallback') ?? '', { ...ids, ...about, ...error })
    }),
  asked(got, stateOf) {
    if (!ACCOUNTS.includes(got.headers.authorization ?? '')) return no(401, 20003, 'Authenticate')
    const [, sid = ''] = new RegExp(`^/2010-04-01/Accounts/${SID}/Messages/(SM\\d{32})\\.json$`).exec(got.url) ?? []
    const state = stateOf(sid)
    if (!state) return no(404, 20404, 'The requested resource was not found')
    const { MessageStatus: status, ErrorCode } = STATES[state]
    const error_code = ErrorCode === undefined ? null : Number(ErrorCode)
    return { status: 200, body: { sid, status, error_code, date_updated: 'Mon, 16 Nov 2026 04:00:02 +0000' } }
  },
}
