// What the processes around the service share: a log file of their own, the points at which the loop can stop a message, and their control
// by the loop.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PeerPoint } from './schedule.ts'

type ToPeer = { arm: PeerPoint } | { disarm: true } | { ask: 'outstanding' }
type FromPeer = { port: number } | { reached: PeerPoint } | { outstanding: number }

const ANSWER_MS = 10_000
const REPEAT_MS = 100
const LONGEST_REPEAT_MS = 1_600

/** In the loop: one of the processes around the service. */
export class Peer {
  readonly #child: ChildProcess
  readonly #logFile: string
  readonly port: number

  private constructor(child: ChildProcess, logFile: string, port: number) {
    this.#child = child
    this.#logFile = logFile
    this.port = port
  }

  static async start(program: 'smsc' | 'provider' | 'receiver', logFile: string): Promise<Peer> {
    const child = fork(join(import.meta.dirname, `${program}.ts`), [logFile])
    const [first] = await Promise.race([
      once(child, 'message') as Promise<[{ port: number }]>,
      once(child, 'exit').then(([code]) => Promise.reject(new Error(`${program} exited with ${code}`))),
    ])
    return new Peer(child, logFile, first.port)
  }

  /** Resolves to true when a message is at the point; false after the time limit. */
  async reach(point: PeerPoint, limitMs: number): Promise<boolean> {
    const reached = this.#next((it) => 'reached' in it && it.reached === point, limitMs)
    this.#tell({ arm: point })
    return (await reached) !== null
  }

  disarm(): void {
    this.#tell({ disarm: true })
  }

  /** Receipts that the service has not acknowledged. */
  async outstanding(): Promise<number> {
    const answer = this.#next((it) => 'outstanding' in it, ANSWER_MS)
    this.#tell({ ask: 'outstanding' })
    const message = await answer
    if (message === null || !('outstanding' in message)) throw new Error(`${this.#logFile}: no answer of the peer`)
    return message.outstanding
  }

  read<Line>(): Line[] {
    return readFileSync(this.#logFile, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.disconnect()
    await exited
  }

  #tell(order: ToPeer): void {
    this.#child.send(order)
  }

  /** A message of an earlier point may arrive late, so each caller waits for its own. */
  #next(isExpected: (message: FromPeer) => boolean, limitMs: number): Promise<FromPeer | null> {
    return new Promise((resolve) => {
      const end = (message: FromPeer | null) => {
        clearTimeout(timer)
        this.#child.off('message', onMessage)
        resolve(message)
      }
      const onMessage = (message: FromPeer) => {
        if (isExpected(message)) end(message)
      }
      const timer = setTimeout(end, limitMs, null)
      this.#child.on('message', onMessage)
    })
  }
}

/** In a peer: the connection to the loop. */
export class LoopLink {
  readonly #log = openSync(process.argv[2] ?? '', 'a')
  #armed: PeerPoint | null = null
  #released = Promise.withResolvers<void>()
  #outstanding = 0

  constructor() {
    process.on('message', (order: ToPeer) => {
      if ('ask' in order) this.#tell({ outstanding: this.#outstanding })
      else if ('arm' in order) this.#arm(order.arm)
      else this.#disarm()
    })
    process.on('disconnect', () => process.exit(0))
    // A terminal sends Ctrl-C to the peers too, and a supervisor may send SIGTERM to the group; they end with the loop.
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {})
  }

  listening(port: number): void {
    this.#tell({ port })
  }

  log(line: object): void {
    writeSync(this.#log, `${JSON.stringify(line)}\n`)
  }

  /** Stops messages here while the point is armed. */
  async hold(point: PeerPoint): Promise<void> {
    if (this.#armed !== point) return
    this.#tell({ reached: point })
    await this.#released.promise
  }

  /** A message has just left. */
  pass(point: PeerPoint): void {
    if (this.#armed !== point) return
    this.#armed = null
    this.#tell({ reached: point })
  }

  /** Repeats the work until it succeeds, like a carrier with a receipt, with pauses that grow. */
  async insist(work: () => Promise<boolean>): Promise<void> {
    this.#outstanding += 1
    for (let ms = REPEAT_MS; !(await work().catch(() => false)); ms = Math.min(2 * ms, LONGEST_REPEAT_MS))
      await sleep(ms)
    this.#outstanding -= 1
  }

  #arm(point: PeerPoint): void {
    this.#armed = point
    this.#released = Promise.withResolvers<void>()
  }

  #disarm(): void {
    this.#armed = null
    this.#released.resolve()
  }

  #tell(message: FromPeer): void {
    if (process.connected) process.send?.(message)
  }
}
