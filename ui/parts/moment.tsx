// A time in the reader's zone; whoever hovers sees it in UTC.
import { moment } from './format.ts'

const DAY_MS = 86_400_000

interface Props {
  at: string | null
  /** `short` is the time alone for what is less than a day old. */
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
