// Exports spans to an OpenTelemetry collector, over OTLP/HTTP, in batches. The service never waits for the collector.
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Counter } from '@prometheus-io/client'
import type { Clock } from './clock.ts'
import type { Log } from './log.ts'
import { type Attribute, type Span, type SpanContext, toJson, toProtobuf } from './otlp.ts'
import type { Random } from './random.ts'
import { VERSION } from './version.ts'

export interface TracingSettings {
  /** The URL that receives the spans. */
  url: string
  protocol: keyof typeof FORMATS
  isCompressed: boolean
  timeoutMs: number
  headers: Readonly<Record<string, string>>
  /** The attributes of the service, such as `service.name`. */
  resource: Readonly<Record<string, string>>
  /** The share of traces that are exported, from 0 to 1. */
  ratio: number
  /** Whether a request with `traceparent` is exported as its caller decided. */
  isParentBased: boolean
}

/** A span that has just ended. It contains no number, no text and no secret. */
export interface EndedSpan {
  traceId: string
  /** Random by default. */
  spanId?: string
  parent?: { spanId: string; isSampled?: boolean }
  name: string
  kind: keyof typeof KINDS
  milliseconds: number
  attributes: Readonly<Record<string, string | number | null>>
  /** Why the operation failed. */
  error?: string | null
  links?: readonly SpanContext[]
}

const compress = promisify(gzip)
const FORMATS = {
  'http/protobuf': { encode: toProtobuf, contentType: 'application/x-protobuf' },
  'http/json': { encode: toJson, contentType: 'application/json' },
}
/** The numbers of the protocol. */
const KINDS = { internal: 1, server: 2, client: 3, producer: 4 } as const
const STATUS_ERROR = 2
/** The sizes and the interval that the specification of OpenTelemetry recommends. */
const MAX_QUEUED = 2_048
const MAX_EXPORTED = 512
const EXPORT_EVERY_MS = 5_000
/** The settings may allow a collector more time than a service has to stop. */
const STOP_WITHIN_MS = 10_000
const SPAN_ID_BYTES = 8
/** The last 14 digits of a trace id are random, also in a UUIDv7. */
const RANDOM_DIGITS = 14

interface TracerOptions {
  clock: Clock
  random: Random
  log: Log
  /** Counts spans that were not exported. */
  dropped: Counter
}

export class Tracer {
  readonly #settings: TracingSettings
  readonly #options: TracerOptions
  #queue: Span[] = []
  #stopping = new AbortController()
  #timer: NodeJS.Timeout | null = null
  #exporting: Promise<void> | null = null
  #isFailing = false

  constructor(settings: TracingSettings, options: TracerOptions) {
    this.#settings = settings
    this.#options = options
  }

  record(span: EndedSpan): void {
    if (!this.#isSampled(span)) return
    if (this.#queue.length >= MAX_QUEUED) {
      this.#options.dropped.inc()
      return
    }
    this.#queue.push(this.#format(span))
    if (this.#queue.length >= MAX_EXPORTED) this.#export()
    else this.#timer ??= setTimeout(() => this.#export(), EXPORT_EVERY_MS).unref()
  }

  /** Exports what is queued, once. */
  async stop(): Promise<void> {
    const deadline = setTimeout(() => this.#stopping.abort(), STOP_WITHIN_MS)
    await this.#exporting
    this.#export()
    await this.#exporting
    clearTimeout(deadline)
    if (this.#timer) clearTimeout(this.#timer)
  }

  #isSampled({ traceId, parent }: EndedSpan): boolean {
    const { ratio, isParentBased } = this.#settings
    if (isParentBased && parent?.isSampled !== undefined) return parent.isSampled
    return Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) < ratio * 16 ** RANDOM_DIGITS
  }

  #format({ traceId, spanId, parent, name, kind, milliseconds, attributes, error, links = [] }: EndedSpan): Span {
    const endedAt = this.#options.clock.now().getTime()
    return {
      traceId,
      spanId: spanId ?? this.#options.random.bytes(SPAN_ID_BYTES).toString('hex'),
      ...(parent && { parentSpanId: parent.spanId }),
      name,
      kind: KINDS[kind],
      startTimeUnixNano: nanosecondsOf(endedAt - milliseconds),
      endTimeUnixNano: nanosecondsOf(endedAt),
      attributes: formatAttributes(attributes),
      links,
      ...(error != null && { status: { code: STATUS_ERROR, message: error } }),
    }
  }

  /** One request at a time: while it runs, the next spans gather. */
  #export(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#exporting || this.#queue.length === 0) return
    const spans = this.#queue.slice(0, MAX_EXPORTED)
    this.#queue = this.#queue.slice(MAX_EXPORTED)
    this.#exporting = this.#send(spans).then(() => {
      this.#exporting = null
      if (this.#queue.length >= MAX_EXPORTED) this.#export()
      else if (this.#queue.length > 0) this.#timer ??= setTimeout(() => this.#export(), EXPORT_EVERY_MS).unref()
    })
  }

  /** Never rejects. Spans that the collector does not accept are lost: the service must not gather them. */
  async #send(spans: Span[]): Promise<void> {
    const { url, protocol, isCompressed, timeoutMs, headers, resource } = this.#settings
    const { encode, contentType } = FORMATS[protocol]
    const scope = { name: 'hulaki', version: VERSION }
    try {
      const body = encode({ resource: formatAttributes(resource), scope, spans })
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': contentType, ...(isCompressed && { 'content-encoding': 'gzip' }) },
        body: isCompressed ? await compress(body) : body,
        redirect: 'error',
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), this.#stopping.signal]),
      })
      await response.body?.cancel()
      if (!response.ok) throw new Error(`the collector responded ${response.status}`)
      if (this.#isFailing) this.#options.log.info('trace export works again')
      this.#isFailing = false
    } catch (error) {
      this.#options.dropped.inc(spans.length)
      if (!this.#isFailing) this.#options.log.warn({ err: error }, 'trace export failed, spans are dropped')
      this.#isFailing = true
    }
  }
}

function nanosecondsOf(milliseconds: number): string {
  return String(BigInt(Math.round(milliseconds * 1_000)) * 1_000n)
}

function formatAttributes(attributes: EndedSpan['attributes']): Attribute[] {
  return Object.entries(attributes).flatMap(([key, value]) => {
    if (value === null) return []
    return { key, value: typeof value === 'number' ? { intValue: String(Math.round(value)) } : { stringValue: value } }
  })
}
