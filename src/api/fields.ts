// Fields that several endpoints of the v1 API share (§2.6, §4).
import { z } from 'zod'
import { PHONE_NUMBER_PATTERN } from '../domain/phone-number.ts'
import { lineError, MAX_SEGMENTS, textError } from '../domain/text-encoding.ts'

const INVALID_CHARACTERS = 'Must not contain control characters or invalid Unicode'

/** D4: every string except the text is one line. */
export const lineText = z.string().refine((value) => lineError(value) === null, INVALID_CHARACTERS)

/** Counts code points, like JSON Schema. */
export function shortLine(most: number) {
  const tooLong = { code: 'too_big', origin: 'string', maximum: most } as const
  return lineText
    .superRefine((value, context) => {
      if (value.length > most && [...value].length > most) context.addIssue({ ...tooLong, input: value })
    })
    .meta({ maxLength: most })
}

/** D38: null means the same as a missing field. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined)
}

export const text = z
  .string()
  .min(1)
  .refine((value) => textError(value) === null, INVALID_CHARACTERS)

export const to = z
  .string()
  .regex(PHONE_NUMBER_PATTERN, 'Must be a phone number of 7 to 15 digits')
  .describe(
    "Mobile number in E.164, or in the national format of the workspace's country. In Nepal: 98…, 97… or 96…, with or without the prefix 0, 977 or 00977.",
  )
  .meta({ example: '+9779800000001' })

// D38: an empty string means the same as a missing field.
export const senderId = optional(shortLine(100))
  .transform((value) => value || undefined)
  .describe('Sender, stored as `from`. Networks may replace a sender that is not registered.')

const DEFAULT_PURPOSE = 'default'
export const purpose = shortLine(50)
  .nullable()
  .default(DEFAULT_PURPOSE)
  .transform((value) => value ?? DEFAULT_PURPOSE)
  .describe('Purpose of the OTP. A number has one OTP per purpose.')

export const success = z.literal(true).describe('Always true. Errors have another HTTP status.')

export const messageId = z.uuid().describe('Id of the message, for `GET /sms/messages/{id}` and in webhooks.')

export const encoding = z
  .enum(['GSM7', 'UCS2'])
  .describe('`GSM7` if the alphabet has every character of the text, otherwise `UCS2`, whose segments are shorter.')

export const MESSAGE_NOT_FOUND = { error: 'The message was not found; check the id and the API key' }

export const segments = z.int().describe(`Number of SMS segments, 1 to ${MAX_SEGMENTS}.`)

export const cost = z
  .number()
  .describe('Price per segment of the type, times the segments, in the currency of the workspace.')

export const from = z.string().describe('Sender: `senderId` of the request, or the default sender of the API client.')
