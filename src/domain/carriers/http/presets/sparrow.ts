// Sparrow SMS, Nepal.
import type { Preset } from '../preset.ts'
import { baseUrl, SENDER_FORM } from '../preset.ts'

/** Account or request errors: another carrier may accept the message, and the operator has to act. */
const OURS = { outcome: 'other_carrier' } as const
const INVALID = { outcome: 'rejected', error: 'invalid_number' } as const

export const SPARROW: Preset = {
  name: 'sparrow',
  version: 2,
  title: 'Sparrow SMS',
  source:
    'docs.sparrowsms.com, "Send SMS / Outgoing / Push / MT", read in November 2026. The API host is from public programs that use it.',
  notes: [
    'Numbers of Nepal only: numbers of other countries are rejected before the call.',
    'No documented message ids or receipts, so messages end as sent. The API for other countries, which has reports, is a different one.',
    'No documented rate-limit response: status 429 counts as throttling, any other undocumented code as unknown.',
    'Success is response_code 200. A response with 200 in another form counts as unknown.',
  ],
  isVerified: false,
  values: {
    identity: { description: 'Identity from Sparrow (from)', form: SENDER_FORM, default: null },
    baseUrl: baseUrl('https://api.sparrowsms.com'),
  },
  secrets: { token: 'Token of the account' },
  description: {
    onlyTo: ['+977'],
    method: 'POST',
    url: '{set.baseUrl}/v2/sms/',
    headers: {},
    auth: null,
    answer: {
      id: null,
      said: '/response',
      rules: [
        {
          at: '/response_code',
          table: {
            '200': { outcome: 'accepted' },
            '1000': OURS,
            '1001': OURS,
            '1002': OURS,
            '1003': OURS,
            '1004': OURS,
            '1005': OURS,
            '1006': OURS,
            '1007': INVALID,
            '1008': OURS,
            '1010': { outcome: 'rejected', error: 'carrier_rejected' },
            '1011': INVALID,
            '1012': OURS,
            '1013': OURS,
          },
        },
        // An undocumented code is not necessarily a rejection.
        { at: '/response_code', outcome: 'unknown' },
      ],
    },
  },
  ways: {
    none: {
      body: {
        kind: 'form',
        fields: { token: '{secret.token}', from: '{set.identity}', to: '{toNational}', text: '{text}' },
      },
      receipts: null,
    },
  },
}
