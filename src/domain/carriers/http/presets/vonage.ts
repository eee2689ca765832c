// The SMS API of Vonage, once Nexmo.
import type { Preset } from '../preset.ts'
import { baseUrl, EMPTY_ANSWER, SINGLE, sender } from '../preset.ts'

/** The account, the sender or the call: another carrier may take the message, and somebody has to look. */
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
    'The OpenAPI document of its SMS API (sms.yml of its repository api-specification, version 1.0.6) and the page "Delivery receipts" of its ' +
    'repository station, both of about 2020, and excerpts of developer.vonage.com ("Troubleshooting SMS", "Signing Messages"), read in ' +
    'November 2026: the call, its statuses, the fields, statuses and error codes of receipts. That client-ref comes back in a receipt is ' +
    'from that page; that receipts come as JSON, form or query, as the account is set, is from general knowledge',
  notes: [
    'It calls the address that each message carries (callback), which has to be reached from the internet.',
    'Its own signature (sig among the fields) is not checked: the address, which nobody else knows, is all that shows who calls.',
    'A message is known by our reference (client-ref), so that a call which Vonage took and never answered is settled by its receipt.',
    'Each part of a long message has a receipt, and the first one that is final decides for the message.',
    'A receipt with the status unknown says nothing, and moves nothing.',
    'Status 5, an error within its platform, leaves open whether it has the message, and is unknown.',
    'A long message is answered for each part. The first is read.',
    'It must be told how a text is encoded: a text that GSM-7 can say goes as text, any other as unicode, which makes more segments.',
  ],
  isTried: false,
  values: {
    apiKey: { tells: 'the API key of your account', form: '[A-Za-z0-9]{1,40}', otherwise: null },
    sender,
    type: { tells: 'unicode or text, for all messages', form: 'unicode|text', otherwise: '{textType}' },
    baseUrl: baseUrl('https://rest.nexmo.com'),
  },
  secrets: { apiSecret: 'the API secret of that account' },
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
