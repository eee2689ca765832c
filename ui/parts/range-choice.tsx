// The choice of the range of charts over time. The address holds it.
import { TIME_RANGES, type TimeRange } from '../../src/domain/time-ranges.ts'
import { words } from '../words/index.ts'
import { Segmented } from './segmented.tsx'
import { useUrlState } from './url-state.ts'

/** Any other value in the address means the usual range. */
export function useRange(usual: TimeRange): [TimeRange, (range: TimeRange) => void] {
  const [chosen, set] = useUrlState({ range: usual as string })
  return [TIME_RANGES.find((it) => it === chosen.range) ?? usual, (range) => set({ range }, { replace: true })]
}

export function RangeChoice({ usual }: { usual: TimeRange }) {
  const [range, set] = useRange(usual)
  return (
    <Segmented
      label={words.parts.period}
      value={range}
      of={TIME_RANGES.map((it) => [it, words.parts.ranges[it]] as const)}
      set={set}
    />
  )
}
