// What was spent as a chart.
import type { Usage } from '../api/calls.ts'
import { daysFrom, tickOf, writeDay } from '../parts/days.tsx'
import { sumOf, TYPES } from './sums.ts'

/** One bar a day, of what each type cost in the end. */
export function barsOf(rows: readonly Usage[], { from, to }: { from: string; to: string }) {
  const ofDay = Map.groupBy(rows, ({ day }) => day)
  const days = daysFrom(from, to)
  return days.map((day, index) => ({
    name: writeDay(day),
    tick: tickOf(days, index),
    values: TYPES.map((type) => sumOf((ofDay.get(day) ?? []).filter((it) => it.type === type)).net),
  }))
}
