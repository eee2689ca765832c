// Infobip SMS API v3.
import type { Preset } from '../preset.ts'
import { baseUrl, sender } from './values.ts'

/** The account, the sender or the call: another carrier may take the message, and somebody has to look. */
const OURS = { outcome: 'elsewhere' } as const
const INVALID = { outcome: 'refused', error: 'invalid_number' } as const
const REFUSED = { outcome: 'refused', error: 'carrier_rejected' } as const

const MESSAGE = { sender: '{set.sender}', destinations: [{ to: '{toDigits}' }], content: { text: '{text}' } }

export const INFOBIP: Preset = {
  name: 'infobip',
  version: 1,
  title: 'Infobip',
  source:
    'Excerpts of infobip.com/docs, "Quickstart: Send an SMS and get a delivery report", "Message status codes" and "Handling errors", read in ' +
    'November 2026: the call and the groups of statuses; the names that begin with REJECTED_, and the shape of errors, are from general ' +
    'knowledge and were not checked against a page',
  notes: [
    'Its receipts are not read: messages stay sent.',
    'One message per call: what is wrong with one of a list would refuse them all.',
    'A name of a status that is not documented is read by its group; a group that is not documented is unknown.',
    'REJECTED_DUPLICATE_MESSAGE_ID and REJECTED_SYSTEM_ERROR leave open whether it has the message, and are unknown.',
  ],
  isTried: false,
  values: { baseUrl: baseUrl(null), sender },
  secrets: { apiKey: 'an API key of your account that may send SMS' },
  description: {
    onlyTo: [],
    method: 'POST',
    url: '{set.baseUrl}/sms/3/messages',
    headers: { accept: 'application/json' },
    auth: { kind: 'header', name: 'Authorization', value: 'App {secret.apiKey}' },
    many: null,
    answer: {
      id: '/messages/0/messageId',
      said: '/messages/0/status/description',
      rules: [
        {
          status: ['2xx'],
          at: '/messages/0/status/name',
          table: {
            REJECTED_NETWORK: OURS,
            REJECTED_PREFIX_MISSING: INVALID,
            REJECTED_DND: REFUSED,
            REJECTED_SOURCE: OURS,
            REJECTED_NOT_ENOUGH_CREDITS: OURS,
            REJECTED_SENDER: OURS,
            REJECTED_DESTINATION: REFUSED,
            REJECTED_PREPAID_PACKAGE_EXPIRED: OURS,
            REJECTED_DESTINATION_NOT_REGISTERED: OURS,
            REJECTED_ROUTE_NOT_AVAILABLE: OURS,
            REJECTED_FLOODING_FILTER: REFUSED,
            REJECTED_SYSTEM_ERROR: { outcome: 'unknown' },
            REJECTED_DUPLICATE_MESSAGE_ID: { outcome: 'unknown' },
            REJECTED_MESSAGE_TOO_LONG: REFUSED,
            REJECTED_INVALID_DESTINATION: INVALID,
            MISSING_TO: INVALID,
          },
        },
        {
          status: ['2xx'],
          at: '/messages/0/status/groupName',
          table: {
            PENDING: { outcome: 'taken' },
            DELIVERED: { outcome: 'taken' },
            REJECTED: REFUSED,
            UNDELIVERABLE: REFUSED,
          },
        },
      ],
    },
  },
  ways: { none: { body: { kind: 'json', value: { messages: [MESSAGE] } }, receipts: null } },
}
