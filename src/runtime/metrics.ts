// What Prometheus reads. Names begin with hulaki_; numbers of the process itself come from the library.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client'

export type MetricParts = string

export class Metrics {
  readonly #registry = new Registry()
  readonly contentType = this.#registry.contentType

  constructor() {
    collectDefaultMetrics({ register: this.#registry })
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

  /** A number that is asked for when Prometheus asks. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void {
    new Gauge({
      name: `hulaki_${name}`,
      help,
      registers: [this.#registry],
      // What cannot be read just now is no number, and keeps nobody from the others.
      async collect() {
        this.set(await Promise.try(read).catch(() => Number.NaN))
      },
    })
  }

  /** As many numbers as there are values of a label just now; one that is not there any more is told of no more. */
  gauges(
    name: string,
    help: string,
    { label, read }: { label: string; read: () => ReadonlyMap<string, number> },
  ): void {
    new Gauge({
      name: `hulaki_${name}`,
      help,
      labelNames: [label],
      registers: [this.#registry],
      collect() {
        this.reset()
        for (const [value, number] of read()) this.set({ [label]: value }, number)
      },
    })
  }

  text(): Promise<string> {
    return this.#registry.metrics()
  }

  /** What another process needs to add these to its own. */
  async parts(): Promise<MetricParts> {
    return JSON.stringify(await this.#registry.getMetricsAsJSON())
  }

  static sum(parts: MetricParts[]): Promise<string> {
    return Registry.aggregate(parts.map((it) => JSON.parse(it))).metrics()
  }
}
