// Vonage, by "Troubleshooting SMS": always 200, with a status for each part of the message.
import { type FakeProvider, formOf, type Said } from './fake.ts'

const no = (status: string, text: string): Said => ({
  status: 200,
  body: { 'message-count': '1', messages: [{ status, 'error-text': text }] },
})

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
    return /^\d{8,15}$/.test(form.get('to') ?? '') ? null : no('3', 'Invalid to')
  },
  read(got) {
    const form = formOf(got)
    return { to: `+${form.get('to')}`, from: form.get('from') ?? '', text: form.get('text') ?? '' }
  },
  taken(got, count) {
    const form = formOf(got)
    const told = { 'remaining-balance': '15.53590000', 'message-price': '0.03330000', network: '42901' }
    const ids = { 'message-id': `0C0000002${count}`, 'client-ref': form.get('client-ref') }
    return {
      status: 200,
      body: { 'message-count': '1', messages: [{ to: form.get('to'), status: '0', ...ids, ...told }] },
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
}
