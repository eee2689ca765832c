// Aakash SMS, Nepal.
import type { Preset } from '../preset.ts'
import { baseUrl } from '../preset.ts'

/** Account or request errors: another carrier may accept the message, and the operator has to act. */
const OURS = { outcome: 'other_carrier' } as const
const REFUSED = { outcome: 'rejected', error: 'carrier_rejected' } as const

export const AAKASH: Preset = {
  name: 'aakash',
  version: 2,
  title: 'Aakash SMS',
  source:
    'The manual of API v3 (sms/v3/send) from copies in public repositories, and the published test results of a public project from ' +
    '2026, read in November 2026. The manual itself requires an account and was not read.',
  notes: [
    'Numbers of Nepal only: numbers of other countries are rejected before the call.',
    'No callbacks. Reports list the whole account, reportedly with other ids than responses, so receipts cannot be matched and messages end as sent.',
    'A token may be restricted to one IP address. It is invalid from any other address.',
    'No sender field: the network shows its own sender.',
    'Rejections also have status 200, so the body decides. An unknown error text counts as unknown.',
    'No documented rate-limit response: status 429 counts as throttling.',
  ],
  isVerified: false,
  values: { baseUrl: baseUrl('https://sms.aakashsms.com') },
  secrets: { authToken: 'Auth token of the account' },
  description: {
    onlyTo: ['+977'],
    method: 'POST',
    url: '{set.baseUrl}/sms/v3/send',
    headers: {},
    auth: null,
    answer: {
      id: '/data/valid/0/id',
      said: '/message',
      rules: [
        { at: '/data/valid/0/id', outcome: 'accepted' },
        { at: '/data/invalid/0', outcome: 'rejected', error: 'invalid_number' },
        {
          at: '/message',
          table: {
            'The provided Auth Token is not valid.': OURS,
            'The auth token field is required.': OURS,
            'Not enough balance.': OURS,
            'No valid recipients.': { outcome: 'rejected', error: 'invalid_number' },
            'The to field is required.': REFUSED,
            'The text field is required.': REFUSED,
          },
        },
        { at: '/error', is: [true], outcome: 'unknown' },
      ],
    },
  },
  ways: {
    none: {
      body: { kind: 'form', fields: { auth_token: '{secret.authToken}', to: '{toNational}', text: '{text}' } },
      receipts: null,
    },
  },
}
