// Infobip SMS API v3.
import type { Preset } from '../preset.ts'
import { baseUrl, EMPTY_ANSWER, SINGLE, sender } from '../preset.ts'

/** Account, sender or request errors: another carrier may accept the message, and the operator has to act. */
const OURS = { outcome: 'other_carrier' } as const
const INVALID = { outcome: 'rejected', error: 'invalid_number' } as const
const REFUSED = { outcome: 'rejected', error: 'carrier_rejected' } as const

const NO_SUCH_NUMBER = { error: 'invalid_number' } as const
const BLOCKED = { error: 'carrier_rejected' } as const
const MESSAGE = { sender: '{set.sender}', destinations: [{ to: '{toDigits}' }], content: { text: '{text}' } }

export const INFOBIP: Preset = {
  name: 'infobip',
  version: 3,
  title: 'Infobip',
  source:
    'Excerpts of infobip.com/docs ("Quickstart: Send an SMS and get a delivery report", "Message status codes", "Error code reference", ' +
    '"Receive outbound SMS message report", "Webhooks") and the classes SmsWebhooks, SmsMessageDeliveryReporting and SmsDeliveryReport of the ' +
    'official Java client, read in November 2026: the call, the status groups, which of them are final, and the fields of a receipt. The names ' +
    'that begin with REJECTED_, all error names except EC_UNKNOWN_SUBSCRIBER, and the shape of error responses are from general knowledge ' +
    'and were not checked against a page.',
  notes: [
    'Infobip calls the URL that each message carries (webhooks.delivery.url), with lists of receipts. The URL must be reachable from the internet.',
    'Callbacks are not signed by default: the secret URL alone authenticates the caller.',
    'Receipts contain our reference (callbackData), so a receipt also settles a message whose call got no response.',
    'DELIVERED_TO_OPERATOR is not final: another receipt may follow. Without one the message stays sent.',
    'One message per call, because one invalid message would reject a whole list.',
    'An undocumented status name is read by its group. An undocumented group counts as unknown.',
    'REJECTED_DUPLICATE_MESSAGE_ID and REJECTED_SYSTEM_ERROR leave open whether Infobip has the message, and count as unknown.',
  ],
  isVerified: false,
  values: { baseUrl: baseUrl(null), sender },
  secrets: { apiKey: 'API key of the account with permission to send SMS' },
  description: {
    onlyTo: [],
    method: 'POST',
    url: '{set.baseUrl}/sms/3/messages',
    headers: { accept: 'application/json' },
    auth: { kind: 'header', name: 'Authorization', value: 'App {secret.apiKey}' },
    answer: {
      id: '/messages/0/messageId',
      said: ['/messages/0/status/description', '/description', '/requestError/serviceException/text'],
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
            PENDING: { outcome: 'accepted' },
            DELIVERED: { outcome: 'accepted' },
            REJECTED: REFUSED,
            UNDELIVERABLE: REFUSED,
          },
        },
      ],
    },
  },
  ways: {
    callback: {
      body: {
        kind: 'json',
        value: {
          messages: [
            {
              ...MESSAGE,
              webhooks: {
                delivery: { url: '{callbackUrl}' },
                contentType: 'application/json',
                callbackData: '{reference}',
              },
            },
          ],
        },
      },
      receipts: {
        kind: 'callback',
        reading: {
          ...SINGLE,
          list: '/results',
          reference: '/callbackData',
          state: '/status/name',
          states: {
            'PENDING_*': { status: 'pending' },
            DELIVERED_TO_OPERATOR: { status: 'sent' },
            DELIVERED_TO_HANDSET: { status: 'delivered' },
            'UNDELIVERABLE_*': { status: 'undelivered' },
            'EXPIRED_*': { status: 'expired' },
            'REJECTED_*': { status: 'rejected' },
          },
          code: '/error/name',
          codes: {
            EC_UNKNOWN_SUBSCRIBER: NO_SUCH_NUMBER,
            EC_UNIDENTIFIED_SUBSCRIBER: NO_SUCH_NUMBER,
            EC_TELESERVICE_NOT_PROVISIONED: NO_SUCH_NUMBER,
            EC_ILLEGAL_SUBSCRIBER: BLOCKED,
            EC_CALL_BARRED: BLOCKED,
          },
          to: '/to',
          time: '/doneAt',
        },
        check: null,
        answer: EMPTY_ANSWER,
      },
    },
    none: { body: { kind: 'json', value: { messages: [MESSAGE] } }, receipts: null },
  },
}
