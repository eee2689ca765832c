// Vonage, by "Troubleshooting SMS" and "Delivery receipts": always 200, with a status for each part of the message. It calls `callback` with
// a receipt, as JSON, as a form, or in the query, as the account is set: here in turns.
import { isGsm7 } from '../../../src/domain/text-encoding.ts'
import { type FakeProvider, formOf, type ProviderCall, type ProviderResponse, type ReportedState } from './fake.ts'

const no = (status: string, text: string): ProviderResponse => ({
  status: 200,
  body: { 'message-count': '1', messages: [{ status, 'error-text': text }] },
})

const STATES: Record<ReportedState, { status: string; 'err-code': string }> = {
  pending: { status: 'buffered', 'err-code': '0' },
  delivered: { status: 'delivered', 'err-code': '0' },
  undelivered: { status: 'failed', 'err-code': '8' },
  'invalid number': { status: 'failed', 'err-code': '3' },
}

function callWith(url: string, fields: Record<string, string>, nth: number): ProviderCall {
  const form = new URLSearchParams(fields).toString()
  if (nth % 3 === 1) return { url: `${url}?${form}`, method: 'GET', headers: {}, body: null }
  const [type, body] =
    nth % 3 === 0 ? ['application/json', JSON.stringify(fields)] : ['application/x-www-form-urlencoded', form]
  return { url, method: 'POST', headers: { 'content-type': type }, body }
}

export const vonage: FakeProvider = {
  preset: 'vonage',
  values: { apiKey: 'abcd1234' },
  secrets: { apiSecret: 'a-secret-of-vonage' },
  faultOf(got) {
    const form = formOf(got)
    if (got.method !== 'POST' || got.url !== '/sms/json') return { status: 404, body: 'Not Found' }
    const missing = ['api_key', 'api_secret', 'from', 'to', 'text'].find((name) => !form.get(name))
    if (missing) return no('2', `Missing ${missing}`)
    const isKnown = form.get('api_key') === 'abcd1234' && form.get('api_secret') === 'a-secret-of-vonage'
    if (!isKnown) return no('4', 'Bad Credentials')
    // "Concatenation and encoding": unicode costs more, and text replaces non-GSM characters by question marks.
    if (form.get('type') !== (isGsm7(form.get('text') ?? '') ? 'text' : 'unicode')) return no('3', 'Invalid type')
    return /^\d{8,15}$/.test(form.get('to') ?? '') ? null : no('3', 'Invalid to')
  },
  read(got) {
    const form = formOf(got)
    return { to: `+${form.get('to')}`, from: form.get('from') ?? '', text: form.get('text') ?? '' }
  },
  idOf: (count) => `0C0000002${count}`,
  taken(got, id) {
    const form = formOf(got)
    const state = { 'remaining-balance': '15.53590000', 'message-price': '0.03330000', network: '42901' }
    const ids = { 'message-id': id, 'client-ref': form.get('client-ref') }
    return {
      status: 200,
      body: { 'message-count': '1', messages: [{ to: form.get('to'), status: '0', ...ids, ...state }] },
    }
  },
  refusals: [
    { says: no('6', 'Invalid Message'), error: 'invalid_number' },
    { says: no('33', 'Number De-activated'), error: 'invalid_number' },
    { says: no('7', 'Number Barred'), error: 'carrier_rejected' },
    { says: no('12', 'Message Too Long'), error: 'carrier_rejected' },
  ],
  notNow: no('9', 'Quota Exceeded'),
  throttled: no('1', 'Throughput Rate Exceeded'),
  open: [no('5', 'Internal Error'), { status: 503, body: {} }],
  report: (pending) =>
    pending.map(({ got, id, state }, nth) => {
      const form = formOf(got)
      const about = { msisdn: form.get('to') ?? '', to: form.get('from') ?? '', messageId: id, scts: '2611160945' }
      const account = { 'network-code': '42901', price: '0.03330000', 'api-key': 'abcd1234' }
      const ours = { 'client-ref': form.get('client-ref') ?? '', 'message-timestamp': '2026-11-16 04:00:00' }
      return callWith(form.get('callback') ?? '', { ...about, ...account, ...ours, ...STATES[state] }, nth)
    }),
}
