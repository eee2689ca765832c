// The chart of messages by outcome over time. A bar filters the list.
import type { TimeRange } from '../../src/domain/time-ranges.ts'
import { useTimeZone } from '../caller.ts'
import { BarChart } from '../parts/chart.tsx'
import { count, moment } from '../parts/format.ts'
import { RangeChoice, useRange } from '../parts/range-choice.tsx'
import { words } from '../words/index.ts'
import { useHistory } from './source.ts'

interface Props {
  workspaceId: string
  isLive: boolean
  /** Filters the list by the time of a bar. */
  choose: (from: string, to: string) => void
}

const USUAL = '24h'
const SHAPES: Record<TimeRange, { barsPerTick: number; tick: 'time' | 'shortDay'; name: 'whole' | 'day' }> = {
  '1h': { barsPerTick: 1, tick: 'time', name: 'whole' },
  '6h': { barsPerTick: 4, tick: 'time', name: 'whole' },
  '24h': { barsPerTick: 4, tick: 'time', name: 'whole' },
  '7d': { barsPerTick: 4, tick: 'shortDay', name: 'whole' },
  '30d': { barsPerTick: 5, tick: 'shortDay', name: 'day' },
  '90d': { barsPerTick: 15, tick: 'shortDay', name: 'day' },
}

export function History({ workspaceId, isLive, choose }: Props) {
  const timeZone = useTimeZone()
  const [range] = useRange(USUAL)
  const { barsPerTick, tick, name } = SHAPES[range]
  const data = useHistory(workspaceId, { range, isLive })
  const bars = data?.items.map(({ startsAt, ...step }, index) => ({
    name: moment(startsAt, name, timeZone),
    tick: index % barsPerTick === 0 ? moment(startsAt, tick, timeZone) : undefined,
    values: (['delivered', 'underWay', 'undelivered', 'failed'] as const).map((outcome) => step[outcome]),
  }))
  const total = bars?.flatMap(({ values }) => values).reduce((sum, value) => sum + value, 0) ?? 0
  return (
    <BarChart
      title={words.messages.total(total, count(total))}
      note={words.messages.lastOf[range]}
      series={[
        { label: words.status.delivered, colour: 'good' },
        { label: words.messages.inProgress, colour: 'info' },
        { label: words.status.undelivered, colour: 'warn' },
        { label: words.status.failed, colour: 'bad' },
      ]}
      bars={bars}
      choose={(index) => {
        const step = data?.items[index]
        if (step) choose(step.startsAt, step.endsAt)
      }}
      chooseHint={words.messages.filterPeriod}
    >
      <RangeChoice usual={USUAL} />
    </BarChart>
  )
}
