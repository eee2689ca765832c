// The figures of the growth benchmark as a Markdown table and as an SVG chart.
import { drawLines, type Line } from './line-chart.ts'
import { formatCount } from './svg.ts'

export const GROWTH_FIGURES = [
  'perSecond',
  'cpuMicros',
  'acceptP99Ms',
  'lookUpMs',
  'listMs',
  'failedListMs',
  'numberListMs',
  'overviewMs',
] as const

/** Messages accepted, delivered and recorded per second with the CPU time of each, and times of requests. */
export type GrowthFigures = Record<(typeof GROWTH_FIGURES)[number], number>

export interface GrowthStep {
  /** Messages in the database. */
  messages: number
  bytes: number
  /** Of the installation that does not grow, in turn with the other one. */
  small: GrowthFigures
  large: GrowthFigures
}

const HEADS: Record<keyof GrowthFigures, string> = {
  perSecond: 'Accepted and delivered per second',
  cpuMicros: 'CPU µs each',
  acceptP99Ms: 'Accept p99 ms',
  lookUpMs: 'Look-up ms',
  listMs: 'Newest messages ms',
  failedListMs: 'Failed messages ms',
  numberListMs: 'Messages to a number ms',
  overviewMs: 'Overview ms',
}

/** Each cell has the figure of the small installation, and that of the large one. */
export function formatGrowth(steps: readonly GrowthStep[]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  const rows = steps.map(({ messages, bytes, small, large }) => [
    formatCount(messages),
    (bytes / 1e9).toFixed(1),
    ...GROWTH_FIGURES.map((name) => `${shown(small[name])} → ${shown(large[name])}`),
  ])
  const heads = ['Messages', 'GB', ...GROWTH_FIGURES.map((name) => HEADS[name])]
  return [line(heads), line(heads.map(() => '---:')), ...rows.map(line)].join('\n')
}

function shown(value: number): string {
  return value < 100 ? value.toFixed(1) : formatCount(value)
}

const LINES: [name: string, tone: Line['tone'], of: keyof GrowthFigures][] = [
  ['CPU per message', 'green', 'cpuMicros'],
  ['look-up', 'blue', 'lookUpMs'],
  ['newest messages', 'orange', 'listMs'],
  ['messages to a number', 'purple', 'numberListMs'],
  ['Overview', 'red', 'overviewMs'],
]

/** A flat line at 1 means that growth costs nothing. */
export function drawGrowth(
  steps: readonly GrowthStep[],
  { smallest, caption }: { smallest: number; caption: string },
): string {
  return drawLines({
    title: `Cost in relation to an installation that starts with ${formatCount(smallest)} messages`,
    points: [
      [formatCount(smallest)],
      ...steps.map(({ messages, bytes }) => [formatCount(messages), `${(bytes / 1e9).toFixed(1)} GB`]),
    ],
    lines: LINES.map(([name, tone, of]) => ({
      name,
      tone,
      values: [1, ...steps.map(({ small, large }) => large[of] / small[of])],
    })),
    caption,
  })
}
