// Aakash SMS v3, by copies of its manual and user reports: always 200, with an error text or with lists of valid and invalid numbers.
import { type FakeProvider, formOf, type ProviderResponse } from './fake.ts'

const no = (message: string): ProviderResponse => ({ status: 200, body: { error: true, message, data: [] } })

const invalid: ProviderResponse = {
  status: 200,
  body: {
    error: false,
    message: '0 messages has been queued for delivery.',
    data: { valid: [], invalid: [{ mobile: '988585584', text: 'x', credit: 0, network: 'N/A', status: 'aborted' }] },
  },
}

export const aakash: FakeProvider = {
  preset: 'aakash',
  values: {},
  secrets: { authToken: 'a-token-of-aakash' },
  faultOf(got) {
    const form = formOf(got)
    if (got.method !== 'POST' || got.url !== '/sms/v3/send') return { status: 404, body: 'Not Found' }
    const missing = ['to', 'text'].find((name) => !form.get(name))
    if (missing) return no(`The ${missing} field is required.`)
    if (form.get('auth_token') !== 'a-token-of-aakash') return no('The provided Auth Token is not valid.')
    return /^9\d{9}$/.test(form.get('to') ?? '') ? null : invalid
  },
  read(got) {
    const form = formOf(got)
    return { to: `+977${form.get('to')}`, from: 'Brand', text: form.get('text') ?? '' }
  },
  idOf: (count) => `13421_1786795702675${count}`,
  taken(got, id) {
    const [mobile, text] = [`977${formOf(got).get('to')}`, formOf(got).get('text')]
    const valid = [{ id, mobile, text, credit: 1, network: 'ncell', status: 'queued' }]
    const message = '1 messages has been queued for delivery.'
    return { status: 200, body: { error: false, message, data: { valid, invalid: [] } } }
  },
  refusals: [
    { says: invalid, error: 'invalid_number' },
    { says: no('No valid recipients.'), error: 'invalid_number' },
    { says: no('The text field is required.'), error: 'carrier_rejected' },
  ],
  notNow: no('Not enough balance.'),
  throttled: { status: 429, body: {} },
  open: [no('Something that no manual has.'), { status: 500, body: {} }],
  // Its report API lists sent messages by page, without a state.
  report: null,
}
