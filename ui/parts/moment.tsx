// A time in the time zone of the workspace, or of the browser outside of one, with UTC as a tooltip.
import { useTimeZone } from '../caller.ts'
import { moment } from './format.ts'

interface Props {
  at: string | null
  /** `short` is only the time of day for times of today. */
  style?: 'short' | 'whole' | 'day'
  timeZone?: string | undefined
}

export function Moment({ at, style = 'short', timeZone }: Props) {
  const own = useTimeZone()
  if (at === null) return <span class="quiet">–</span>
  const date = new Date(at)
  const write = (when: Date, as: Parameters<typeof moment>[1]) => moment(when, as, timeZone ?? own)
  const isToday = write(date, 'day') === write(new Date(), 'day')
  return (
    <time dateTime={date.toISOString()} title={date.toISOString()}>
      {write(date, style === 'short' ? (isToday ? 'second' : 'whole') : style)}
    </time>
  )
}
