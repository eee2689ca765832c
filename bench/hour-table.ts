// The figures of the hour's benchmark as a Markdown table and as an SVG chart.
import { drawLines } from './line-chart.ts'
import { formatCount } from './svg.ts'

/** The state of the database at the end of a step. */
export interface HourStep {
  minute: number
  /** Accepted since the start. */
  messages: number
  /** The most that any look at the database in this step saw. */
  deadRows: number
  /** Of tables whose rows end with the work, with their indexes. */
  queueBytes: number
  /** Of tables that keep messages and what happened to them, with their indexes. */
  keptBytes: number
  walBytes: number
  acceptP99Ms: number
  cpuMicros: number
}

const MEGABYTE = 1e6

export function formatHour(steps: readonly HourStep[]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  const heads = [
    'Minute',
    'Messages',
    'Dead rows',
    'Queues MB',
    'Kept bytes each',
    'WAL MB',
    'CPU µs each',
    'Accept p99 ms',
  ]
  const rows = steps.map((it) => [
    String(it.minute),
    formatCount(it.messages),
    formatCount(it.deadRows),
    (it.queueBytes / MEGABYTE).toFixed(1),
    formatCount(it.keptBytes / it.messages),
    formatCount(it.walBytes / MEGABYTE),
    formatCount(it.cpuMicros),
    it.acceptP99Ms.toFixed(1),
  ])
  return [line(heads), line(heads.map(() => '---:')), ...rows.map(line)].join('\n')
}

/** Lines that do not rise mean that an hour of load leaves nothing behind but its messages. Autovacuum keeps dead rows below a share of all. */
export function drawHour(steps: readonly HourStep[], caption: string): string {
  const ratio = (of: (step: HourStep) => number) => {
    const [first = 1, ...rest] = steps.map(of)
    return [1, ...rest.map((value) => value / first)]
  }
  return drawLines({
    title: `What ${formatCount(steps.at(-1)?.messages ?? 0)} messages leave behind, in relation to minute ${steps[0]?.minute}`,
    points: steps.map(({ minute }) => [String(minute)]),
    lines: [
      { name: 'dead rows per message', tone: 'red', values: ratio((it) => it.deadRows / it.messages) },
      { name: 'size of the queues', tone: 'blue', values: ratio((it) => it.queueBytes) },
      { name: 'kept disk per message', tone: 'green', values: ratio((it) => it.keptBytes / it.messages) },
      { name: 'WAL on disk', tone: 'purple', values: ratio((it) => it.walBytes) },
    ],
    caption,
  })
}
