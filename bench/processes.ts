// Starts, messages and stops the processes of a benchmark.
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { Job, Report } from './load.ts'

/** Webhook endpoints of a benchmark run on this machine with a test CA. */
export const LOCAL_RECEIVERS = {
  HULAKI_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  HULAKI_WEBHOOK_CA_FILE: join(import.meta.dirname, '..', 'test', 'webhooks', 'certificates', 'ca.cert.pem'),
}

/** The messages of a server under load: its port once, then its memory every second. */
type ServerMessage = { port: number } | { memoryMb: number }

export class Server {
  readonly #child: ChildProcess
  readonly port: Promise<number>
  readonly memoryMb: number[] = []

  constructor(file: string, env: Record<string, string>) {
    this.#child = start(file, env)
    this.port = new Promise((resolve, reject) => {
      this.#child.on('message', (message: ServerMessage) => {
        if ('port' in message) resolve(message.port)
        else this.memoryMb.push(message.memoryMb)
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

/** Called by a server: sends its port, then its memory every second. */
export function reportToBenchmark(port: number): void {
  const send = (message: ServerMessage) => process.send?.(message)
  send({ port })
  setInterval(() => send({ memoryMb: Math.round(process.memoryUsage.rss() / 2 ** 20) }), 1000).unref()
}
