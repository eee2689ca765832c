// The service as a process of its own, started the way `npm start` starts it: to be killed, starved and stopped.
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { openBundledPostgres } from '../../src/store/database/bundled-postgres.ts'
import { failOnRejection } from './background.ts'
import { keepLog } from './log-leaks.ts'
import type { Connection } from './server.ts'
import { until } from './until.ts'

export const CHECKOUT = join(import.meta.dirname, '..', '..')
const { PATH, NODE_COMPILE_CACHE } = process.env

/** Processes and folders belong to the file, not to the test that happens to make them. */
const leavings: (() => void | Promise<void>)[] = []
after(async () => {
  for (const leave of leavings.toReversed()) await leave()
})

export interface SpawnOptions {
  env?: Record<string, string>
  checkout?: string
  node?: string
  nodeArguments?: string[]
  user?: { uid: number; gid: number }
}

export class ServiceProcess {
  readonly #child: ChildProcess
  readonly ended: Promise<{ code: number | null; signal: string | null }>
  stdout = ''
  stderr = ''

  constructor(options: SpawnOptions) {
    const { env = {}, checkout = CHECKOUT, node = process.execPath, nodeArguments = [], user } = options
    this.#child = spawn(node, [...nodeArguments, join(checkout, 'src', 'main.ts')], {
      cwd: checkout,
      // Nobody balances here; a test that is about that says for how long.
      env: { PATH, NODE_COMPILE_CACHE, PORT: '0', HULAKI_DRAIN_SECONDS: '0', ...env },
      // A process group of its own, so that a signal to it reaches what a Ctrl-C would reach, and not the tests.
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
    leavings.push(() => this.signal('SIGKILL'))
    keepLog(() => this.#logged())
  }

  /** Not what is shown to people, which holds the keys of a first start. */
  #logged(): string[] {
    return [...this.stdout.split('\n').filter((line) => line.startsWith('{')), ...this.stderr.split('\n')]
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** The processes that serve the API, by what they log. */
  get workerPids(): number[] {
    const lines = this.stdout.split('\n').filter((line) => line.includes('Server listening'))
    return lines.map((line) => JSON.parse(line).pid)
  }

  /** Where it listens, once it says that it runs. */
  async url(): Promise<string> {
    let ended = false
    failOnRejection(
      this.ended.then(() => {
        ended = true
      }),
    )
    await until(() => ended || /^ {2}(Address|Health) .*\n(.*\n)*\n/m.test(this.stdout))
    const url = /^ {2}(?:Address|Health) +(https?:\/\/[^/]+)\//m.exec(this.stdout)?.[1]
    if (url === undefined) throw new Error(`the service did not start: ${this.stderr}${this.stdout}`)
    return url
  }

  /** What the first start printed for people. */
  shown(pattern: RegExp): string | undefined {
    return pattern.exec(this.stdout)?.[1]
  }

  /** To the process and all others of its group, like a Ctrl-C. */
  signal(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.pid, signal)
    } catch {
      // All of them are gone.
    }
  }

  async stop(): Promise<number | null> {
    this.signal('SIGINT')
    return (await this.ended).code
  }
}

/** A data folder that is gone after the test, with the server that may still run in it. */
export function dataFolder({ name = 'data', mode = 0o755 } = {}): string {
  const parent = mkdtempSync(join(tmpdir(), 'hulaki process-'))
  chmodSync(parent, mode)
  const folder = join(parent, name)
  leavings.push(async () => {
    await stopDatabase(folder)
    rmSync(parent, { recursive: true, force: true })
  })
  return folder
}

async function stopDatabase(folder: string): Promise<void> {
  const everMade = existsSync(join(folder, 'postgres'))
  const postgres = everMade ? await openBundledPostgres(folder).catch(() => null) : null
  await postgres?.release()
  // Where root's folder is closed to others, the cluster lies elsewhere.
  if (postgres) rmSync(postgres.directory, { recursive: true, force: true })
}

export function urlOf({ host, port, user, password, database }: Connection): string {
  const where = new URLSearchParams({ host, port: String(port) })
  return `postgres://${user}:${encodeURIComponent(password)}@localhost/${database}?${where}`
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** The HTTP status, or 0 where nobody answers. */
export async function statusOf(url: string): Promise<number> {
  return fetch(url).then(
    async (response) => {
      await response.arrayBuffer()
      return response.status
    },
    () => 0,
  )
}
