// A time in the time zone of the workspace, or of the browser outside of one, with UTC as a tooltip.
import { useTimeZone } from '../caller.ts'
import { moment } from './format.ts'

interface Props {
  at: string | null
  style?: 'row' | 'whole' | 'day' | 'millisecond'
  timeZone?: string | undefined
}

export function Moment({ at, style = 'row', timeZone }: Props) {
  const own = useTimeZone()
  if (at === null) return <span class="quiet">–</span>
  const date = new Date(at)
  return (
    <time dateTime={date.toISOString()} title={date.toISOString()}>
      {moment(date, style, timeZone ?? own)}
    </time>
  )
}
