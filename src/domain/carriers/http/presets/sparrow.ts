// Sparrow SMS, Nepal.
import type { Preset } from '../preset.ts'
import { baseUrl, SENDER_FORM } from '../preset.ts'

/** The account or the call: another carrier may take the message, and somebody has to look. */
const OURS = { outcome: 'other_carrier' } as const
const INVALID = { outcome: 'rejected', error: 'invalid_number' } as const

export const SPARROW: Preset = {
  name: 'sparrow',
  version: 2,
  title: 'Sparrow SMS',
  source:
    'docs.sparrowsms.com, "Send SMS / Outgoing / Push / MT", read in November 2026; the host of the API is from public programs that use it',
  notes: [
    'It takes ten-digit numbers of Nepal only, so numbers of other countries are refused before the call.',
    'It documents no id of a message and no receipts for this call: sent is the end. Its API for other countries, which has a report, is another one.',
    'It documents no answer for too many requests: 429 is read as that, any other code as unknown.',
    'Success is response_code 200; a page that says 200 in another form is unknown.',
  ],
  isTried: false,
  values: {
    identity: { tells: 'the identity that Sparrow gave you (from)', form: SENDER_FORM, otherwise: null },
    baseUrl: baseUrl('https://api.sparrowsms.com'),
  },
  secrets: { token: 'the token of your account' },
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
        // A number that it may mean by a code of tomorrow is not known to be a no.
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
