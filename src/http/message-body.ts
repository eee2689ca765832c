// The body of a text message (§4.1), which both HTTP APIs share.
import { z } from 'zod'
import { MESSAGE_TYPES } from '../domain/message-type.ts'
import type { TextRequest } from '../domain/messages/send-request.ts'
import { PHONE_NUMBER_PATTERN } from '../domain/phone-number.ts'
import { lineError, MAX_SEGMENTS, MAX_TEXT_LENGTH, textError } from '../domain/text-encoding.ts'

const INVALID_CHARACTERS = 'Must not contain control characters or invalid Unicode'

/** D4: every string except the text is one line. */
const lineText = z.string().refine((value) => lineError(value) === null, INVALID_CHARACTERS)

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

const text = z
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

/** The template checks whether a number is exact (D37). zod's number would reject infinity, which JSON writes as 1e400. */
const variable = z
  .unknown()
  .refine((value) => typeof value === 'string' || typeof value === 'number', 'Must be a string or a number')
  .meta({ type: ['string', 'number'] })
  .transform((value) => value as string | number)

/** The fields of a text message, in `POST /sms/send` and in the management API. */
export const messageFields = {
  to,
  text: optional(text).describe(
    `Free text of at most ${MAX_SEGMENTS} segments (${MAX_TEXT_LENGTH.GSM7} GSM-7 characters or ${MAX_TEXT_LENGTH.UCS2} UCS-2 code units). It must match an approved template of its type, unless the workspace requires no templates.`,
  ),
  templateId: optional(lineText).describe('Id of an approved template of the workspace, rendered with `variables`.'),
  variables: optional(z.record(z.string(), variable)).describe(
    'One value for each `{{variable}}` of the template: 1 to 100 characters without a line break. A number that JSON cannot represent exactly (beyond 2^53, or more than 15 digits with a decimal point) must be a string.',
  ),
  type: optional(z.enum(MESSAGE_TYPES)).describe(
    'Message type, one of the `allowedTypes` of the workspace. Default: the type of the template, or `transactional`.',
  ),
  senderId,
}

type MessageFields = z.infer<z.ZodObject<typeof messageFields>>

type Content = Pick<MessageFields, 'text' | 'templateId' | 'variables'>

export function requireOneContent({ text: free, templateId, variables }: Content, context: z.RefinementCtx): void {
  if ((free === undefined) === (templateId === undefined)) {
    context.addIssue({ code: 'custom', path: ['text'], message: 'Send exactly one of text and templateId' })
  }
  if (templateId === undefined && Object.keys(variables ?? {}).length > 0) {
    context.addIssue({ code: 'custom', path: ['variables'], message: 'Send variables only with a templateId' })
  }
}

/** D38: all errors are reported together, so a check of several fields also runs if one of them is invalid. */
export const ALSO_IF_INVALID = {
  when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null && !Array.isArray(value),
}

export const messageBody = z
  .object(messageFields)
  .superRefine(requireOneContent, ALSO_IF_INVALID)
  .meta({
    title: 'Sending',
    oneOf: [
      {
        required: ['text'],
        properties: { text: { type: 'string' }, templateId: { type: 'null' }, variables: { maxProperties: 0 } },
      },
      { required: ['templateId'], properties: { templateId: { type: 'string' }, text: { type: 'null' } } },
    ],
    samples: {
      'Free text': { to: '+9779800000001', text: 'Your order 4711 is on its way.' },
      'From a template': {
        to: '9800000001',
        templateId: '0198f0a4-7c1e-7b52-9d0a-5b8e4a6f2c31',
        variables: { order: 4711 },
      },
    },
  })

export function contentOf({ text: free, templateId, variables = {} }: Content): TextRequest['content'] {
  return free === undefined ? { templateId: templateId?.toLowerCase() ?? '', variables } : { text: free }
}
