// Metrics that list the name, type and labels of every metric that a service registers.
import { Metrics } from '../../src/runtime/metrics.ts'

export interface ListedMetric {
  name: string
  type: 'counter' | 'gauge' | 'histogram'
  labels: readonly string[]
}

export class ListedMetrics extends Metrics {
  /** The constructor of Metrics registers the first. */
  readonly listed: ListedMetric[] = [{ name: 'hulaki_build_info', type: 'gauge', labels: ['version', 'node'] }]

  override counter<Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) {
    this.#list(name, 'counter', labelNames)
    return super.counter(name, help, labelNames)
  }

  override histogram<Label extends string>(
    name: string,
    help: string,
    options: { labelNames?: readonly Label[]; buckets: number[] },
  ) {
    this.#list(name, 'histogram', options.labelNames)
    return super.histogram(name, help, options)
  }

  override gauge(...given: Parameters<Metrics['gauge']>) {
    this.#list(given[0], 'gauge')
    super.gauge(...given)
  }

  override gauges(...given: Parameters<Metrics['gauges']>) {
    this.#list(given[0], 'gauge', [given[2].label])
    super.gauges(...given)
  }

  override state(...given: Parameters<Metrics['state']>) {
    this.#list(given[0], given[2].kind === 'total' ? 'counter' : 'gauge', given[2].labels)
    super.state(...given)
  }

  override queue(...given: Parameters<Metrics['queue']>) {
    const [name, { unit, labels = [] }] = given
    this.#list(`${name}_${unit}`, 'gauge', labels)
    this.#list(`${name}_oldest_due_seconds`, 'gauge', labels)
    super.queue(...given)
  }

  override table(...given: Parameters<Metrics['table']>) {
    this.#list(given[0], 'gauge', given[2].labels)
    super.table(...given)
  }

  #list(name: string, type: ListedMetric['type'], labels: readonly string[] = []): void {
    this.listed.push({ name: `hulaki_${name}`, type, labels })
  }
}
