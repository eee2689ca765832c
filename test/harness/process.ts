// Runs the service as a separate process, the way `npm start` does.
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

/** Processes and folders last until the end of the test file. */
const cleanups: (() => void | Promise<void>)[] = []
after(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup()
})

interface SpawnOptions {
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
    cleanups.push(() => this.signal('SIGKILL'))
    keepLog(() => this.#logged())
  }

  /** Without the banner, which contains keys. */
  #logged(): string[] {
    return [...this.stdout.split('\n').filter((line) => line.startsWith('{')), ...this.stderr.split('\n')]
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** The workers, found by their log lines. */
  get workerPids(): number[] {
    const lines = this.stdout.split('\n').filter((line) => line.includes('Server listening'))
    return lines.map((line) => JSON.parse(line).pid)
  }

  /** Waits for the banner. */
  async url(): Promise<string> {
    let ended = false
    failOnRejection(
      this.ended.then(() => {
        ended = true
      }),
    )
    await until(() => ended || /^ {2}(URL|Health) .*\n(.*\n)*\n/m.test(this.stdout))
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
}

/** Creates a data folder, which is deleted after the tests together with its database server. */
export function dataFolder({ name = 'data', mode = 0o755 } = {}): string {
  const parent = mkdtempSync(join(tmpdir(), 'hulaki process-'))
  chmodSync(parent, mode)
  const folder = join(parent, name)
  cleanups.push(async () => {
    await stopDatabase(folder)
    rmSync(parent, { recursive: true, force: true })
  })
  return folder
}

async function stopDatabase(folder: string): Promise<void> {
  const isCreated = existsSync(join(folder, 'postgres'))
  const postgres = isCreated ? await openBundledPostgres(folder).catch(() => null) : null
  await postgres?.release()
  // For root, the cluster may be outside the data folder.
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

/** The HTTP status, or 0 without a response. */
export async function statusOf(url: string): Promise<number> {
  return fetch(url).then(
    async (response) => {
      await response.arrayBuffer()
      return response.status
    },
    () => 0,
  )
}
