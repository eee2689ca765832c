// Prometheus metrics. Names begin with hulaki_; the library adds the metrics of the process.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client'
import type { Clock } from './clock.ts'
import { VERSION } from './version.ts'

export type MetricParts = string

/** The values of the labels. */
type Labels = Record<string, string>

export interface MetricRow {
  of: Labels
  value: number
}

interface QueueMeasure {
  of: Labels
  waiting: number
  oldestDueAt: Date | null
}

interface Gauges {
  label: string
  read: () => ReadonlyMap<string, number>
  /** How the values of several processes are combined. */
  aggregator?: 'sum' | 'max'
}

interface Accumulating {
  get(): Promise<{ values: { labels: Partial<Record<string, string | number>> }[] }>
  remove(...values: string[]): void
}

interface QueueHelps {
  waiting: string
  oldest: string
}

interface QueueOptions {
  unit: string
  helps: QueueHelps
  clock: Clock
  labels?: string[]
  read: () => Promise<QueueMeasure[]>
}

/** Of lanes that store requests in batches (`batcher.ts`). */
type BatchLane =
  | 'admission'
  | 'accept_text'
  | 'accept_otp'
  | 'accept_locked'
  | 'verify'
  | 'answers'
  | 'reports'
  | 'replies'
  | 'webhook_attempts'

/** Called with the number of requests of each batch. */
export type OnBatch = (requests: number) => void

const MEASURE_MS = 5_000

export class Metrics {
  readonly #registry = new Registry()
  readonly #onFailure: (metric: string, error: unknown) => void
  readonly #failing = new Set<string>()
  readonly contentType = this.#registry.contentType
  /** Counters and histograms, whose series stay until they are removed. */
  readonly #accumulating: { metric: Accumulating; labelNames: readonly string[] }[] = []
  readonly #kept = new Map<string, () => Promise<ReadonlySet<string>>>()
  #batches: Histogram<'lane'> | null = null

  /** `onFailure` is called with the first error of a metric that could be read before. */
  constructor(onFailure: (metric: string, error: unknown) => void = () => {}) {
    this.#onFailure = onFailure
    collectDefaultMetrics({ register: this.#registry })
    // An average over processes would hide the one whose event loop is blocked.
    for (const name of EVENT_LOOP_DELAYS) {
      const metric = this.#registry.getSingleMetric(name)
      if (metric) Object.assign(metric, { aggregator: 'max' })
    }
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
    const counter = new Counter({ name: `hulaki_${name}`, help, labelNames, registers: [this.#registry] })
    this.#accumulating.push({ metric: counter, labelNames })
    return counter
  }

  histogram<Label extends string>(
    name: string,
    help: string,
    { labelNames = [], buckets }: { labelNames?: readonly Label[]; buckets: number[] },
  ): Histogram<Label> {
    const histogram = new Histogram({ name: `hulaki_${name}`, help, labelNames, buckets, registers: [this.#registry] })
    this.#accumulating.push({ metric: histogram, labelNames })
    return histogram
  }

  /**
   * Each scrape removes the series of other values of the label, such as the name of a deleted carrier. The removal runs beside the scrape,
   * which must not wait for a slow database twice, so an old series is in one more scrape.
   */
  keepOnly(label: string, readValues: () => Promise<ReadonlySet<string>>): void {
    this.#kept.set(label, readValues)
  }

  /** A value of this process that is read at every scrape. */
  gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name: `hulaki_${name}`,
      help,
      registers: [this.#registry],
      collect() {
        this.set(read())
      },
    })
  }

  /** Measures the batches of a lane. */
  batchObserver(lane: BatchLane): OnBatch {
    this.#batches ??= this.histogram('batch_requests', 'Requests per batch, by lane', {
      labelNames: ['lane'],
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    })
    const { observe } = this.#batches.labels(lane)
    return observe
  }

  /** The size of a queue and the age of its oldest due item. Counting is expensive, so a value is reused for a few seconds. */
  queue(name: string, { unit, helps, clock, labels = [], read }: QueueOptions): void {
    const measured = reuse(read)
    const ageSeconds = (at: Date | null) => (at ? (clock.now().getTime() - at.getTime()) / 1000 : 0)
    this.#rows(`${name}_${unit}`, helps.waiting, {
      labels,
      read: async () => (await measured()).map(({ of, waiting }) => ({ of, value: waiting })),
    })
    this.#rows(`${name}_oldest_due_seconds`, helps.oldest, {
      labels,
      read: async () => (await measured()).map(({ of, oldestDueAt }) => ({ of, value: ageSeconds(oldestDueAt) })),
    })
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
  table(name: string, help: string, { labels, read }: { labels: string[]; read: () => Promise<MetricRow[]> }): void {
    this.#rows(name, help, { labels, read: reuse(read) })
  }

  #rows(name: string, help: string, { labels, read }: { labels: string[]; read: () => Promise<MetricRow[]> }): void {
    const readRows = () => this.#readRows(name, read)
    new Gauge({
      name: `hulaki_${name}`,
      help,
      labelNames: labels,
      registers: [this.#registry],
      // Every process reads the same values.
      aggregator: 'max',
      async collect() {
        const rows = await readRows()
        this.reset()
        for (const { of, value } of rows) this.set(of, value)
      },
    })
  }

  /** A failed read yields no value and does not fail the scrape. */
  async #readRows(name: string, read: () => Promise<MetricRow[]>): Promise<MetricRow[]> {
    try {
      const rows = await read()
      this.#failing.delete(name)
      return rows
    } catch (error) {
      if (!this.#failing.has(name)) this.#onFailure(name, error)
      this.#failing.add(name)
      return []
    }
  }

  /** State of this process by several labels, read at every scrape; `total` is for values that only grow. */
  state(
    name: string,
    help: string,
    { kind, labels, read }: { kind: 'gauge' | 'total'; labels: string[]; read: () => MetricRow[] },
  ): void {
    const options = { name: `hulaki_${name}`, help, labelNames: labels, registers: [this.#registry] }
    if (kind === 'gauge')
      new Gauge({
        ...options,
        collect() {
          for (const { of, value } of read()) this.set(of, value)
        },
      })
    else
      new Counter({
        ...options,
        collect() {
          this.reset()
          for (const { of, value } of read()) this.inc(of, value)
        },
      })
  }

  async #removeOthers(label: string, readValues: () => Promise<ReadonlySet<string>>): Promise<void> {
    const series = this.#accumulating.map(async ({ metric, labelNames }) => {
      if (!labelNames.includes(label)) return []
      const { values } = await metric.get()
      const ofEach = values.map(({ labels }) => labelNames.map((name) => String(labels[name])))
      return ofEach.map((of) => ({ metric, of, value: of[labelNames.indexOf(label)] ?? '' }))
    })
    // The series are listed first, so that every listed value was one before the values are read.
    const listed = (await Promise.all(series)).flat()
    const current = await readValues().catch(() => null)
    if (current) for (const { metric, of, value } of listed) if (!current.has(value)) metric.remove(...of)
  }

  async #removeOutdated(): Promise<void> {
    for (const [label, readValues] of this.#kept) await this.#removeOthers(label, readValues)
  }

  async text(): Promise<string> {
    const [text] = await Promise.all([this.#registry.metrics(), this.#removeOutdated()])
    return text
  }

  /** The metrics of this process, for `sum` in another process. */
  async parts(): Promise<MetricParts> {
    const [parts] = await Promise.all([this.#registry.getMetricsAsJSON(), this.#removeOutdated()])
    return JSON.stringify(parts)
  }

  static sum(parts: MetricParts[]): Promise<string> {
    return Registry.aggregate(parts.map((it) => JSON.parse(it))).metrics()
  }
}

const EVENT_LOOP_DELAYS = ['mean', 'p50', 'p90', 'p99'].map((it) => `nodejs_eventloop_lag_${it}_seconds`)

/** Reads at most once in MEASURE_MS. */
function reuse<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let latest: { at: number; value: Promise<Value> } | null = null
  return () => {
    const at = performance.now()
    if (latest === null || at - latest.at > MEASURE_MS) latest = { at, value: read() }
    return latest.value
  }
}
