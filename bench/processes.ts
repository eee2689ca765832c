// Starts, messages and stops the processes of a benchmark.
import { type ChildProcess, fork, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'
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
    this.#child = startChild(file, env)
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

  stop(): Promise<void> {
    return endChild(this.#child)
  }
}

/** Also returns if the process has already ended. */
export async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

/** Runs one load generator. */
export function generateLoad(job: Job): Promise<Report> {
  const child = startChild('load.ts', {})
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the load generator ended with ${code}`)))
    child.once('message', (report: Report) => {
      child.kill()
      resolve(report)
    })
    child.send(job)
  })
}

/** Like `generateLoad`; fails unless every request gets a response with this status. */
export async function generateAcceptedLoad(job: Job, status = '200'): Promise<Report> {
  const report = await generateLoad(job)
  const { [status]: accepted = 0, ...others } = report.statuses
  const isIncomplete = job.requestsAtMost !== undefined && accepted < job.requestsAtMost
  if (isIncomplete || Object.keys(others).length > 0)
    throw new Error(`not every response is a ${status}: ${JSON.stringify(report)}`)
  return report
}

export async function withServer<Result>(server: Server, work: (server: Server) => Promise<Result>): Promise<Result> {
  try {
    return await work(server)
  } finally {
    await server.stop()
  }
}

/** Logs go to standard error; results are on standard output. */
export function startChild(file: string, env: Record<string, string>): ChildProcess {
  const stdio = ['inherit', 2, 2, 'ipc'] satisfies StdioOptions
  return fork(join(import.meta.dirname, file), { env: { ...process.env, ...env }, stdio })
}

/** Fails if the process ends before its message. */
export async function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  const over = new AbortController()
  const ended = once(child, 'exit', over).then(([code]) => Promise.reject(new Error(`a process ended with ${code}`)))
  try {
    const [message] = await Promise.race([once(child, 'message', over), ended])
    return message
  } finally {
    over.abort()
  }
}

/** Called by a process of a benchmark, so that it ends with the benchmark, also after a failure. */
export function endWithBenchmark(): void {
  const end = () => process.kill(process.pid, 'SIGTERM')
  if (process.connected) process.once('disconnect', end)
  else end()
}

/** Called by a server: sends its port, then its memory every second. */
export function reportToBenchmark(port: number): void {
  endWithBenchmark()
  const send = (message: ServerMessage) => process.connected && process.send?.(message)
  send({ port })
  setInterval(() => send({ memoryMb: Math.round(process.memoryUsage.rss() / 2 ** 20) }), 1000).unref()
}

const WRITTEN_BY_NODE = ['content-length', 'date', 'connection', 'keep-alive']

/** The response of Hulaki in BENCH_ANSWER, which the bare servers send too. */
export function sampleAnswer(): { headers: Record<string, string>; body: string } {
  const [head = '', body = ''] = (process.env.BENCH_ANSWER ?? '').split('\r\n\r\n')
  const lines = head.split('\r\n').slice(1)
  const headers = lines
    .map((line) => line.split(': '))
    .filter(([name = '']) => !WRITTEN_BY_NODE.includes(name.toLowerCase()))
  return { headers: Object.fromEntries(headers), body }
}
