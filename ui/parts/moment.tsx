// A time in the time zone of the browser or of a workspace, with UTC as a tooltip.
import { moment } from './format.ts'

interface Props {
  at: string | null
  /** `short` is only the time of day for times of today. */
  style?: 'short' | 'whole' | 'day'
  /** Such as that of the workspace, for the end of its month. */
  timeZone?: string
}

export function Moment({ at, style = 'short', timeZone }: Props) {
  if (at === null) return <span class="quiet">–</span>
  const date = new Date(at)
  const isToday = date.toDateString() === new Date().toDateString()
  const shown = moment(date, style === 'short' ? (isToday ? 'second' : 'whole') : style, timeZone)
  return (
    <time dateTime={date.toISOString()} title={date.toISOString()}>
      {shown}
    </time>
  )
}
