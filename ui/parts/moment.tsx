// A time in the time zone of the browser, with UTC as a tooltip.

import { DAY_MS } from '../../src/domain/durations.ts'
import { moment } from './format.ts'

interface Props {
  at: string | null
  /** `short` is only the time of day for the last 24 hours. */
  style?: 'short' | 'whole' | 'day'
}

export function Moment({ at, style = 'short' }: Props) {
  if (at === null) return <span class="quiet">–</span>
  const date = new Date(at)
  const isRecent = Math.abs(Date.now() - date.getTime()) < DAY_MS
  const shown = moment(date, style === 'short' ? (isRecent ? 'second' : 'whole') : style)
  return (
    <time dateTime={date.toISOString()} title={date.toISOString()}>
      {shown}
    </time>
  )
}
