// Ranges of days and times, as queries.
import { z } from 'zod'
import { DAY_MS } from '../domain/durations.ts'
import { type Refusal, refuseField } from '../domain/refusals.ts'
import { dayOf, parseDay, parseMonth } from '../domain/workspaces/billing-period.ts'
import type { Workspace } from '../store/workspaces/workspaces.ts'
import { BACKWARDS, checkPeriod, day, instant } from './fields.ts'

const DEFAULT_DAYS = 30
const MAX_DAYS = 366

export const days = z.object({
  from: day.optional().describe(`First day, in the workspace's time zone. Default: ${DEFAULT_DAYS} days ago.`),
  to: day.optional().describe('Last day, included. Default: today.'),
})

/** The days of all workspaces, each in its own time zone. */
export const serviceDays = days.extend({
  from: days.shape.from.describe(`First day, in the time zone of each workspace. Default: ${DEFAULT_DAYS} days ago.`),
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

/** A month that has not begun would look like one without messages. A process whose clock is ahead may have begun it already (D9). */
export function checkHasBegun(
  month: string,
  { timeZone, period }: Pick<Workspace, 'timeZone' | 'period'>,
  now: Date,
): Refusal | null {
  const hasBegun = month <= period.slice(0, 7) || parseMonth(month, timeZone).startsAt <= now
  return hasBegun ? null : refuseField('month', `${month} has not begun`)
}

/** The fields of a period with open ends. `zone` names the time zone of its days. */
export const datesIn = (zone: string) => ({
  'from-date': day.or(instant).optional().describe(`First day, in ${zone}, or a time with its offset.`),
  'to-date': day.or(instant).optional().describe('Last day, included, or a time, excluded.'),
})

export function readDates(
  {
    'from-date': from,
    'to-date': to,
  }: { 'from-date'?: string | Date | undefined; 'to-date'?: string | Date | undefined },
  timeZone: string,
): { since: Date | null; until: Date | null } | Refusal {
  const dates = {
    since: typeof from === 'string' ? parseDay(from, timeZone).startsAt : (from ?? null),
    until: typeof to === 'string' ? parseDay(to, timeZone).endsAt : (to ?? null),
  }
  return checkPeriod('to-date', dates) ?? dates
}
