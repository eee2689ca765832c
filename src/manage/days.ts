// A range of days in the time zone of a workspace, as a query.
import { z } from 'zod'
import { DAY_MS } from '../domain/durations.ts'
import { type Refusal, refuseField } from '../domain/refusals.ts'
import { dayOf } from '../domain/workspaces/billing-period.ts'
import type { Workspace } from '../store/workspaces/workspaces.ts'
import { BACKWARDS, day } from './fields.ts'

const DEFAULT_DAYS = 30
const MAX_DAYS = 366

export const days = z.object({
  from: day.optional().describe(`First day, in the workspace's time zone. Default: ${DEFAULT_DAYS} days ago.`),
  to: day.optional().describe('Last day, included. Default: today.'),
})

export const DAYS_COVERED = `Covers up to ${MAX_DAYS} days.`

export function checkDays(
  requested: z.infer<typeof days>,
  { timeZone }: Pick<Workspace, 'timeZone'>,
  now: Date,
): { from: string; to: string } | Refusal {
  const to = requested.to ?? dayOf(now, timeZone).day
  const from = requested.from ?? dayOf(new Date(now.getTime() - DEFAULT_DAYS * DAY_MS), timeZone).day
  if (to < from) return refuseField('to', BACKWARDS)
  if (Date.parse(to) - Date.parse(from) >= MAX_DAYS * DAY_MS)
    return refuseField('from', `The period has more than ${MAX_DAYS} days; request a shorter one`)
  return { from, to }
}
