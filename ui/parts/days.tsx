// Days of a workspace's calendar, as the API writes them: 2026-11-16. They have no time zone.

import { DAY_MS } from '../../src/domain/durations.ts'
import { words } from '../words/index.ts'
import { count, moment } from './format.ts'
import { Segmented } from './segmented.tsx'

function daysBefore(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00Z`) - days * DAY_MS).toISOString().slice(0, 10)
}

/** Every day from the first to the last, both included. */
export function daysFrom(from: string, to: string): string[] {
  const length = (Date.parse(`${to}T00:00Z`) - Date.parse(`${from}T00:00Z`)) / DAY_MS + 1
  return Array.from({ length }, (_, index) => daysBefore(from, -index))
}

export function writeDay(day: string, style: 'day' | 'shortDay' | 'month' = 'day'): string {
  return moment(`${day}T00:00Z`, style, 'UTC')
}

const MAX_TICKS = 6

/** The labels below the bars of a chart: some days, the first among them. */
export function tickOf(days: readonly string[], index: number): string | undefined {
  const step = Math.ceil(days.length / MAX_TICKS)
  const day = days[index]
  // The last label would not fit at the right.
  const hasRoom = days.length - index > step / 2
  return day !== undefined && index % step === 0 && hasRoom ? writeDay(day, 'shortDay') : undefined
}

export const DEFAULT_DAYS = '30'
const CHOICES = ['7', DEFAULT_DAYS, '90', '365']

/** Any other value in the address means the default period. */
function isDays(days: string): boolean {
  return CHOICES.includes(days)
}

/** The query of a period; `until` is the last day, as the API returned it. */
export function queryOf(days: string, until: string | undefined): { from?: string } {
  if (until === undefined || !isDays(days) || days === DEFAULT_DAYS) return {}
  return { from: daysBefore(until, Number(days) - 1) }
}

export function DaysChoice({ chosen, set }: { chosen: string; set: (days: string) => void }) {
  const here = isDays(chosen) ? chosen : DEFAULT_DAYS
  return (
    <Segmented
      label={words.parts.period}
      value={here}
      of={CHOICES.map((days) => [days, words.parts.days(days, count(Number(days)))] as const)}
      set={set}
    />
  )
}

/** The times at which a period of days begins and ends, for lists without a time zone of their own. A value with a time stays as it is. */
export function instantsOf({ from, to }: { from: string; to: string }, timeZone: string): { from: string; to: string } {
  const startOf = (day: string) => {
    const isTime = day === '' || day.includes('T')
    return isTime ? day : new Date(timeZone === 'UTC' ? `${day}T00:00Z` : `${day}T00:00`).toISOString()
  }
  return { from: startOf(from), to: startOf(to === '' || to.includes('T') ? to : daysBefore(to, -1)) }
}
