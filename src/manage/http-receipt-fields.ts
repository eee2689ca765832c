// How receipts of a carrier over HTTP come, as the management API takes it: its form is judged here, what it means by the domain.
import { z } from 'zod'
import { HTTP_BOUNDS } from '../domain/http-carrier/description.ts'
import {
  ANSWER_TYPES,
  HMAC_ALGORITHMS,
  HMAC_ENCODINGS,
  HMAC_OVER,
  RECEIPT_BOUNDS,
  STATE_MEANINGS,
} from '../domain/http-carrier/receipts.ts'
import { FAILURE_CODES } from '../domain/message-status.ts'
import { line } from './fields.ts'

const error = z.enum(FAILURE_CODES)
const place = z
  .string()
  .min(1)
  .max(RECEIPT_BOUNDS.place)
  .describe('A JSON pointer such as `/id`, or `form:NAME`, `query:NAME`, or `any:NAME` for whichever has it.')
const word = z.string().max(200)
const template = z.string().max(HTTP_BOUNDS.template)

const receiptReading = z.strictObject({
  list: z.string().max(200).nullable().default(null).describe('Pointer to the list of reports in the JSON.'),
  id: place.nullable().default(null),
  reference: place.nullable().default(null),
  state: place,
  states: z
    .record(word, z.strictObject({ status: z.enum(STATE_MEANINGS), error: error.optional() }))
    .default({})
    .describe('What states mean, by their words or how they begin (`REJECTED_*`); others are read as SMPP has them.'),
  code: place.nullable().default(null),
  codes: z.record(word, z.strictObject({ error })).default({}).describe('What an undelivered message is put down to.'),
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

export const receiptCallback = z.strictObject({
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
