// The fields that more than one endpoint has, and the bodies of answers (§2.6, §4).
import { z } from 'zod'
import { PHONE_NUMBER_PATTERN } from '../domain/phone-number.ts'
import { lineFault, textFault } from '../domain/text-encoding.ts'

const BROKEN = 'Must not contain control characters or broken ones'

/** D4: every string but the text itself is one line. */
export const line = z.string().refine((value) => lineFault(value) === null, BROKEN)

export const text = z
  .string()
  .min(1)
  .refine((value) => textFault(value) === null, BROKEN)

export const to = z
  .string()
  .regex(PHONE_NUMBER_PATTERN, 'Must be a phone number of 7 to 15 digits')
  .describe("The mobile number: E.164, or the national format of the workspace's country.")
  .meta({ example: '+9779800000001' })

export const senderId = line.optional().describe('The sender to show; stored as `from`.')

export const success = z.literal(true)
