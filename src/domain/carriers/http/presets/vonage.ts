// Vonage SMS API, formerly Nexmo.
import type { Preset } from '../preset.ts'
import { baseUrl, EMPTY_ANSWER, SINGLE, sender } from '../preset.ts'

/** Account, sender or request errors: another carrier may accept the message, and the operator has to act. */
const OURS = { outcome: 'other_carrier' } as const
const INVALID = { outcome: 'rejected', error: 'invalid_number' } as const
const REFUSED = { outcome: 'rejected', error: 'carrier_rejected' } as const

const FIELDS = {
  api_key: '{set.apiKey}',
  api_secret: '{secret.apiSecret}',
  from: '{set.sender}',
  to: '{toDigits}',
  text: '{text}',
  type: '{set.type}',
  'client-ref': '{reference}',
}
const NO_SUCH_NUMBER = { error: 'invalid_number' } as const
const BLOCKED = { error: 'carrier_rejected' } as const

export const VONAGE: Preset = {
  name: 'vonage',
  version: 3,
  title: 'Vonage SMS API',
  source:
    'The OpenAPI document of the SMS API (sms.yml in the repository api-specification, version 1.0.6) and the page "Delivery receipts" in the ' +
    'repository station, both of about 2020, and excerpts of developer.vonage.com ("Troubleshooting SMS", "Signing Messages"), read in ' +
    'November 2026: the call, its statuses, and the fields, statuses and error codes of receipts. That receipts contain client-ref is ' +
    'from that page; that receipts arrive as JSON, form or query, depending on the account, is from general knowledge.',
  notes: [
    'Vonage calls the URL that each message carries (callback). It must be reachable from the internet.',
    "Vonage's own signature (the field sig) is not checked: the secret URL alone authenticates the caller.",
    'Receipts contain our reference (client-ref), so a receipt also settles a message whose call got no response.',
    'Each part of a long message has a receipt. The first final receipt decides for the message.',
    'A receipt with the status unknown changes nothing.',
    'Status 5, an internal error of Vonage, leaves open whether Vonage has the message, and counts as unknown.',
    'The response to a long message has one entry per part. Only the first entry is read.',
    'The request must name the encoding: a GSM-7 text is sent as text, any other as unicode, which needs more segments.',
  ],
  isVerified: false,
  values: {
    apiKey: { description: 'API key of the account', form: '[A-Za-z0-9]{1,40}', default: null },
    sender,
    type: { description: 'Encoding of all messages: unicode or text', form: 'unicode|text', default: '{textType}' },
    baseUrl: baseUrl('https://rest.nexmo.com'),
  },
  secrets: { apiSecret: 'API secret of the account' },
  description: {
    onlyTo: [],
    method: 'POST',
    url: '{set.baseUrl}/sms/json',
    headers: {},
    auth: null,
    answer: {
      id: null,
      said: '/messages/0/error-text',
      rules: [
        {
          at: '/messages/0/status',
          table: {
            '0': { outcome: 'accepted' },
            '1': { outcome: 'throttled' },
            '2': OURS,
            '3': REFUSED,
            '4': OURS,
            '5': { outcome: 'unknown' },
            '6': INVALID,
            '7': REFUSED,
            '8': OURS,
            '9': OURS,
            '10': { outcome: 'throttled' },
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
  ways: {
    callback: {
      body: { kind: 'form', fields: { ...FIELDS, callback: '{callbackUrl}' } },
      receipts: {
        kind: 'callback',
        reading: {
          ...SINGLE,
          reference: 'any:client-ref',
          state: 'any:status',
          states: {
            accepted: { status: 'pending' },
            buffered: { status: 'pending' },
            delivered: { status: 'delivered' },
            expired: { status: 'expired' },
            failed: { status: 'undelivered' },
            rejected: { status: 'rejected' },
            unknown: { status: 'pending' },
          },
          code: 'any:err-code',
          codes: {
            '3': NO_SUCH_NUMBER,
            '4': BLOCKED,
            '6': BLOCKED,
            '9': BLOCKED,
            '10': BLOCKED,
            '12': NO_SUCH_NUMBER,
            '13': BLOCKED,
            '14': BLOCKED,
          },
          to: 'any:msisdn',
          time: 'any:message-timestamp',
        },
        check: null,
        answer: EMPTY_ANSWER,
      },
    },
    none: { body: { kind: 'form', fields: { ...FIELDS, 'status-report-req': 'false' } }, receipts: null },
  },
}
