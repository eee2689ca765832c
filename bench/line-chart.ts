// A line chart as SVG: figures in relation to their first value. The colours follow the reader's theme.
import { bar, text } from './svg.ts'

export interface Line {
  name: string
  tone: 'green' | 'blue' | 'orange' | 'purple' | 'red'
  /** The first value is 1. */
  values: readonly number[]
}

interface Chart {
  title: string
  /** The lines of text below each point. */
  points: readonly (readonly string[])[]
  lines: readonly Line[]
  caption: string
}

const SIZE = { width: 870, height: 380 }
const PLOT = { left: 60, right: 640, top: 70, bottom: 310 }

export function drawLines({ title, points, lines, caption }: Chart): string {
  const highest = Math.max(2, Math.ceil(Math.max(...lines.flatMap((it) => it.values))))
  const x = (index: number) => PLOT.left + ((PLOT.right - PLOT.left) * index) / (points.length - 1)
  const y = (value: number) => PLOT.bottom - ((PLOT.bottom - PLOT.top) * value) / highest
  const marks = Array.from({ length: highest + 1 }, (_, value) => value).flatMap((value) => [
    `<line class="grid" x1="${PLOT.left}" x2="${PLOT.right}" y1="${y(value)}" y2="${y(value)}"/>`,
    text({ x: PLOT.left - 10, y: y(value) + 4, 'text-anchor': 'end' }, String(value)),
  ])
  const labels = points.flatMap((words, index) =>
    words.map((word, row) => text({ x: x(index), y: PLOT.bottom + 20 + row * 17, 'text-anchor': 'middle' }, word)),
  )
  const drawn = lines.flatMap(({ name, tone, values }, row) => [
    `<polyline class="${tone}" points="${values.map((value, index) => `${round(x(index))},${round(y(value))}`).join(' ')}"/>`,
    bar({ class: tone, x: PLOT.right + 25, y: PLOT.top + row * 24, width: 12, height: 12 }),
    text({ x: PLOT.right + 44, y: PLOT.top + 10 + row * 24 }, name),
  ])
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE.width} ${SIZE.height}" width="${SIZE.width}" height="${SIZE.height}" role="img">`,
    `<title>${title}</title>`,
    `<style>${STYLE}</style>`,
    `<rect class="page" width="${SIZE.width}" height="${SIZE.height}" rx="8"/>`,
    text({ x: 20, y: 32, class: 'head' }, title),
    ...marks,
    ...labels,
    ...drawn,
    text({ x: 20, y: SIZE.height - 12 }, caption),
    '</svg>',
  ].join('\n')}\n`
}

const STYLE = `
text { font: 13px system-ui, sans-serif; fill: #59636e } .head { font-weight: 600; font-size: 15px; fill: #1f2328 }
.page { fill: #ffffff } .grid { stroke: #d1d9e0 } polyline { fill: none; stroke-width: 2.5 }
.green { stroke: #2f6f4f } .blue { stroke: #3569a8 } .orange { stroke: #d1882b } .purple { stroke: #8a5bb0 } .red { stroke: #b3402f }
rect.green { fill: #2f6f4f } rect.blue { fill: #3569a8 } rect.orange { fill: #d1882b } rect.purple { fill: #8a5bb0 } rect.red { fill: #b3402f }
@media (prefers-color-scheme: dark) {
  text { fill: #9198a1 } .head { fill: #f0f6fc } .page { fill: #0d1117 } .grid { stroke: #3d444d }
}
`

function round(value: number): number {
  return Math.round(value * 10) / 10
}
