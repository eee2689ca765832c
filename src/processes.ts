// Several processes on one port: the primary plays the other roles and keeps alive the workers that serve the API.
// Orders go over the channel between them, so that no secret stands in an argument list.
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from './config.ts'
import { exitOnBugs } from './exit-on-bugs.ts'
import { systemChance } from './runtime/chance.ts'
import { SystemClock } from './runtime/clock.ts'
import { parseKeyring } from './runtime/keyring.ts'
import { createLog, type Log } from './runtime/log.ts'
import { type MetricParts, Metrics } from './runtime/metrics.ts'
import { Line, Switchboard } from './runtime/switchboard.ts'
import { startService } from './service.ts'
import { type DatabaseAddress, Db } from './store/db.ts'

/** All a worker needs to know. */
export interface Orders {
  config: Config
  address: DatabaseAddress
  keyringText: string
  operatorToken: string
}

const CONNECTIONS = 10
const STOP_DEADLINE_MS = 30_000
const METRICS_PATIENCE_MS = 2_000
/** A worker that dies at birth must not make the primary spin. */
const REPLACE_AFTER_MS = 500

export class Workers {
  readonly #log: Log
  readonly #board: Switchboard
  readonly #lines = new Map<Worker, Line>()
  #stopping = false

  /** They load their code while the primary still makes the database ready, and wait for their orders. */
  constructor(count: number, { log, board }: { log: Log; board: Switchboard }) {
    this.#log = log
    this.#board = board
    // Also dates and bytes arrive as what they are.
    cluster.setupPrimary({ serialization: 'advanced' })
    for (let forked = 0; forked < count; forked++) this.#fork()
  }

  /** Returns when all of them serve, with the address they share. */
  async serve(orders: Orders): Promise<string> {
    const workers = [...this.#lines]
    const urls = await Promise.all(workers.map(([, line]) => line.ask<string>('serve', orders)))
    for (const [worker] of workers) this.#keepAlive(worker, orders)
    return urls[0] ?? ''
  }

  async metrics(): Promise<MetricParts[]> {
    const late = sleep(METRICS_PATIENCE_MS, null, { ref: false })
    const asked = [...this.#lines.values()].map((line) => line.ask<MetricParts>('own metrics').catch(() => null))
    const parts = await Promise.all(asked.map((answer) => Promise.race([answer, late])))
    return parts.filter((it) => it !== null)
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all([...this.#lines].map(([worker, line]) => stopWorker(worker, line)))
  }

  #fork(): { worker: Worker; line: Line } {
    const worker = cluster.fork()
    const line = new Line(worker, (subject, input) => this.#board.ask(subject, input))
    this.#lines.set(worker, line)
    worker.once('exit', () => this.#lines.delete(worker))
    return { worker, line }
  }

  #keepAlive(worker: Worker, orders: Orders): void {
    worker.once('exit', async (code, signal) => {
      if (this.#stopping) return
      const died = { worker: worker.process.pid, code, signal }
      this.#log.error(died, 'a process that serves the API died; another takes its place')
      await sleep(REPLACE_AFTER_MS)
      if (!this.#stopping) await this.#replace(orders)
    })
  }

  async #replace(orders: Orders): Promise<void> {
    const { worker, line } = this.#fork()
    this.#keepAlive(worker, orders)
    try {
      await line.ask('serve', orders)
    } catch (fault) {
      this.#log.error({ err: fault }, 'a process that serves the API did not start')
      worker.process.kill('SIGKILL')
    }
  }
}

async function stopWorker(worker: Worker, line: Line): Promise<void> {
  if (worker.isDead()) return
  const gone = once(worker, 'exit')
  line.ask('stop').catch(() => {})
  const late = setTimeout(() => worker.process.kill('SIGKILL'), STOP_DEADLINE_MS)
  await gone
  clearTimeout(late)
}

export function isWorker(): boolean {
  return cluster.isWorker
}

/** The life of a worker: it serves when it is told to and stops when it is told to. */
export function workAsTold(): void {
  // A Ctrl-C reaches every process of the terminal's group; the primary hears it too, and stops us in its order.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  const own = new Switchboard()
  const line = new Line(process, (subject, input) => own.ask(subject, input))
  own.answer('serve', async (orders: Orders) => {
    const { url, metrics, stop } = await serve(orders, line)
    own.answer('own metrics', () => metrics.parts())
    own.answer('stop', async () => {
      await stop()
      process.exit(0)
    })
    return url
  })
  // Asked to stop before it serves, it has nothing in hand.
  own.answer('stop', () => process.exit(0))
}

async function serve({ config, address, keyringText, operatorToken }: Orders, line: Line) {
  const log = createLog(config.logLevel)
  exitOnBugs(log)
  const db = new Db(address, { connections: CONNECTIONS })
  const metrics = new Metrics()
  const board = new Switchboard((subject, input) => line.ask(subject, input))
  const service = await startService({
    config: { ...config, roles: ['api'] },
    ...{ db, log, metrics, board, operatorToken },
    clock: new SystemClock(),
    chance: systemChance,
    keyring: parseKeyring(keyringText, systemChance),
    listen: true,
    readMetrics: () => board.ask<string>('metrics'),
    ...(config.roles.includes('simulator') ? { simulatorMessages: () => board.ask('simulator messages') } : {}),
  })
  const stop = async () => {
    await service.stop()
    await db.close()
  }
  return { url: service.url, metrics, stop }
}
