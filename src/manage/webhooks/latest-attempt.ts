// The latest attempt of a webhook event or endpoint.
import { z } from 'zod'
import { time } from '../../http/time.ts'

export const latestAttemptAnswer = z
  .object({
    attemptedAt: time,
    milliseconds: z.int(),
    statusCode: z.int().nullable(),
    error: z.string().nullable().describe('Why there was no response.'),
  })
  .nullable()
  .describe('The latest attempt.')

interface LatestAttempt {
  attemptedAt: Date | null
  milliseconds: number | null
  statusCode: number | null
  failure: string | null
}

/** null before the first attempt. */
export function latestAttemptView(latest: LatestAttempt): z.input<typeof latestAttemptAnswer> {
  const { attemptedAt, milliseconds, statusCode, failure: error } = latest
  return attemptedAt && milliseconds !== null ? { attemptedAt, milliseconds, statusCode, error } : null
}
