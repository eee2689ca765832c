// Twilio Programmable Messaging.

import type { ReceiptReading } from '../description.ts'
import type { Preset } from '../preset.ts'
import { baseUrl, DEFAULT_POLLING, EMPTY_ANSWER, SENDER_FORM, SINGLE, sender } from '../preset.ts'

/** Account, sender or request errors: another carrier may accept the message, and the operator has to act. */
const OURS = { outcome: 'other_carrier' } as const
const INVALID = { outcome: 'rejected', error: 'invalid_number' } as const
const REFUSED = { outcome: 'rejected', error: 'carrier_rejected' } as const

const SERVICE_SID = 'MG[0-9a-fA-F]{32}'
const KEY_SID = 'SK[0-9a-fA-F]{32}'
const FIELDS = { To: '{to}', '{set.sender.choice}': '{set.sender}', Body: '{text}' }
const NO_SUCH_NUMBER = { error: 'invalid_number' } as const
const BLOCKED = { error: 'carrier_rejected' } as const

const STATES: ReceiptReading['states'] = {
  accepted: { status: 'pending' },
  scheduled: { status: 'pending' },
  queued: { status: 'pending' },
  sending: { status: 'pending' },
  sent: { status: 'pending' },
  delivered: { status: 'delivered' },
  read: { status: 'delivered' },
  undelivered: { status: 'undelivered' },
  failed: { status: 'undelivered' },
  canceled: { status: 'undelivered' },
}
const CODES: ReceiptReading['codes'] = {
  '21211': NO_SUCH_NUMBER,
  '21610': BLOCKED,
  '21614': NO_SUCH_NUMBER,
  '30004': BLOCKED,
  '30005': NO_SUCH_NUMBER,
  '30006': NO_SUCH_NUMBER,
  '30007': BLOCKED,
}

export const TWILIO: Preset = {
  name: 'twilio',
  version: 3,
  title: 'Twilio',
  source:
    'Excerpts of twilio.com/docs (errors 21608, 21609, 21611, 30003 and 30006, "Track the Message Status of Outbound Messages", "Outbound ' +
    'Message Status in Status Callbacks"), the message statuses and fields in public clients generated from its OpenAPI document, ' +
    'descriptions of X-Twilio-Signature in public programs that check it, and public lists of its errors (20003, 20429, 21211, 21606, 21610, ' +
    '21612, 21614), read in November 2026. The call, its response, the callback fields and all other codes are from general knowledge and ' +
    'were not checked against a page.',
  notes: [
    'Twilio calls the URL that each message carries (StatusCallback). If it is not reachable from the internet, Twilio reports error 21609.',
    'Callbacks are signed with the auth token over that exact URL: HULAKI_PUBLIC_URL must be the URL that Twilio sees, also behind a proxy.',
    'The callback URL contains our reference, so a receipt also settles a message whose call got no response.',
    'With receipts=poll Hulaki polls for the state of each message and needs no public URL. A message without a response then stays in doubt.',
    'Status 500 and 503 leave open whether Twilio has the message, and count as unknown.',
    'A message that Twilio creates and fails immediately still has an id, and counts as accepted.',
    'The sender must be your number, your Messaging Service or, if the country allows it, a word. Twilio rejects others with 21606, 21212 or 21705.',
  ],
  isVerified: false,
  values: {
    accountSid: {
      description: 'Account SID: AC and 32 hex digits',
      form: 'AC[0-9a-fA-F]{32}',
      default: null,
    },
    apiKeySid: {
      description: 'API key SID, to use its secret instead of the auth token: SK and 32 hex digits',
      form: KEY_SID,
      default: '{set.accountSid}',
      choice: { usual: 'authToken', byForm: { [KEY_SID]: 'apiKeySecret' } },
    },
    sender: {
      description: `${sender.description}, or the SID of a Messaging Service: MG and 32 hex digits`,
      form: `${SENDER_FORM}|${SERVICE_SID}`,
      default: sender.default,
      choice: { usual: 'From', byForm: { [SERVICE_SID]: 'MessagingServiceSid' } },
    },
    baseUrl: baseUrl('https://api.twilio.com'),
  },
  secrets: {
    authToken:
      'Auth token of the account, which also signs callbacks; with an API key, required only for receipts=callback',
    apiKeySecret: 'Secret of the API key, if apiKeySid is set',
  },
  description: {
    onlyTo: [],
    method: 'POST',
    url: '{set.baseUrl}/2010-04-01/Accounts/{set.accountSid}/Messages.json',
    headers: {},
    auth: { kind: 'basic', user: '{set.apiKeySid}', password: '{secret.{set.apiKeySid.choice}}' },
    answer: {
      id: '/sid',
      said: '/message',
      rules: [
        {
          status: ['4xx'],
          at: '/code',
          table: {
            '20003': OURS,
            '20005': OURS,
            '20429': { outcome: 'throttled' },
            '21211': INVALID,
            '21212': OURS,
            '21214': INVALID,
            '21217': INVALID,
            '21408': OURS,
            '21602': REFUSED,
            '21603': OURS,
            '21604': INVALID,
            '21606': OURS,
            '21608': OURS,
            '21609': OURS,
            '21610': REFUSED,
            '21611': { outcome: 'throttled' },
            '21612': OURS,
            '21614': INVALID,
            '21617': REFUSED,
            '21659': OURS,
            '21660': OURS,
            '21705': OURS,
            '63038': OURS,
          },
        },
      ],
    },
  },
  ways: {
    callback: {
      body: { kind: 'form', fields: { ...FIELDS, StatusCallback: '{callbackUrl}?ref={reference}' } },
      receipts: {
        kind: 'callback',
        reading: {
          ...SINGLE,
          reference: 'query:ref',
          state: 'form:MessageStatus',
          states: STATES,
          code: 'form:ErrorCode',
          codes: CODES,
          to: 'form:To',
        },
        check: {
          kind: 'hmac',
          header: 'X-Twilio-Signature',
          prefix: '',
          algorithm: 'sha1',
          encoding: 'base64',
          over: 'url_and_form',
          key: '{secret.authToken}',
        },
        answer: EMPTY_ANSWER,
      },
    },
    poll: {
      body: { kind: 'form', fields: FIELDS },
      receipts: {
        kind: 'poll',
        method: 'GET',
        url: '{set.baseUrl}/2010-04-01/Accounts/{set.accountSid}/Messages/{id}.json',
        headers: {},
        auth: 'same',
        body: null,
        many: null,
        reading: {
          ...SINGLE,
          id: '/sid',
          state: '/status',
          states: STATES,
          code: '/error_code',
          codes: CODES,
          to: '/to',
          time: '/date_updated',
        },
        ...DEFAULT_POLLING,
      },
    },
    none: { body: { kind: 'form', fields: FIELDS }, receipts: null },
  },
}
