// Throughput and queue age over time, from the figures that the service keeps for each minute.
import type { TimeRange } from '../../src/domain/time-ranges.ts'
import type { Incident } from '../api/calls.ts'
import { useCall } from '../api/use.ts'
import { useTimeZone } from '../caller.ts'
import { duration, moment } from '../parts/format.ts'
import { LineChart } from '../parts/line-chart.tsx'
import { words } from '../words/index.ts'
import css from './now.module.css'

/** The figures of a minute appear once. */
const GAP_MS = 30_000
const MS = 1_000
const TICKS = 5
const TYPES = [
  ['otp', 'c3'],
  ['transactional', 'c4'],
  ['promotional', 'c2'],
] as const
const MINUTE_MS = 60_000
/** The tops of a scale of times, in minutes: half of each is a round time, too. */
const TOPS = [2, 4, 10, 20, 40, 60, 120, 240, 480, 1_440] as const
const DAYS_MS = 2_880 * MINUTE_MS

interface Props {
  range: TimeRange
  /** The first outage is marked in both charts. */
  outage: Incident | undefined
}

export function History({ range, outage }: Props) {
  const { data } = useCall('getNowHistory', { query: { range } }, { topics: ['figures'], gapMs: GAP_MS })
  const timeZone = useTimeZone()
  const items = data?.items ?? []
  const minutes = (data?.stepSeconds ?? 60) / 60
  const style = range.endsWith('d') ? 'shortDay' : 'time'
  const moments = items.map(({ at }) => moment(at, 'row', timeZone))
  const ticks = Array.from(
    { length: TICKS },
    (_, index) => items[Math.round((index * (items.length - 1)) / (TICKS - 1))],
  )
  const common = {
    moments,
    ticks: items.length < TICKS ? [] : ticks.map((it, index) => (it ? moment(it.at, style, timeZone) : String(index))),
    mark: outage?.since
      ? markOf(outage.since, items, moment(outage.since, 'time', timeZone), outage.about?.name ?? '')
      : null,
  }
  const perMinute = (sum: number) => Math.round(sum / minutes)
  return (
    <div class={css.pair}>
      <LineChart
        {...common}
        title={words.now.throughput}
        note={words.now.perMinute}
        lines={[
          { label: words.now.accepted, colour: 'c1', values: items.map((it) => perMinute(it.accepted)) },
          { label: words.now.sentToCarriers, colour: 'c2', values: items.map((it) => perMinute(it.sent)) },
        ]}
      />
      <LineChart
        {...common}
        title={words.now.queueAge}
        note={words.now.oldestWaiting}
        ceiling={ceilingOfAge}
        write={duration}
        lines={TYPES.map(([type, colour]) => ({
          label: words.types[type],
          colour,
          values: items.map((it) => it.oldestSeconds[type] * MS),
        }))}
      />
    </div>
  )
}

function ceilingOfAge(highest: number): number {
  const top = TOPS.map((minutes) => minutes * MINUTE_MS).find((it) => it >= highest)
  return top ?? Math.ceil(highest / DAYS_MS) * DAYS_MS
}

function markOf(since: string, items: readonly { at: string }[], time: string, name: string) {
  const first = Date.parse(items[0]?.at ?? '')
  const last = Date.parse(items.at(-1)?.at ?? '')
  const at = (Date.parse(since) - first) / (last - first)
  return at >= 0 && at <= 1 ? { at, label: `${time} ${name}` } : null
}
