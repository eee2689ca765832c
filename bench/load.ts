// The load generator process: raw keep-alive sockets with one timed request at a time.
import { connect, type Socket } from 'node:net'
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { listener } from '../test/harness/background.ts'
import { percentileOf } from './percentile.ts'
import { Pulse, type Stall, sharedNow } from './pulse.ts'

export interface Job {
  port: number
  connections: number
  warmUpSeconds: number
  /** Ends after this time or this number of requests. */
  seconds: number
  requestsAtMost?: number
  /** Open loop: requests per second, independent of responses. null: a connection sends again after its response. */
  perSecond: number | null
  /** Complete HTTP requests, sent in rotation. `STAMP` is replaced by a unique number. */
  requests: string[]
  /** A response without this text counts as `UNEXPECTED` instead of its HTTP status. */
  expected?: string
}

export interface Report {
  perSecond: number
  p50Ms: number
  p99Ms: number
  longestMs: number
  /** Open loop: the share of time in which the machine stalled, and the p99 of requests outside of stalls. */
  stalls: { share: number; p99OutsideMs: number } | null
  /** The number of responses by HTTP status. */
  statuses: Record<string, number>
  /** Response times by HTTP status. */
  timesMs: Record<string, { p50: number; p99: number }>
  /** Open loop: due requests that found no free connection. */
  unsent: number
  /** The share of time in which the generator was busy. */
  busy: number
  /** One complete response. */
  sample: string
}

export const STAMP = '0000000000000000'
const UNEXPECTED = 'unexpected response'

process.once('disconnect', () => process.exit())
process.on(
  'message',
  listener(async (job: Job) => {
    process.send?.(await new Load(job).run())
  }),
)

/** The buffer for one response, which has about 500 bytes. */
const ANSWER_BYTES = 4_096
const OPENED_AT_ONCE = 500
const LENGTH_HEADER = 'content-length: '.length

class Load {
  readonly #job: Job
  readonly #requests: { bytes: Buffer; stampAt: number }[]
  readonly #histogram = createHistogram()
  readonly #byStatus = new Map<string, RecordableHistogram>()
  /** The longest idle first: the server would close a connection that is not used. */
  readonly #idle: Connection[] = []
  /** Requests that wait for a connection; the entries before `#dueAt` are sent. */
  #due: number[] = []
  #dueAt = 0
  readonly #pulse: Pulse | null
  readonly #lives: { dueAt: number; answeredAt: number }[] = []
  readonly #allAnswered = Promise.withResolvers<void>()
  #sent = 0
  #answers = 0
  #stamp = Date.now() * 1000
  #measuring = false
  #stopped = false
  #sample = ''

  constructor(job: Job) {
    this.#job = job
    this.#pulse = job.perSecond === null ? null : new Pulse()
    this.#requests = job.requests.map((text) => ({ bytes: Buffer.from(text), stampAt: text.indexOf(STAMP) }))
  }

  async run(): Promise<Report> {
    const { connections, warmUpSeconds, seconds, perSecond } = this.#job
    const all: Connection[] = []
    // In groups, because thousands of simultaneous connections are a load of their own.
    while (all.length < connections) {
      const some = Math.min(OPENED_AT_ONCE, connections - all.length)
      all.push(...(await Promise.all(Array.from({ length: some }, () => this.#open()))))
    }
    if (perSecond === null) for (const connection of all) this.#send(connection, performance.now())
    else this.#schedule(all, perSecond)
    // Without a warm-up, every response counts.
    if (warmUpSeconds > 0) await sleep(warmUpSeconds)
    this.#measuring = true
    const startedAt = performance.now()
    const busyBefore = performance.eventLoopUtilization()
    await Promise.race([sleep(seconds), this.#allAnswered.promise])
    this.#measuring = false
    const endedAt = performance.now()
    const busy = performance.eventLoopUtilization(busyBefore).utilization
    const stalls = await this.#outsideStalls({ startedAt, endedAt })
    const report = { ...this.#report((endedAt - startedAt) / 1000), stalls, busy }
    // Waits for open responses, so that the server is idle when it stops.
    this.#stopped = true
    await Promise.all(all.map((connection) => connection.close()))
    return report
  }

  async #open(): Promise<Connection> {
    const connection = new Connection(this.#job.port, (answer) => this.#answered(connection, answer))
    await connection.opened
    return connection
  }

  #send(connection: Connection, dueAt: number): void {
    const request = this.#requests[this.#sent++ % this.#requests.length]
    if (!request) throw new RangeError('no requests')
    const { bytes, stampAt } = request
    if (stampAt >= 0) bytes.write(String(this.#stamp++).padStart(STAMP.length, '0'), stampAt, 'latin1')
    connection.send(bytes, dueAt)
  }

  #answered(connection: Connection, answer: string): void {
    connection.isBusy = false
    if (this.#stopped) return
    const now = performance.now()
    const { requestsAtMost = Number.POSITIVE_INFINITY, expected = '' } = this.#job
    if (this.#measuring) {
      const status = answer.includes(expected) ? answer.slice(9, 12) : UNEXPECTED
      this.#histogram.record(Math.max(1, Math.round((now - connection.dueAt) * 1000)))
      if (this.#pulse) this.#lives.push({ dueAt: connection.dueAt, answeredAt: now })
      const times = this.#byStatus.getOrInsertComputed(status, () => createHistogram())
      times.record(Math.max(1, Math.round((now - connection.sentAt) * 1000)))
      this.#sample ||= answer
    }
    this.#answers += 1
    if (this.#answers === requestsAtMost) this.#allAnswered.resolve()
    if (this.#sent >= requestsAtMost) return
    const dueAt = this.#job.perSecond === null ? now : this.#nextDue()
    if (dueAt === undefined) this.#idle.push(connection)
    else this.#send(connection, dueAt)
  }

  #nextDue(): number | undefined {
    const dueAt = this.#due[this.#dueAt]
    if (dueAt !== undefined) this.#dueAt += 1
    if (this.#dueAt > 100_000) {
      this.#due = this.#due.slice(this.#dueAt)
      this.#dueAt = 0
    }
    return dueAt
  }

  /** A request without a free connection waits, and its time counts from when it was due. */
  #schedule(all: Connection[], perSecond: number): void {
    this.#idle.push(...all)
    const startedAt = performance.now()
    const { requestsAtMost = Number.POSITIVE_INFINITY } = this.#job
    let made = 0
    const tick = () => {
      if (this.#stopped) return
      const wanted = Math.min(requestsAtMost, ((performance.now() - startedAt) / 1000) * perSecond)
      for (; made < wanted; made++) {
        const dueAt = startedAt + (made / perSecond) * 1000
        const connection = this.#idle.shift()
        if (connection) this.#send(connection, dueAt)
        else this.#due.push(dueAt)
      }
      setTimeout(tick, 1)
    }
    tick()
  }

  async #outsideStalls({ startedAt, endedAt }: { startedAt: number; endedAt: number }): Promise<Report['stalls']> {
    if (!this.#pulse) return null
    const stalls = inTimeOf(await this.#pulse.stop(), { startedAt, endedAt })
    const times = this.#lives
      .filter(({ dueAt, answeredAt }) => stalls.every(({ from, to }) => answeredAt < from || dueAt > to))
      .map(({ dueAt, answeredAt }) => answeredAt - dueAt)
    const stalledMs = stalls.reduce((sum, { from, to }) => sum + to - from, 0)
    return {
      share: Math.round((stalledMs / (endedAt - startedAt)) * 1000) / 1000,
      p99OutsideMs: percentileOf(times, 99),
    }
  }

  #report(seconds: number): Omit<Report, 'stalls' | 'busy'> {
    // The histogram counts microseconds.
    const msOf = (times: RecordableHistogram, percentile: number) => times.percentile(percentile) / 1000
    const ms = (percentile: number) => msOf(this.#histogram, percentile)
    const statuses = [...this.#byStatus]
    return {
      perSecond: Math.round(this.#histogram.count / seconds),
      p50Ms: ms(50),
      p99Ms: ms(99),
      longestMs: ms(100),
      statuses: Object.fromEntries(statuses.map(([status, times]) => [status, times.count])),
      timesMs: Object.fromEntries(
        statuses.map(([status, times]) => [status, { p50: msOf(times, 50), p99: msOf(times, 99) }]),
      ),
      unsent: this.#due.length - this.#dueAt,
      sample: this.#sample,
    }
  }
}

class Connection {
  readonly opened: Promise<void>
  readonly #socket: Socket
  readonly #onAnswer: (answer: string) => void
  #text = ''
  #isClosed = false
  dueAt = 0
  sentAt = 0
  isBusy = false

  constructor(port: number, onAnswer: (answer: string) => void) {
    this.#onAnswer = onAnswer
    const buffer = Buffer.allocUnsafe(ANSWER_BYTES)
    const callback = (length: number) => this.#read(buffer.toString('latin1', 0, length))
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } })
    this.opened = new Promise((resolve, reject) => {
      this.#socket.once('connect', resolve)
      this.#socket.on('error', reject)
    })
    this.#socket.once('close', () => {
      if (!this.#isClosed) throw new Error('the server closed a connection')
    })
  }

  send(bytes: Buffer, dueAt: number): void {
    this.dueAt = dueAt
    this.sentAt = performance.now()
    this.isBusy = true
    this.#socket.write(bytes)
  }

  async close(): Promise<void> {
    while (this.isBusy) await sleep(0.01)
    this.#isClosed = true
    this.#socket.destroy()
  }

  #read(piece: string): boolean {
    const text = this.#text + piece
    const headEnd = text.indexOf('\r\n\r\n')
    const lengthAt = Math.max(text.indexOf('content-length: '), text.indexOf('Content-Length: ')) + LENGTH_HEADER
    const isWhole = headEnd >= 0 && text.length >= headEnd + 4 + Number.parseInt(text.slice(lengthAt, headEnd), 10)
    this.#text = isWhole ? '' : text
    if (isWhole) this.#onAnswer(text)
    return true
  }
}

/** Converted to this thread's clock and limited to the measured time. */
function inTimeOf(stalls: Stall[], { startedAt, endedAt }: { startedAt: number; endedAt: number }): Stall[] {
  const offset = sharedNow() - performance.now()
  return stalls
    .map(({ from, to }) => ({ from: Math.max(from - offset, startedAt), to: Math.min(to - offset, endedAt) }))
    .filter(({ from, to }) => from < to)
}

function sleep(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}
