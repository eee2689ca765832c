// The rows of the benchmark table, and their forms as Markdown and as an SVG chart.
import { bar, formatCount, text } from './svg.ts'
import { listValid } from './usage-error.ts'

export interface Figures {
  perSecond: number
  /** CPU time per message of the service and of its PostgreSQL. */
  serviceMicros: number | null
  postgresMicros: number | null
  walBytes: number | null
  p50Ms: number | null
  p99Ms: number | null
  /** The share of time in which the load generator was busy; absent without one. */
  generatorBusy?: number
}

/** The rows in order, each with the row that it is compared with. */
export const ROWS = {
  bare: { title: 'Bare Fastify server' },
  durable: { title: 'Bare durable server', baseline: 'bare' },
  kannel: { title: 'Kannel' },
  accept: { title: 'Accept', baseline: 'durable' },
  'accept-key': { title: 'Accept with Idempotency-Key', baseline: 'durable' },
  'otp-send': { title: 'OTP send', baseline: 'durable' },
  'otp-verify': { title: 'OTP verify', baseline: 'durable' },
  queued: { title: 'Queued to reported' },
  whole: { title: 'Request to recorded receipt', baseline: 'kannel' },
  'whole-webhooks': { title: 'Request to two webhooks' },
} as const satisfies Record<string, { title: string; baseline?: string }>

export type RowName = keyof typeof ROWS

/** Null: not installed. */
export type Results = Partial<Record<RowName, Figures | null>>

/** A name selects its row, the first part of names selects their rows, and no word selects all. Baselines are added. */
export function selectRows(words: string[]): RowName[] {
  const names = Object.keys(ROWS) as RowName[]
  if (words.length === 0) return names
  const selected = words.flatMap((word) => {
    const found = names.filter((name) => name === word)
    const rows = found.length > 0 ? found : names.filter((name) => name.startsWith(`${word}-`))
    if (rows.length === 0) throw listValid(`There is no row '${word}'`, names)
    return rows
  })
  const wanted = new Set(selected.flatMap((name) => [name, baselineOf(name)]))
  return names.filter((name) => wanted.has(name))
}

function baselineOf(name: RowName): RowName | undefined {
  const row = ROWS[name]
  return 'baseline' in row ? row.baseline : undefined
}

const HEAD = ['Test', 'Per second', 'Service CPU µs', 'PostgreSQL CPU µs', 'WAL bytes', 'p50 ms', 'p99 ms', 'Ratio']

/** An aligned Markdown table. */
export function formatTable(results: Results): string {
  const lines = entriesOf(results).map(([name, figures]) => cellsOf(name, figures, results))
  const widths = HEAD.map((_, column) => Math.max(...[HEAD, ...lines].map((cells) => cells[column]?.length ?? 0)))
  const pad = (cell: string, column: number) =>
    column === 0 || column === HEAD.length - 1 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
  const rule = widths.map((width, column) =>
    column === 0 || column === HEAD.length - 1 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  )
  return [HEAD, rule, ...lines].map((cells) => `| ${cells.map(pad).join(' | ')} |`).join('\n')
}

/** Above this share of one core, the throughput may be that of the load generator. */
const GENERATOR_LIMIT = 0.9

/** One line, or null if the load generator had time left in every row. */
export function formatWarning(results: Results): string | null {
  const names = entriesOf(results).flatMap(([name, figures]) =>
    (figures?.generatorBusy ?? 0) > GENERATOR_LIMIT ? [name] : [],
  )
  if (names.length === 0) return null
  return `Warning: the load generator used more than 90 % of a core, so it may limit these rows: ${names.join(', ')}`
}

function cellsOf(name: RowName, figures: Figures | null, results: Results): string[] {
  const { title } = ROWS[name]
  if (figures === null) return [title, 'not installed', ...HEAD.slice(2).map(() => '')]
  const { perSecond, serviceMicros, postgresMicros, walBytes, p50Ms, p99Ms } = figures
  const times = [p50Ms, p99Ms].map((ms) => ms?.toFixed(1) ?? '')
  return [
    title,
    ...[perSecond, serviceMicros, postgresMicros, walBytes].map(formatCount),
    ...times,
    ratioOf(name, results),
  ]
}

/** The throughput in relation to the baseline. */
function ratioOf(name: RowName, results: Results): string {
  const baseline = baselineOf(name)
  const [own, other] = [results[name], baseline && results[baseline]]
  return own && other ? `${(own.perSecond / other.perSecond).toFixed(2)} × ${baseline}` : ''
}

function entriesOf(results: Results): [RowName, Figures | null][] {
  return selectRows([]).flatMap((name) => {
    const figures = results[name]
    return figures === undefined ? [] : [[name, figures] satisfies [RowName, Figures | null]]
  })
}

const LINE_HEIGHT = 30
const TOP = 78
const BAR_WIDTH = 200
/** The left edges of the titles, the throughput and the CPU time. */
const LEFT = { title: 20, throughput: 240, cpu: 540 }
const WIDTH = 840

/** Throughput, and CPU time per message of service and PostgreSQL. The colours follow the reader's theme. */
export function drawChart(results: Results, caption: string): string {
  const entries = entriesOf(results)
  const height = TOP + entries.length * LINE_HEIGHT + 40
  const largest = (of: (figures: Figures) => number) => Math.max(1, ...entries.map(([, it]) => (it ? of(it) : 0)))
  const cpuOf = ({ serviceMicros, postgresMicros }: Figures) => (serviceMicros ?? 0) + (postgresMicros ?? 0)
  const scales = { throughput: BAR_WIDTH / largest((it) => it.perSecond), cpu: BAR_WIDTH / largest(cpuOf) }
  const rows = entries.flatMap(([name, figures], index) => {
    const y = TOP + index * LINE_HEIGHT
    const title = text({ x: LEFT.title, y: y + 13 }, ROWS[name].title)
    if (figures === null) return [title, text({ x: LEFT.throughput, y: y + 13, class: 'quiet' }, 'not installed')]
    const throughput = figures.perSecond * scales.throughput
    const service = (figures.serviceMicros ?? 0) * scales.cpu
    const postgres = (figures.postgresMicros ?? 0) * scales.cpu
    return [
      title,
      bar({ x: LEFT.throughput, y, width: throughput, class: 'throughput' }),
      text({ x: LEFT.throughput + throughput + 6, y: y + 13, class: 'quiet' }, formatCount(figures.perSecond)),
      bar({ x: LEFT.cpu, y, width: service, class: 'service' }),
      bar({ x: LEFT.cpu + service, y, width: postgres, class: 'postgres' }),
      text({ x: LEFT.cpu + service + postgres + 6, y: y + 13, class: 'quiet' }, formatCount(cpuOf(figures))),
    ]
  })
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>Throughput and CPU time per message</title>`,
    `<style>${STYLE}</style>`,
    `<rect class="page" width="${WIDTH}" height="${height}" rx="8"/>`,
    text({ x: LEFT.title, y: 32, class: 'head' }, 'Hulaki and its baselines'),
    text({ x: LEFT.throughput, y: 58, class: 'quiet' }, 'messages per second'),
    text({ x: LEFT.cpu, y: 58, class: 'quiet' }, 'CPU µs per message'),
    bar({ x: LEFT.cpu, y: 23, width: 10, class: 'service', height: 10 }),
    text({ x: LEFT.cpu + 16, y: 32, class: 'quiet' }, 'service'),
    bar({ x: LEFT.cpu + 90, y: 23, width: 10, class: 'postgres', height: 10 }),
    text({ x: LEFT.cpu + 106, y: 32, class: 'quiet' }, 'PostgreSQL'),
    ...rows,
    text({ x: LEFT.title, y: height - 18, class: 'quiet' }, caption),
    '</svg>',
  ].join('\n')}\n`
}

const STYLE = `
text { font: 13px system-ui, sans-serif; fill: #1f2328 } .head { font-weight: 600; font-size: 15px } .quiet { fill: #59636e }
.page { fill: #ffffff } .throughput { fill: #2f6f4f } .service { fill: #3569a8 } .postgres { fill: #d1882b }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc } .quiet { fill: #9198a1 } .page { fill: #0d1117 }
  .throughput { fill: #56a77d } .service { fill: #5b96dc } .postgres { fill: #e3a857 }
}
`
