// Overrides of the meaning of a carrier's statuses, errors and states (docs/reference/carriers.md).
import { z } from 'zod'
import type { StatusOverrides } from '../../domain/carriers/smpp/smpp-settings.ts'
import { FAILURE_CODES } from '../../domain/message-status.ts'
import { REPORT_STATUSES } from '../../domain/messages/report.ts'
import { line } from '../fields.ts'

const failure = z.enum(FAILURE_CODES)
const commandStatus = z.string().regex(/^(0[xX][0-9A-Fa-f]{1,8}|\d{1,10})$/, 'Must be a command status such as 0x401')

const answerOverride = z.strictObject({
  outcome: z.enum(['accepted', 'throttled', 'other_carrier', 'retryable', 'rejected']),
  error: failure.optional(),
})
const reportOverride = z.strictObject({ error: failure })
const stateOverride = z.strictObject({ status: z.enum(REPORT_STATUSES), error: failure.optional() })
export const statusOverrides = z.strictObject({
  answers: z
    .record(commandStatus, answerOverride)
    .refine(
      (answers) => new Set(Object.keys(answers).map(Number)).size === Object.keys(answers).length,
      'Must not have the same command status twice, such as 0x401 and 1025',
    )
    .default({}),
  reports: z.record(line(20), reportOverride).default({}),
  states: z
    .record(z.string().regex(/^[^\s:]{1,20}(:[^\s:]{1,20})?$/, 'Must be STATE or STATE:err'), stateOverride)
    .refine(
      (states) => new Set(Object.keys(states).map(inCapitals)).size === Object.keys(states).length,
      'Must not have the same state twice, in upper and lower case',
    )
    .default({}),
})

export const overridesAnswer = z.object({
  answers: z.record(z.string(), answerOverride).describe('By command status, in decimal.'),
  reports: z.record(z.string(), reportOverride).describe('By the `err` of a receipt.'),
  states: z.record(z.string(), stateOverride).describe('By the state of a receipt, or by state and `err`.'),
})

/** Stores command statuses in decimal and states in upper case. */
export function normaliseOverrides({ answers, reports, states }: z.infer<typeof statusOverrides>): StatusOverrides {
  return {
    answers: Object.fromEntries(Object.entries(answers).map(([status, row]) => [String(Number(status)), row])),
    reports,
    states: Object.fromEntries(Object.entries(states).map(([name, row]) => [inCapitals(name), row])),
  }
}

/** Changes the state, not the `err` behind it. */
function inCapitals(name: string): string {
  const [state = '', ...err] = name.split(':')
  return [state.toUpperCase(), ...err].join(':')
}
