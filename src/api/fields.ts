// The fields that more than one endpoint has, and the bodies of answers (§2.6, §4).
import { z } from 'zod'
import { PHONE_NUMBER_PATTERN } from '../domain/phone-number.ts'
import { lineFault, MAX_SEGMENTS, textFault } from '../domain/text-encoding.ts'

const BROKEN = 'Must not contain control characters or broken ones'

/** D4: every string but the text itself is one line. */
export const lineText = z.string().refine((value) => lineFault(value) === null, BROKEN)

/** A character is a code point, as people count it and JSON Schema does. */
export function shortLine(most: number) {
  const tooLong = { code: 'too_big', origin: 'string', maximum: most } as const
  return lineText
    .superRefine((value, context) => {
      if (value.length > most && [...value].length > most) context.addIssue({ ...tooLong, input: value })
    })
    .meta({ maxLength: most })
}

/** D38: null says the same as leaving it out. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined)
}

export const text = z
  .string()
  .min(1)
  .refine((value) => textFault(value) === null, BROKEN)

export const to = z
  .string()
  .regex(PHONE_NUMBER_PATTERN, 'Must be a phone number of 7 to 15 digits')
  .describe(
    "The mobile number: E.164, or the national format of the workspace's country (in Nepal 98…, 97… or 96…, also with 0, 977 or 00977 in front).",
  )
  .meta({ example: '+9779800000001' })

// D38: an empty one is none.
export const senderId = optional(shortLine(100))
  .transform((value) => value || undefined)
  .describe('The sender to show; stored as `from`. Networks may replace a sender they do not know.')

const USUAL_PURPOSE = 'default'
export const purpose = shortLine(50)
  .nullable()
  .default(USUAL_PURPOSE)
  .transform((value) => value ?? USUAL_PURPOSE)
  .describe('What the code is for; the same number may hold one code per purpose.')

export const success = z.literal(true).describe('Always true: a refusal has another HTTP status.')

export const messageId = z.uuid().describe('The id of the message, for `GET /sms/messages/{id}` and in webhooks.')

export const encoding = z
  .enum(['GSM7', 'UCS2'])
  .describe('GSM7 as long as every character is in that alphabet, otherwise UCS2, whose segments are shorter.')

export const segments = z.int().describe(`How many SMS parts the text takes: 1 to ${MAX_SEGMENTS}.`)

export const cost = z
  .number()
  .describe('The price of the type per segment, times the segments, in the currency of the workspace.')

export const from = z
  .string()
  .describe('The sender: `senderId` where it was given, otherwise the default of the API client.')
