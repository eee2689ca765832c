// Aakash SMS, Nepal.
import type { Preset } from '../preset.ts'
import { baseUrl } from '../preset.ts'

/** The account or the call: another carrier may take the message, and somebody has to look. */
const OURS = { outcome: 'other_carrier' } as const
const REFUSED = { outcome: 'rejected', error: 'carrier_rejected' } as const

export const AAKASH: Preset = {
  name: 'aakash',
  version: 2,
  title: 'Aakash SMS',
  source:
    'The manual of its API v3 (sms/v3/send) as copies of it in public repositories have it, and what a public project wrote down of its ' +
    'own tries with it in 2026, read in November 2026; the manual itself is behind its sign-in and was not read',
  notes: [
    'It takes ten-digit numbers of Nepal only, so numbers of other countries are refused before the call.',
    'It does not call back, and its reports are lists of the whole account, by page or by day, whose ids are said not to be those it gave: nobody could tell what they are about, so it is not asked, and sent is the end.',
    'A token may be bound to the address it is used from: from another one it is not valid.',
    'It has no field for a sender: the network shows its own.',
    'It says 200 also when it refuses, so the body decides. An error in words that are not known is unknown.',
    'It documents no answer for too many requests: 429 is read as that.',
  ],
  isTried: false,
  values: { baseUrl: baseUrl('https://sms.aakashsms.com') },
  secrets: { authToken: 'the auth token of your account' },
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
