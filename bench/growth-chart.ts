// The figures of the growth benchmark as a Markdown table and as an SVG chart.

export interface GrowthStep {
  /** Messages in the database. */
  messages: number
  bytes: number
  /** Accepted, delivered and recorded per second, and the CPU time of each. */
  perSecond: number
  acceptP99Ms: number
  serviceMicros: number
  postgresMicros: number
  lookUpMs: number
  listMs: number
  failedListMs: number
  numberListMs: number
  overviewMs: number
}

const COLUMNS: [head: string, cell: (step: GrowthStep) => string][] = [
  ['Messages', ({ messages }) => grouped(messages)],
  ['GB', ({ bytes }) => (bytes / 1e9).toFixed(2)],
  ['Accepted and delivered per second', ({ perSecond }) => grouped(perSecond)],
  ['CPU µs each', ({ serviceMicros, postgresMicros }) => grouped(serviceMicros + postgresMicros)],
  ['Accept p99 ms', ({ acceptP99Ms }) => acceptP99Ms.toFixed(1)],
  ['Look-up ms', ({ lookUpMs }) => lookUpMs.toFixed(1)],
  ['Newest messages ms', ({ listMs }) => listMs.toFixed(1)],
  ['Failed messages ms', ({ failedListMs }) => failedListMs.toFixed(1)],
  ['Messages to a number ms', ({ numberListMs }) => numberListMs.toFixed(1)],
  ['Overview ms', ({ overviewMs }) => overviewMs.toFixed(1)],
]

export function formatGrowth(steps: readonly GrowthStep[]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [
    line(COLUMNS.map(([head]) => head)),
    line(COLUMNS.map(() => '---:')),
    ...steps.map((step) => line(COLUMNS.map(([, cell]) => cell(step)))),
  ].join('\n')
}

const LINES: [name: string, tone: string, of: (step: GrowthStep) => number][] = [
  ['CPU per message', 'cpu', ({ serviceMicros, postgresMicros }) => serviceMicros + postgresMicros],
  ['look-up', 'look', ({ lookUpMs }) => lookUpMs],
  ['newest messages', 'list', ({ listMs }) => listMs],
  ['messages to a number', 'number', ({ numberListMs }) => numberListMs],
  ['Overview', 'overview', ({ overviewMs }) => overviewMs],
]

const SIZE = { width: 840, height: 380 }
const PLOT = { left: 60, right: 640, top: 70, bottom: 310 }

/** Each figure in relation to its first step: a flat line at 1 means that growth costs nothing. */
export function drawGrowth(steps: readonly GrowthStep[], caption: string): string {
  const [first] = steps
  if (!first) throw new Error('a chart needs a step')
  const ratios = LINES.map(([name, tone, of]) => ({ name, tone, values: steps.map((step) => of(step) / of(first)) }))
  const highest = Math.max(2, Math.ceil(Math.max(...ratios.flatMap((it) => it.values))))
  const x = (index: number) => PLOT.left + ((PLOT.right - PLOT.left) * index) / Math.max(1, steps.length - 1)
  const y = (value: number) => PLOT.bottom - ((PLOT.bottom - PLOT.top) * value) / highest
  const marks = Array.from({ length: highest + 1 }, (_, value) => value).flatMap((value) => [
    `<line class="grid" x1="${PLOT.left}" x2="${PLOT.right}" y1="${y(value)}" y2="${y(value)}"/>`,
    text({ x: PLOT.left - 10, y: y(value) + 4, anchor: 'end' }, String(value)),
  ])
  const sizes = steps.flatMap(({ messages, bytes }, index) => [
    text({ x: x(index), y: PLOT.bottom + 20, anchor: 'middle' }, grouped(messages)),
    text({ x: x(index), y: PLOT.bottom + 37, anchor: 'middle' }, `${(bytes / 1e9).toFixed(1)} GB`),
  ])
  const lines = ratios.flatMap(({ name, tone, values }, row) => [
    `<polyline class="${tone}" points="${values.map((value, index) => `${round(x(index))},${round(y(value))}`).join(' ')}"/>`,
    `<rect class="${tone}" x="${PLOT.right + 25}" y="${PLOT.top + row * 24}" width="12" height="12"/>`,
    text({ x: PLOT.right + 44, y: PLOT.top + 10 + row * 24 }, name),
  ])
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE.width} ${SIZE.height}" width="${SIZE.width}" height="${SIZE.height}" role="img">`,
    '<title>Cost in relation to the smallest database</title>',
    `<style>${STYLE}</style>`,
    `<rect class="page" width="${SIZE.width}" height="${SIZE.height}" rx="8"/>`,
    text({ x: 20, y: 32, tone: 'head' }, `Cost in relation to ${grouped(first.messages)} messages`),
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

function text(
  { x, y, anchor = 'start', tone = '' }: { x: number; y: number; anchor?: string; tone?: string },
  of: string,
) {
  const escaped = of.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}"${tone && ` class="${tone}"`}>${escaped}</text>`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ' ')
}
