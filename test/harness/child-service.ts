// The service as a separate process, the way `npm start` runs it. It ends with its caller's cleanup, not by itself.
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { failOnRejection } from './background.ts'
import { until } from './until.ts'

export const CHECKOUT = join(import.meta.dirname, '..', '..')
const { PATH, NODE_COMPILE_CACHE } = process.env

export interface SpawnOptions {
  env?: Record<string, string>
  checkout?: string
  node?: string
  nodeArguments?: string[]
  user?: { uid: number; gid: number }
}

export class ChildService {
  readonly #child: ChildProcess
  readonly ended: Promise<{ code: number | null; signal: string | null }>
  stdout = ''
  stderr = ''

  constructor(options: SpawnOptions) {
    const { env = {}, checkout = CHECKOUT, node = process.execPath, nodeArguments = [], user } = options
    this.#child = spawn(node, [...nodeArguments, join(checkout, 'src', 'main.ts')], {
      cwd: checkout,
      // No load balancer in tests; a test of draining sets this itself.
      env: { PATH, NODE_COMPILE_CACHE, PORT: '0', HULAKI_DRAIN_SECONDS: '0', ...env },
      // A separate process group, so that a signal to the group does not reach the tests.
      detached: true,
      ...user,
    })
    this.#child.stdout?.on('data', (text) => {
      this.stdout += text
    })
    this.#child.stderr?.on('data', (text) => {
      this.stderr += text
    })
    this.ended = new Promise((resolve) => this.#child.once('close', (code, signal) => resolve({ code, signal })))
  }

  /** Without the banner, which contains keys. */
  logged(): string[] {
    return [...this.stdout.split('\n').filter((line) => line.startsWith('{')), ...this.stderr.split('\n')]
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** All workers so far, found by their log lines. */
  get workerPids(): number[] {
    return this.#linesWith('Server listening').flatMap(({ pid }) => (pid === this.pid ? [] : [pid]))
  }

  /** Without those that exited: the system may have given their pids to other processes. */
  get runningWorkerPids(): number[] {
    const exited = new Set(this.#linesWith('worker exited').map(({ worker }) => worker))
    return this.workerPids.filter((pid) => !exited.has(pid) && isAlive(pid))
  }

  /** Waits for the banner. */
  async url(limit: { ms?: number } = {}): Promise<string> {
    let ended = false
    failOnRejection(
      this.ended.then(() => {
        ended = true
      }),
    )
    await until(() => ended || /^ {2}(URL|Health) .*\n(.*\n)*\n/m.test(this.stdout), limit)
    const url = /^ {2}(?:URL|Health) +(https?:\/\/[^/]+)\//m.exec(this.stdout)?.[1]
    if (url === undefined) throw new Error(`the service did not start: ${this.stderr}${this.stdout}`)
    return url
  }

  /** The first group of a match in the banner. */
  shown(pattern: RegExp): string | undefined {
    return pattern.exec(this.stdout)?.[1]
  }

  /** To the whole process group, like Ctrl-C. */
  signal(signal: NodeJS.Signals): void {
    // Without a pid the process did not start, and 0 would be the group of the tests.
    if (this.pid === 0) return
    try {
      process.kill(-this.pid, signal)
    } catch {
      // The process group has exited.
    }
  }

  async stop(): Promise<number | null> {
    this.signal('SIGINT')
    return (await this.ended).code
  }

  #linesWith(words: string): { pid: number; worker?: number }[] {
    const lines = this.stdout.split('\n').filter((line) => line.includes(words))
    return lines.map((line) => JSON.parse(line))
  }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
