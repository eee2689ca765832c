// Worker processes for the shared roles. The primary forks, watches and replaces them and runs the other roles itself.
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TlsPair } from '../http/server.ts'
import { inBackground, type Log } from '../runtime/log.ts'
import type { MetricParts } from '../runtime/metrics.ts'
import { PeerDisconnected, RpcConnection, type RpcRouter } from '../runtime/process-rpc.ts'
import type { DatabaseAddress } from '../store/database/db.ts'
import type { Config } from './config.ts'
import { StartError } from './start-errors.ts'

/** Sent over the IPC channel, so that no secret is in an argument list. */
export interface WorkerOrders {
  config: Config
  address: DatabaseAddress
  keyringText: string
  operatorToken: string
}

export const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** With a terminal: the terminal closed, stop. Without one: reload the certificate. */
export const HANGUP_SIGNAL = 'SIGHUP'

/**
 * On Linux each worker listens with SO_REUSEPORT. Elsewhere the primary accepts connections and hands them to workers, and loses those of
 * a worker that exits.
 */
export const CAN_SHARE_PORT = process.platform === 'linux'

const STOP_DEADLINE_MS = 30_000
const METRICS_TIMEOUT_MS = 2_000
/** Delays the replacement of a worker that exits at once. */
const REPLACE_AFTER_MS = 500
/** The start fails after this many failed attempts for one worker. */
const MAX_START_ATTEMPTS = 3

/** The interval of the health pings to workers. */
const PING_MS = 5_000
/** The number of missed pings after which a worker counts as frozen; longer than a busy worker blocks. */
const MAX_MISSED_PINGS = 4

interface WorkerExit {
  worker: number | undefined
  code: number | null
  signal: string | null
}

interface WorkerProcess {
  worker: Worker
  connection: RpcConnection
  gone: Promise<WorkerExit>
}

export class Workers {
  readonly #log: Log
  readonly #rpc: RpcRouter
  readonly #running = new Set<WorkerProcess>()
  readonly #initial: WorkerProcess[]
  /** null: the certificate of the start. */
  #certificate: TlsPair | null = null
  #stopping = false

  /** Workers load their code while the primary prepares the database. */
  constructor(count: number, { log, rpc }: { log: Log; rpc: RpcRouter }) {
    this.#log = log
    this.#rpc = rpc
    // Keeps Date and Buffer values intact.
    cluster.setupPrimary({ serialization: 'advanced' })
    this.#initial = Array.from({ length: count }, () => this.#fork())
  }

  /** Resolves with the shared URL when all workers serve. */
  async serve(orders: WorkerOrders): Promise<string> {
    const [first, ...others] = this.#initial
    if (!first) throw new Error('no worker process')
    const { url, serving } = await this.#startWorker(first, orders)
    const same = CAN_SHARE_PORT ? withPortOf(url, orders) : orders
    const rest = await Promise.all(others.map((forked) => this.#startWorker(forked, same)))
    for (const each of [serving, ...rest.map((it) => it.serving)])
      inBackground(this.#replaceExited(each, same), this.#log, 'replacing worker processes')
    return url
  }

  async metrics(): Promise<MetricParts[]> {
    const late = sleep(METRICS_TIMEOUT_MS, null, { ref: false })
    const requests = Array.from(this.#running, ({ connection }) =>
      connection.call<MetricParts>('own metrics').catch(() => null),
    )
    const parts = await Promise.all(requests.map((request) => Promise.race([request, late])))
    return parts.filter((it) => it !== null)
  }

  /** A worker that starts meanwhile gets the certificate when it serves. */
  useCertificate(pair: TlsPair): void {
    this.#certificate = pair
    for (const { connection } of this.#running) connection.call('certificate', pair).catch(() => {})
  }

  /** From now on, exited workers are not replaced. */
  drain(): void {
    this.#stopping = true
    for (const { connection } of this.#running) connection.call('drain').catch(() => {})
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all(Array.from(this.#running, stopWorker))
  }

  #fork(): WorkerProcess {
    const worker = cluster.fork()
    const connection = new RpcConnection(worker, (subject, input) => this.#rpc.call(subject, input))
    const forked = { worker, connection, gone: waitForExit(worker) }
    this.#running.add(forked)
    const removed = forked.gone.then(() => this.#running.delete(forked))
    inBackground(removed, this.#log, 'removing an exited worker process')
    return forked
  }

  /** Resolves when the worker or its replacement serves. */
  async #startWorker(initial: WorkerProcess, orders: WorkerOrders): Promise<{ url: string; serving: WorkerProcess }> {
    let forked = initial
    for (let attempt = 1; ; attempt += 1) {
      try {
        return { url: await this.#order(forked, orders), serving: forked }
      } catch (error) {
        if (!(error instanceof PeerDisconnected)) throw error
        const exit = await forked.gone
        if (attempt === MAX_START_ATTEMPTS) throw new StartError(describeFailedStart(attempt, exit))
        if (!(await this.#mayReplace(exit))) throw error
        forked = this.#fork()
      }
    }
  }

  /** Forks a replacement whenever the worker in this slot exits. */
  async #replaceExited(serving: WorkerProcess, orders: WorkerOrders): Promise<void> {
    let forked = serving
    this.#watchInBackground(forked)
    while (await this.#mayReplace(await forked.gone)) {
      forked = this.#fork()
      inBackground(this.#startReplacement(forked, orders), this.#log, 'starting a worker process')
    }
  }

  /** A frozen worker keeps its connections and its callers waiting, so it is killed and replaced. */
  #watchInBackground(forked: WorkerProcess): void {
    inBackground(this.#watch(forked), this.#log, 'watching a worker process')
  }

  async #watch({ worker, connection, gone }: WorkerProcess): Promise<void> {
    const isOver = gone.then(() => 'gone' as const)
    const wait = () => sleep(PING_MS, 'silent' as const, { ref: false })
    const ask = () =>
      connection.call('beat').then(
        () => 'there' as const,
        () => isOver,
      )
    for (let missed = 0; missed < MAX_MISSED_PINGS; ) {
      const result = await Promise.race([isOver, ask(), wait()])
      if (result === 'gone' || (result === 'there' && (await Promise.race([isOver, wait()])) === 'gone')) return
      missed = result === 'there' ? 0 : missed + 1
    }
    this.#log.error({ worker: worker.process.pid }, 'worker not responding, killing it')
    worker.process.kill('SIGKILL')
  }

  async #startReplacement(forked: WorkerProcess, orders: WorkerOrders): Promise<void> {
    try {
      await this.#order(forked, orders)
      this.#watchInBackground(forked)
    } catch (error) {
      if (error instanceof PeerDisconnected) return
      this.#log.error({ err: error }, 'worker failed to start')
      forked.worker.process.kill('SIGKILL')
    }
  }

  /** Resolves with the URL when the worker serves with the latest certificate. */
  async #order({ connection }: WorkerProcess, orders: WorkerOrders): Promise<string> {
    const certificate = this.#certificate
    const url = await connection.call<string>('serve', withCertificate(orders, certificate))
    if (this.#certificate !== certificate) await connection.call('certificate', this.#certificate)
    return url
  }

  /** Logs the exit and waits before the replacement; false while the service stops. */
  async #mayReplace(exit: WorkerExit): Promise<boolean> {
    if (this.#stopping) return false
    this.#log.error(exit, 'worker exited, replacing it')
    await sleep(REPLACE_AFTER_MS)
    return !this.#stopping
  }
}

/** Node reports a failed fork only as an error, without an exit. */
function waitForExit(worker: Worker): Promise<WorkerExit> {
  const { promise, resolve } = Promise.withResolvers<WorkerExit>()
  worker.once('exit', (code, signal) => resolve({ worker: worker.process.pid, code, signal }))
  // The listener also handles errors of messages that cluster sends to exited workers.
  worker.on('error', () => {
    if (worker.process.pid === undefined) resolve({ worker: undefined, code: null, signal: null })
  })
  return promise
}

function describeFailedStart(attempts: number, { code, signal }: WorkerExit): string {
  const how = signal === null ? `code ${code}` : signal
  return `A worker process exited ${attempts} times before it served requests, last with ${how}.`
}

/** SO_REUSEPORT would accept a port that another Hulaki of the same user serves, so the port is first tried exclusively. */
export async function assertPortFree({ port, host }: Config): Promise<void> {
  if (port === 0 || !CAN_SHARE_PORT) return
  const alone = createServer().listen({ port, host, exclusive: true })
  await once(alone, 'listening')
  alone.close()
  await once(alone, 'close')
}

/** With PORT=0 the first worker picks a free port and the others use it. */
function withPortOf(url: string, { config, ...orders }: WorkerOrders): WorkerOrders {
  return { ...orders, config: { ...config, port: config.port || Number(new URL(url).port) } }
}

function withCertificate({ config, ...orders }: WorkerOrders, pair: TlsPair | null): WorkerOrders {
  return { ...orders, config: { ...config, tls: config.tls && pair ? { ...config.tls, pair } : config.tls } }
}

async function stopWorker({ worker, connection, gone }: WorkerProcess): Promise<void> {
  connection.call('stop').catch(() => {})
  const late = setTimeout(() => worker.process.kill('SIGKILL'), STOP_DEADLINE_MS)
  await gone
  clearTimeout(late)
}

export function isWorker(): boolean {
  return cluster.isWorker
}
