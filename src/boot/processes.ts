// Several processes on one port: the primary keeps alive the workers that share roles, and plays the other roles itself.
// Orders go over the channel between them, so that no secret stands in an argument list.
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { inBackground, type Log } from '../runtime/log.ts'
import type { MetricParts } from '../runtime/metrics.ts'
import { Line, PeerDisconnected, type Switchboard } from '../runtime/switchboard.ts'
import type { DatabaseAddress } from '../store/database/db.ts'
import type { Config } from './config.ts'
import { StartFault } from './start-sentence.ts'

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

/**
 * Each worker listens by itself (SO_REUSEPORT) where the system has that. Elsewhere the primary accepts and hands connections on,
 * and one that was handed to a worker as it died is answered by nobody.
 */
export const CAN_SHARE_PORT = process.platform === 'linux'

const STOP_DEADLINE_MS = 30_000
const METRICS_PATIENCE_MS = 2_000
/** A worker that dies at birth must not make the primary spin. */
const REPLACE_AFTER_MS = 500
/** A start in which so many die in one place, one after the other, has failed. */
const MOST_BIRTHS_OF_A_START = 3

/** A worker is asked this often whether it is there. */
const BEAT_MS = 5_000
/** After so many questions without an answer it is frozen: longer than a busy one is silent. */
const MOST_MISSED = 4

interface Death {
  worker: number | undefined
  code: number | null
  signal: string | null
}

interface Forked {
  worker: Worker
  line: Line
  gone: Promise<Death>
}

export class Workers {
  readonly #log: Log
  readonly #board: Switchboard
  readonly #living = new Set<Forked>()
  readonly #firstBorn: Forked[]
  #stopping = false

  /** They load their code while the primary still makes the database ready, and wait for their orders. */
  constructor(count: number, { log, board }: { log: Log; board: Switchboard }) {
    this.#log = log
    this.#board = board
    // Also dates and bytes arrive as what they are.
    cluster.setupPrimary({ serialization: 'advanced' })
    this.#firstBorn = Array.from({ length: count }, () => this.#fork())
  }

  /** Returns when all of them serve, with the address they share. */
  async serve(orders: Orders): Promise<string> {
    const [first, ...others] = this.#firstBorn
    if (!first) throw new Error('there is no worker to serve')
    const { url, serving } = await this.#begin(first, orders)
    const same = CAN_SHARE_PORT ? atPortOf(url, orders) : orders
    const rest = await Promise.all(others.map((forked) => this.#begin(forked, same)))
    for (const each of [serving, ...rest.map((it) => it.serving)])
      inBackground(this.#keepFilled(each, same), this.#log, 'replacing worker processes')
    return url
  }

  async metrics(): Promise<MetricParts[]> {
    const late = sleep(METRICS_PATIENCE_MS, null, { ref: false })
    const asked = Array.from(this.#living, ({ line }) => line.ask<MetricParts>('own metrics').catch(() => null))
    const parts = await Promise.all(asked.map((answer) => Promise.race([answer, late])))
    return parts.filter((it) => it !== null)
  }

  /** Has each of them read its certificates again. */
  reload(): void {
    for (const { line } of this.#living) line.ask('reload').catch(() => {})
  }

  /** A worker that dies from here on is not replaced. */
  drain(): void {
    this.#stopping = true
    for (const { line } of this.#living) line.ask('drain').catch(() => {})
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all(Array.from(this.#living, stopWorker))
  }

  #fork(): Forked {
    const worker = cluster.fork()
    const line = new Line(worker, (subject, input) => this.#board.ask(subject, input))
    const forked = { worker, line, gone: deathOf(worker) }
    this.#living.add(forked)
    const removed = forked.gone.then(() => this.#living.delete(forked))
    inBackground(removed, this.#log, 'forgetting a worker process that exited')
    return forked
  }

  /** Returns when it serves, or another that was born in its place. */
  async #begin(born: Forked, orders: Orders): Promise<{ url: string; serving: Forked }> {
    let forked = born
    for (let births = 1; ; births += 1) {
      try {
        return { url: await forked.line.ask<string>('serve', orders), serving: forked }
      } catch (fault) {
        if (!(fault instanceof PeerDisconnected)) throw fault
        const death = await forked.gone
        if (births === MOST_BIRTHS_OF_A_START) throw new StartFault(diedAtBirth(births, death))
        if (!(await this.#mayReplace(death))) throw fault
        forked = this.#fork()
      }
    }
  }

  /** From now on: whoever dies in this place is followed by another. */
  async #keepFilled(serving: Forked, orders: Orders): Promise<void> {
    let forked = serving
    this.#watchInBackground(forked)
    while (await this.#mayReplace(await forked.gone)) {
      forked = this.#fork()
      inBackground(this.#setToWork(forked, orders), this.#log, 'starting a worker process')
    }
  }

  /** One that is frozen keeps its connections, and those who call it waiting: it is ended, and another takes its place. */
  #watchInBackground(forked: Forked): void {
    inBackground(this.#watch(forked), this.#log, 'watching a worker process')
  }

  async #watch({ worker, line, gone }: Forked): Promise<void> {
    const isOver = gone.then(() => 'gone' as const)
    const wait = () => sleep(BEAT_MS, 'silent' as const, { ref: false })
    const ask = () =>
      line.ask('beat').then(
        () => 'there' as const,
        () => isOver,
      )
    for (let missed = 0; missed < MOST_MISSED; ) {
      const heard = await Promise.race([isOver, ask(), wait()])
      if (heard === 'gone' || (heard === 'there' && (await Promise.race([isOver, wait()])) === 'gone')) return
      missed = heard === 'there' ? 0 : missed + 1
    }
    this.#log.error({ worker: worker.process.pid }, 'a process that shares the roles does not answer; it is ended')
    worker.process.kill('SIGKILL')
  }

  async #setToWork(forked: Forked, orders: Orders): Promise<void> {
    const { worker, line } = forked
    try {
      await line.ask('serve', orders)
      this.#watchInBackground(forked)
    } catch (fault) {
      if (fault instanceof PeerDisconnected) return
      this.#log.error({ err: fault }, 'a process that shares the roles did not start')
      worker.process.kill('SIGKILL')
    }
  }

  /** Tells of the death, and returns after the pause that is due before another is born; false when none shall be. */
  async #mayReplace(death: Death): Promise<boolean> {
    if (this.#stopping) return false
    this.#log.error(death, 'a process that shares the roles died; another takes its place')
    await sleep(REPLACE_AFTER_MS)
    return !this.#stopping
  }
}

/** Resolves also for one that could not even be born: of that, Node tells by an error alone. */
function deathOf(worker: Worker): Promise<Death> {
  const { promise, resolve } = Promise.withResolvers<Death>()
  worker.once('exit', (code, signal) => resolve({ worker: worker.process.pid, code, signal }))
  // Heard, since cluster itself also speaks to those that are gone; whoever was born dies by its exit.
  worker.on('error', () => {
    if (worker.process.pid === undefined) resolve({ worker: undefined, code: null, signal: null })
  })
  return promise
}

function diedAtBirth(births: number, { code, signal }: Death): string {
  const how = signal === null ? `code ${code}` : signal
  return `A process that shares the roles died ${births} times before it served, the last time with ${how}.`
}

/** Whoever shares ports is let in beside others of the same user who do; so it must be free for one who does not. */
export async function refuseTakenPort({ port, host }: Config): Promise<void> {
  if (port === 0 || !CAN_SHARE_PORT) return
  const alone = createServer().listen({ port, host, exclusive: true })
  await once(alone, 'listening')
  alone.close()
  await once(alone, 'close')
}

/** With PORT=0 the first picks one that is free, and the others take the same. */
function atPortOf(url: string, { config, ...orders }: Orders): Orders {
  return { ...orders, config: { ...config, port: config.port || Number(new URL(url).port) } }
}

async function stopWorker({ worker, line, gone }: Forked): Promise<void> {
  line.ask('stop').catch(() => {})
  const late = setTimeout(() => worker.process.kill('SIGKILL'), STOP_DEADLINE_MS)
  await gone
  clearTimeout(late)
}

export function isWorker(): boolean {
  return cluster.isWorker
}
