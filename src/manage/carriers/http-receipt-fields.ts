// The delivery receipts of an HTTP carrier as a request body: callback or polling. The domain checks their meaning.
import { z } from 'zod'
import {
  ANSWER_TYPES,
  HMAC_ALGORITHMS,
  HMAC_ENCODINGS,
  HMAC_OVER,
  HTTP_BOUNDS,
  HTTP_METHODS,
  type HttpReceipts,
  POLL_BOUNDS,
  RECEIPT_BOUNDS,
  STATE_MEANINGS,
} from '../../domain/carriers/http/description.ts'
import { FAILURE_CODES } from '../../domain/message-status.ts'
import { line } from '../fields.ts'
import { auth, body, headers, httpBodyOf, pointer } from './http-request-fields.ts'

const error = z.enum(FAILURE_CODES)
const place = z
  .string()
  .min(1)
  .max(RECEIPT_BOUNDS.place)
  .describe('A JSON pointer such as `/id`, or `form:NAME`, `query:NAME`, or `any:NAME` for any of the three.')
const word = z.string().max(200)
const template = z.string().max(HTTP_BOUNDS.template)

const receiptReading = z.strictObject({
  list: z.string().max(200).nullable().default(null).describe('Pointer to the list of receipts in the JSON.'),
  id: place.nullable().default(null),
  reference: place.nullable().default(null),
  state: place,
  states: z
    .record(word, z.strictObject({ status: z.enum(STATE_MEANINGS), error: error.optional() }))
    .default({})
    .describe('Status by the word of a state or its prefix (`REJECTED_*`). Other words are read as SMPP states.'),
  code: place.nullable().default(null),
  codes: z.record(word, z.strictObject({ error })).default({}).describe('Error of an undelivered message, by code.'),
  to: place.nullable().default(null),
  time: place.nullable().default(null),
})

const check = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('header'), name: line(100), value: template }),
  z.strictObject({ kind: z.literal('query'), name: line(100), value: template }),
  z.strictObject({ kind: z.literal('basic'), user: template, password: template }),
  z.strictObject({
    kind: z.literal('hmac'),
    header: line(100),
    prefix: z.string().max(100).default(''),
    algorithm: z.enum(HMAC_ALGORITHMS),
    encoding: z.enum(HMAC_ENCODINGS),
    over: z.enum(HMAC_OVER),
    key: template,
  }),
])

const receiptCallback = z.strictObject({
  kind: z.literal('callback'),
  reading: receiptReading,
  check: check.nullable().default(null),
  answer: z
    .strictObject({
      status: z.int().min(200).max(299).default(200),
      type: z.enum(ANSWER_TYPES).default('text/plain'),
      body: z.string().max(RECEIPT_BOUNDS.answer).default(''),
    })
    .default({ status: 200, type: 'text/plain', body: '' }),
})

const { firstAfterSeconds, longestWaitSeconds, atOnce, perSecond } = POLL_BOUNDS

const receiptPoll = z.strictObject({
  kind: z.literal('poll'),
  method: z.enum(HTTP_METHODS).default('GET'),
  url: z
    .string()
    .min(1)
    .max(HTTP_BOUNDS.url)
    .describe('Template with `{id}`, `{reference}`, `{messageId}` and `{to}`.'),
  headers,
  auth: z
    .union([z.literal('same'), auth])
    .nullable()
    .default('same')
    .describe('`same`: as for sending.'),
  body: body.nullable().default(null),
  many: z
    .strictObject({
      most: z.int().min(2).max(POLL_BOUNDS.maxPerCall),
      join: z
        .string()
        .min(1)
        .max(POLL_BOUNDS.join)
        .regex(/^[ -~]*$/, 'Must be printable ASCII')
        .nullable()
        .default(null)
        .describe('Separator between the values of a placeholder.'),
      items: pointer
        .nullable()
        .default(null)
        .describe('Pointer to the list in the body whose only item is repeated for each message.'),
    })
    .nullable()
    .default(null)
    .describe('How one call polls for several messages.'),
  reading: receiptReading,
  firstAfterSeconds: z
    .int()
    .min(firstAfterSeconds.least)
    .max(firstAfterSeconds.most)
    .default(firstAfterSeconds.usual)
    .describe('Delay of the first poll after the submission. Each further delay is twice as long.'),
  longestWaitSeconds: z
    .int()
    .min(longestWaitSeconds.least)
    .max(longestWaitSeconds.most)
    .default(longestWaitSeconds.usual),
  atOnce: z.int().min(1).max(atOnce.most).default(atOnce.usual).describe('Concurrent polls.'),
  perSecond: z.int().min(1).max(perSecond.most).default(perSecond.usual).describe('Polls per second.'),
})

export const receiptFields = z.discriminatedUnion('kind', [receiptCallback, receiptPoll])

export function httpReceiptsOf(given: z.output<typeof receiptFields> | null): HttpReceipts | null {
  return given?.kind === 'poll' ? { ...given, body: httpBodyOf(given.body) } : given
}
