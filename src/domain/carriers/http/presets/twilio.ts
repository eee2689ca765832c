// Twilio Programmable Messaging.

import type { ReceiptReading } from '../description.ts'
import type { Preset } from '../preset.ts'
import { baseUrl, EMPTY_ANSWER, SENDER_FORM, SINGLE, sender, USUAL_POLLING } from '../preset.ts'

/** The account, the sender or the call: another carrier may take the message, and somebody has to look. */
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
    'Message Status in Status Callbacks"), its list of statuses and the fields of a message as public clients made from its OpenAPI document have them, descriptions of ' +
    'X-Twilio-Signature by public programs that check it, and public lists of its errors (20003, 20429, 21211, 21606, 21610, 21612, 21614), ' +
    'read in November 2026; the call, its answer, the fields of a callback and all other codes are from general knowledge and were not ' +
    'checked against a page',
  notes: [
    'It calls the address that each message carries (StatusCallback), which has to be reached from the internet: error 21609 says that it is not one.',
    'Its calls are signed with the auth token over that very address: HULAKI_PUBLIC_URL has to be what Twilio sees, also behind a proxy.',
    'The address names the message, so that a call which Twilio took and never answered is settled by its receipt.',
    'With receipts=poll it is asked for the state of each message, which needs no address of ours; a call that was never answered stays in doubt then.',
    '500 and 503 leave open whether there is a message, and are unknown.',
    'A message that Twilio makes and fails at once has an id all the same, and is taken.',
    'A sender must be a number of yours, a Messaging Service of yours or, where the country allows it, a word: others are refused with 21606, 21212 or 21705.',
  ],
  isTried: false,
  values: {
    accountSid: {
      tells: 'the SID of your account: AC and 32 digits of hex',
      form: 'AC[0-9a-fA-F]{32}',
      otherwise: null,
    },
    apiKeySid: {
      tells: 'the SID of an API key, to use its secret in place of the auth token: SK and 32 digits of hex',
      form: KEY_SID,
      otherwise: '{set.accountSid}',
      choice: { usual: 'authToken', byForm: { [KEY_SID]: 'apiKeySecret' } },
    },
    sender: {
      tells: `${sender.tells}, or the SID of a Messaging Service: MG and 32 digits of hex`,
      form: `${SENDER_FORM}|${SERVICE_SID}`,
      otherwise: sender.otherwise,
      choice: { usual: 'From', byForm: { [SERVICE_SID]: 'MessagingServiceSid' } },
    },
    baseUrl: baseUrl('https://api.twilio.com'),
  },
  secrets: {
    authToken:
      'the auth token of that account, which also signs callbacks; with an API key, only for receipts=callback',
    apiKeySecret: 'the secret of the API key, where one is given',
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
        ...USUAL_POLLING,
      },
    },
    none: { body: { kind: 'form', fields: FIELDS }, receipts: null },
  },
}
