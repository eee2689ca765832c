// Sparrow SMS, by docs.sparrowsms.com "Send SMS / Outgoing / Push / MT": 200 with response_code 200, else 403 with one of its codes.
import { type FakeProvider, formOf, type ProviderResponse } from './fake.ts'

const no = (response_code: number, response: string): ProviderResponse => ({
  status: 403,
  body: { response_code, response },
})

export const sparrow: FakeProvider = {
  preset: 'sparrow',
  values: { identity: 'Demo' },
  secrets: { token: 'a-token-of-sparrow' },
  faultOf(got) {
    const form = formOf(got)
    if (got.method !== 'POST' || got.url !== '/v2/sms/') return { status: 404, body: 'Not Found' }
    if (['token', 'from', 'to', 'text'].some((name) => !form.get(name))) return no(1000, 'A required field is missing')
    if (form.get('token') !== 'a-token-of-sparrow') return no(1002, 'Invalid Token')
    if (form.get('from') !== 'Demo') return no(1008, 'Invalid Sender')
    return /^9\d{9}$/.test(form.get('to') ?? '') ? null : no(1007, 'Invalid Receiver')
  },
  read(got) {
    const form = formOf(got)
    return { to: `+977${form.get('to')}`, from: form.get('from') ?? '', text: form.get('text') ?? '' }
  },
  // Sparrow returns no ID.
  idOf: () => '',
  taken: () => ({
    status: 200,
    body: { count: 1, response_code: 200, response: '1 mesages has been queued for delivery' },
  }),
  refusals: [
    { says: no(1007, 'Invalid Receiver'), error: 'invalid_number' },
    { says: no(1011, 'No valid receiver'), error: 'invalid_number' },
    { says: no(1010, 'Text cannot be empty'), error: 'carrier_rejected' },
  ],
  notNow: no(1013, 'Insufficient Credits'),
  throttled: { status: 429, body: {} },
  open: [no(1999, 'A code of tomorrow'), { status: 502, body: '<html>' }, { status: 200, body: '<html>' }],
  // Sparrow documents no receipts.
  report: null,
}
