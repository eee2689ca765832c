// Starts the processes of a benchmark, speaks with them, and takes them down again.
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { Job, Report } from './load.ts'

/** Receivers of a benchmark stand on this machine, and vouch for themselves. */
export const RECEIVERS_HERE = {
  HULAKI_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  HULAKI_WEBHOOK_CA_FILE: join(import.meta.dirname, '..', 'test', 'webhooks', 'certificates', 'ca.cert.pem'),
}

/** What a server under load says of itself: once where it listens, then every second how much memory it holds. */
type Word = { port: number } | { memoryMb: number }

export class Server {
  readonly #child: ChildProcess
  readonly port: Promise<number>
  readonly memoryMb: number[] = []

  constructor(file: string, env: Record<string, string>) {
    this.#child = start(file, env)
    this.port = new Promise((resolve, reject) => {
      this.#child.on('message', (word: Word) => {
        if ('port' in word) resolve(word.port)
        else this.memoryMb.push(word.memoryMb)
      })
      this.#child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)))
    })
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.kill('SIGTERM')
    await ended
  }
}

export function runLoad(job: Job): Promise<Report> {
  const child = start('load.ts', {})
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the load generator ended with ${code}`)))
    child.once('message', (report: Report) => {
      child.kill()
      resolve(report)
    })
    child.send(job)
  })
}

function start(file: string, env: Record<string, string>): ChildProcess {
  return fork(join(import.meta.dirname, file), { env: { ...process.env, ...env } })
}

/** For a server: tells the benchmark where it listens, and from then on how it does. */
export function tellBenchmark(port: number): void {
  const tell = (word: Word) => process.send?.(word)
  tell({ port })
  setInterval(() => tell({ memoryMb: Math.round(process.memoryUsage.rss() / 2 ** 20) }), 1000).unref()
}
