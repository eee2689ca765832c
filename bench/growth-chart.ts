// The figures of the growth benchmark as a Markdown table and as an SVG chart.
import { bar, formatCount, text } from './svg.ts'

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

const LINES: [name: string, tone: string, of: keyof GrowthFigures][] = [
  ['CPU per message', 'cpu', 'cpuMicros'],
  ['look-up', 'look', 'lookUpMs'],
  ['newest messages', 'list', 'listMs'],
  ['messages to a number', 'number', 'numberListMs'],
  ['Overview', 'overview', 'overviewMs'],
]

const SIZE = { width: 840, height: 380 }
const PLOT = { left: 60, right: 640, top: 70, bottom: 310 }

/** A flat line at 1 means that growth costs nothing. */
export function drawGrowth(
  steps: readonly GrowthStep[],
  { smallest, caption }: { smallest: number; caption: string },
): string {
  const points = [
    { messages: smallest, size: '' },
    ...steps.map((it) => ({ ...it, size: `${(it.bytes / 1e9).toFixed(1)} GB` })),
  ]
  const ratios = LINES.map(([name, tone, of]) => ({
    name,
    tone,
    values: [1, ...steps.map(({ small, large }) => large[of] / small[of])],
  }))
  const highest = Math.max(2, Math.ceil(Math.max(...ratios.flatMap((it) => it.values))))
  const x = (index: number) => PLOT.left + ((PLOT.right - PLOT.left) * index) / (points.length - 1)
  const y = (value: number) => PLOT.bottom - ((PLOT.bottom - PLOT.top) * value) / highest
  const marks = Array.from({ length: highest + 1 }, (_, value) => value).flatMap((value) => [
    `<line class="grid" x1="${PLOT.left}" x2="${PLOT.right}" y1="${y(value)}" y2="${y(value)}"/>`,
    text({ x: PLOT.left - 10, y: y(value) + 4, 'text-anchor': 'end' }, String(value)),
  ])
  const sizes = points.flatMap(({ messages, size }, index) => [
    text({ x: x(index), y: PLOT.bottom + 20, 'text-anchor': 'middle' }, formatCount(messages)),
    text({ x: x(index), y: PLOT.bottom + 37, 'text-anchor': 'middle' }, size),
  ])
  const lines = ratios.flatMap(({ name, tone, values }, row) => [
    `<polyline class="${tone}" points="${values.map((value, index) => `${round(x(index))},${round(y(value))}`).join(' ')}"/>`,
    bar({ class: tone, x: PLOT.right + 25, y: PLOT.top + row * 24, width: 12, height: 12 }),
    text({ x: PLOT.right + 44, y: PLOT.top + 10 + row * 24 }, name),
  ])
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE.width} ${SIZE.height}" width="${SIZE.width}" height="${SIZE.height}" role="img">`,
    '<title>Cost in relation to a small installation</title>',
    `<style>${STYLE}</style>`,
    `<rect class="page" width="${SIZE.width}" height="${SIZE.height}" rx="8"/>`,
    text({ x: 20, y: 32, class: 'head' }, `Cost in relation to an installation with ${formatCount(smallest)} messages`),
    ...marks,
    ...sizes,
    ...lines,
    text({ x: 20, y: SIZE.height - 12 }, caption),
    '</svg>',
  ].join('\n')}\n`
}

const STYLE = `
text { font: 13px system-ui, sans-serif; fill: #59636e } .head { font-weight: 600; font-size: 15px; fill: #1f2328 }
.page { fill: #ffffff } .grid { stroke: #d1d9e0 } polyline { fill: none; stroke-width: 2.5 }
.cpu { stroke: #2f6f4f } .look { stroke: #3569a8 } .list { stroke: #d1882b } .number { stroke: #8a5bb0 } .overview { stroke: #b3402f }
rect.cpu { fill: #2f6f4f } rect.look { fill: #3569a8 } rect.list { fill: #d1882b } rect.number { fill: #8a5bb0 } rect.overview { fill: #b3402f }
@media (prefers-color-scheme: dark) {
  text { fill: #9198a1 } .head { fill: #f0f6fc } .page { fill: #0d1117 } .grid { stroke: #3d444d }
}
`

function round(value: number): number {
  return Math.round(value * 10) / 10
}
