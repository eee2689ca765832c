// Fields that several endpoints of the v1 API share (§2.6, §4).
import { z } from 'zod'
import { MAX_SEGMENTS } from '../domain/text-encoding.ts'
import { shortLine } from '../http/message-body.ts'

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
