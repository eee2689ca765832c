// Prometheus metrics. Names begin with hulaki_; the library adds the metrics of the process.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client'
import type { Clock } from './clock.ts'
import { VERSION } from './version.ts'

export type MetricParts = string

interface QueueMeasure {
  waiting: number
  oldestDueAt: Date | null
}

interface Gauges {
  label: string
  read: () => ReadonlyMap<string, number>
  /** How the values of several processes are combined. */
  aggregator?: 'sum' | 'max'
}

interface QueueHelps {
  waiting: string
  oldest: string
}

const QUEUE_MEASURE_MS = 5_000

export class Metrics {
  readonly #registry = new Registry()
  readonly contentType = this.#registry.contentType

  constructor() {
    collectDefaultMetrics({ register: this.#registry })
    new Gauge({
      name: 'hulaki_build_info',
      help: 'Version of the service and of Node.js; always 1.',
      labelNames: ['version', 'node'],
      registers: [this.#registry],
      // Several processes together report 1, too.
      aggregator: 'first',
    }).set({ version: VERSION, node: process.versions.node }, 1)
  }

  counter<Label extends string>(name: string, help: string, labelNames: readonly Label[] = []): Counter<Label> {
    return new Counter({ name: `hulaki_${name}`, help, labelNames, registers: [this.#registry] })
  }

  histogram<Label extends string>(
    name: string,
    help: string,
    { labelNames = [], buckets }: { labelNames?: readonly Label[]; buckets: number[] },
  ): Histogram<Label> {
    return new Histogram({ name: `hulaki_${name}`, help, labelNames, buckets, registers: [this.#registry] })
  }

  /** A value that is read at every scrape. */
  gauge(name: string, help: string, read: () => number | Promise<number>, { isShared = false } = {}): void {
    new Gauge({
      name: `hulaki_${name}`,
      help,
      registers: [this.#registry],
      // Every process reads the same shared value, so values are not added up.
      aggregator: isShared ? 'max' : 'sum',
      // A failed read yields NaN and does not fail the scrape.
      async collect() {
        this.set(await Promise.try(read).catch(() => Number.NaN))
      },
    })
  }

  /** The size of a queue and the age of its oldest due item. Counting is expensive, so a value is reused for a few seconds. */
  queue(
    name: string,
    { unit, helps, clock, read }: { unit: string; helps: QueueHelps; clock: Clock; read: () => Promise<QueueMeasure> },
  ): void {
    let latest: { at: number; queue: Promise<QueueMeasure> } | null = null
    const measured = () => {
      const at = performance.now()
      if (latest === null || at - latest.at > QUEUE_MEASURE_MS) latest = { at, queue: read() }
      return latest.queue
    }
    const ageSeconds = async () => {
      const { oldestDueAt } = await measured()
      return oldestDueAt ? (clock.now().getTime() - oldestDueAt.getTime()) / 1000 : 0
    }
    this.gauge(`${name}_${unit}`, helps.waiting, async () => (await measured()).waiting, { isShared: true })
    this.gauge(`${name}_oldest_due_seconds`, helps.oldest, ageSeconds, { isShared: true })
  }

  /** One value per current value of the label. */
  gauges(name: string, help: string, { label, read, aggregator = 'sum' }: Gauges): void {
    new Gauge({
      name: `hulaki_${name}`,
      help,
      labelNames: [label],
      registers: [this.#registry],
      aggregator,
      collect() {
        this.reset()
        for (const [value, number] of read()) this.set({ [label]: value }, number)
      },
    })
  }

  /** Values by several labels, read from the database and reused for a few seconds. */
  table(
    name: string,
    help: string,
    { labels, read }: { labels: string[]; read: () => Promise<{ of: Record<string, string>; value: number }[]> },
  ): void {
    let latest: { at: number; rows: ReturnType<typeof read> } | null = null
    new Gauge({
      name: `hulaki_${name}`,
      help,
      labelNames: labels,
      registers: [this.#registry],
      aggregator: 'max',
      async collect() {
        const at = performance.now()
        if (latest === null || at - latest.at > QUEUE_MEASURE_MS) latest = { at, rows: read() }
        const rows = await latest.rows.catch(() => [])
        this.reset()
        for (const { of, value } of rows) this.set(of, value)
      },
    })
  }

  text(): Promise<string> {
    return this.#registry.metrics()
  }

  /** The metrics of this process, for `sum` in another process. */
  async parts(): Promise<MetricParts> {
    return JSON.stringify(await this.#registry.getMetricsAsJSON())
  }

  static sum(parts: MetricParts[]): Promise<string> {
    return Registry.aggregate(parts.map((it) => JSON.parse(it))).metrics()
  }
}
