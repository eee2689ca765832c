// Several processes on one port: the primary plays the other roles and keeps alive the workers that serve the API.
// Orders go over the channel between them, so that no secret stands in an argument list.
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from './config.ts'
import type { Log } from './runtime/log.ts'
import type { MetricParts } from './runtime/metrics.ts'
import { Line, type Switchboard } from './runtime/switchboard.ts'
import type { DatabaseAddress } from './store/db.ts'

/** All a worker needs to know. */
export interface Orders {
  config: Config
  address: DatabaseAddress
  keyringText: string
  operatorToken: string
}

/** What asks a service to leave. */
export const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** A terminal that closes, and the service of it goes too; without a terminal, the order to read its certificates again. */
export const HANG_UP = 'SIGHUP'

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

  /** Has each of them read its certificates again. */
  async reload(): Promise<void> {
    await Promise.all([...this.#lines.values()].map((line) => line.ask('reload').catch(() => {})))
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
