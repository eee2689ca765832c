// The HTTP description of a carrier as a request body (D48). The domain checks its meaning.
import { z } from 'zod'
import {
  HTTP_BOUNDS,
  HTTP_METHODS,
  type HttpDescription,
  RULE_OUTCOMES,
} from '../../domain/carriers/http/description.ts'
import { SECRET_NAME } from '../../domain/carriers/secrets.ts'
import { FAILURE_CODES } from '../../domain/message-status.ts'
import { line } from '../fields.ts'
import { httpReceiptsOf, receiptFields } from './http-receipt-fields.ts'
import { auth, body, headers, httpBodyOf, pointer } from './http-request-fields.ts'

const outcome = z.enum(RULE_OUTCOMES)
const error = z.enum(FAILURE_CODES).optional()
const plain = z.union([z.string().max(200), z.number(), z.boolean(), z.null()])

const statusCode = z.union([z.int().min(200).max(599), z.string().regex(/^[2-5]xx$/, 'Must be a class such as 2xx')])

const rule = z.strictObject({
  status: z.array(statusCode).min(1).max(50).optional(),
  at: pointer.optional(),
  is: z.array(plain).min(1).max(200).optional(),
  outcome: outcome.optional(),
  error,
  table: z
    .record(z.string().max(200), z.strictObject({ outcome, error }))
    .optional()
    .describe('Outcome by the value at the pointer, as text.'),
})

export const httpDescription = z
  .strictObject({
    preset: z
      .strictObject({ name: line(40), version: z.int().min(1) })
      .nullable()
      .default(null)
      .describe('Preset that the description is based on, for information.'),
    onlyTo: z
      .array(z.string().regex(/^\+\d{1,15}$/, 'Must be the beginning of an E.164 number, such as +97798'))
      .max(HTTP_BOUNDS.onlyTo)
      .default([])
      .describe('Prefixes of the numbers that the carrier accepts; empty for all.'),
    method: z.enum(HTTP_METHODS).default('POST'),
    url: z.string().min(1).max(HTTP_BOUNDS.url).describe('Template, without a placeholder before the path.'),
    headers,
    auth: auth.nullable().default(null),
    body: body.nullable().default(null),
    answer: z.strictObject({
      rules: z
        .array(rule)
        .max(HTTP_BOUNDS.rules)
        .default([])
        .describe('Rules in order: the first that matches decides.'),
      id: pointer.nullable().default(null).describe("Pointer to the carrier's message id."),
      said: z
        .union([pointer, z.array(pointer).min(1).max(10)])
        .nullable()
        .default(null)
        .describe('Pointers to the error text of the carrier: the first that exists is shown.'),
    }),
    receipts: receiptFields.nullable().default(null).describe('How delivery receipts arrive; null: not at all.'),
  })
  .meta({ title: 'HttpDescription', description: 'HTTP description of the carrier, as an object.' })

export const secrets = z
  .record(
    z.string().regex(SECRET_NAME, 'Must be a letter, then up to 39 letters, digits and _'),
    z
      .string()
      .min(1)
      .max(HTTP_BOUNDS.secret)
      .regex(/^[ -~]*$/, 'Must consist of printable ASCII characters'),
  )
  .refine((some) => Object.keys(some).length <= HTTP_BOUNDS.secrets, `Must have at most ${HTTP_BOUNDS.secrets} secrets`)

export const changedSecretsField = z.record(secrets.keyType, secrets.valueType.nullable())

export function httpDescriptionOf(given: z.output<typeof httpDescription>): HttpDescription {
  return { ...given, body: httpBodyOf(given.body), receipts: httpReceiptsOf(given.receipts) }
}
