// The SMS API of Vonage, once Nexmo.
import type { Preset } from '../preset.ts'
import { baseUrl, sender } from './values.ts'

/** The account, the sender or the call: another carrier may take the message, and somebody has to look. */
const OURS = { outcome: 'elsewhere' } as const
const INVALID = { outcome: 'refused', error: 'invalid_number' } as const
const REFUSED = { outcome: 'refused', error: 'carrier_rejected' } as const

const FIELDS = {
  api_key: '{set.apiKey}',
  api_secret: '{secret.apiSecret}',
  from: '{set.sender}',
  to: '{toDigits}',
  text: '{text}',
  type: '{set.type}',
  'client-ref': '{reference}',
}

export const VONAGE: Preset = {
  name: 'vonage',
  version: 1,
  title: 'Vonage SMS API',
  source:
    'Excerpts of developer.vonage.com, "Troubleshooting SMS" and "API Errors: SMS API", read in November 2026: statuses 0 to 12, 14, 15 and ' +
    '22; statuses 23, 29, 32 and 33 and the fields type and client-ref are from general knowledge and were not checked against a page',
  notes: [
    'Its receipts are not read: messages stay sent.',
    'Status 5, an error within its platform, leaves open whether it has the message, and is unknown.',
    'A long message is answered for each part. The first is read.',
    'It must be told how a text is encoded: unicode is right for every text and makes more segments of plain ones; text turns letters outside GSM into question marks.',
  ],
  isTried: false,
  values: {
    apiKey: { tells: 'the API key of your account', form: '[A-Za-z0-9]{1,40}', otherwise: null },
    sender,
    type: { tells: 'unicode or text', form: 'unicode|text', otherwise: 'unicode' },
    baseUrl: baseUrl('https://rest.nexmo.com'),
  },
  secrets: { apiSecret: 'the API secret of that account' },
  description: {
    onlyTo: [],
    method: 'POST',
    url: '{set.baseUrl}/sms/json',
    headers: {},
    auth: null,
    many: null,
    answer: {
      id: null,
      said: '/messages/0/error-text',
      rules: [
        {
          at: '/messages/0/status',
          table: {
            '0': { outcome: 'taken' },
            '1': { outcome: 'slow' },
            '2': OURS,
            '3': REFUSED,
            '4': OURS,
            '5': { outcome: 'unknown' },
            '6': INVALID,
            '7': REFUSED,
            '8': OURS,
            '9': OURS,
            '10': { outcome: 'slow' },
            '11': OURS,
            '12': REFUSED,
            '14': OURS,
            '15': OURS,
            '22': REFUSED,
            '23': OURS,
            '29': OURS,
            '32': OURS,
            '33': INVALID,
          },
        },
      ],
    },
  },
  ways: { none: { body: { kind: 'form', fields: FIELDS }, receipts: null } },
}
