// Calls of customers and of an operator, in turn to each process that serves.
import { clientAt, type TestClient } from '../harness/client.ts'
import { type Answer, call } from '../harness/service.ts'
import type { Smsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

const CALLERS = 4

interface LoadOptions {
  client: TestClient
  operatorToken: string
  smsc: Smsc
}

export class Load {
  /** The addresses of the processes that get calls. */
  urls: string[] = []
  /** Numbers by message id. */
  readonly accepted = new Map<string, string>()
  readonly statuses: Record<string, number> = {}
  readonly unexpected: string[] = []
  readonly #options: LoadOptions
  readonly #running = new Map<string, number>()
  #number = 0
  #rounds = 0
  #isOver = false
  #callers: Promise<unknown> | null = null

  constructor(options: LoadOptions) {
    this.#options = options
  }

  /** Resolves after so many more rounds. */
  async add(rounds: number): Promise<void> {
    const enough = this.#rounds + rounds
    this.#callers ??= Promise.all(Array.from({ length: CALLERS }, () => this.#call()))
    await Promise.race([until(() => this.#rounds >= enough), this.#callers])
  }

  /** Resolves when no call to this process runs. */
  async leave(url: string): Promise<void> {
    this.urls = this.urls.filter((it) => it !== url)
    await until(() => (this.#running.get(url) ?? 0) === 0)
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#callers
  }

  async #call(): Promise<void> {
    while (!this.#isOver) {
      await this.#send()
      await this.#verifyCode()
      await this.#manage('GET', `/workspaces/${this.#options.client.workspaceId}/messages?limit=5`)
      await this.#manage('PATCH', `/workspaces/${this.#options.client.workspaceId}`, { name: `Name ${this.#rounds}` })
      this.#rounds += 1
    }
  }

  async #send(): Promise<void> {
    const to = this.#nextNumber()
    // The same request twice: the second is a replay, also by another process.
    const headers = { 'idempotency-key': `load-${to}` }
    const send = () => this.#at((url) => clientAt(url, this.#options.client).send({ to, text: 'Namaste' }, headers))
    const answers = [await send(), await send()]
    const ids = new Set(answers.flatMap(({ status, body }) => (status === 200 ? [body.messageId] : [])))
    if (ids.size > 1) this.unexpected.push(`two messages for one key: ${[...ids]}`)
    for (const id of ids) this.accepted.set(id, to)
  }

  async #verifyCode(): Promise<void> {
    const to = this.#nextNumber()
    const { client, smsc } = this.#options
    // OTPs are limited by calling address.
    const headers = { 'x-forwarded-for': `10.0.${this.#number >> 8}.${this.#number & 255}` }
    const { status, body } = await this.#at((url) => clientAt(url, client).otp({ to }, headers))
    if (status !== 200) return
    this.accepted.set(body.messageId, to)
    const text = await until(() => smsc.taken.find((taken) => taken.to === to)?.text)
    const [code] = /\d{4,}/.exec(text) ?? []
    const verified = await this.#at((url) => clientAt(url, client).verify({ to, code }))
    if (verified.status === 200 && !verified.body.verified)
      this.unexpected.push(`not verified: ${JSON.stringify(verified.body)}`)
  }

  async #manage(method: string, path: string, body?: unknown): Promise<void> {
    const headers = { authorization: `Bearer ${this.#options.operatorToken}` }
    await this.#at((url) => call(`${url}/api/manage/v1${path}`, { method, body, headers }))
  }

  #nextNumber(): string {
    this.#number += 1
    return `+97798${String(46_000_000 + 137 * this.#number)}`
  }

  /** Calls the processes in turn. */
  async #at(work: (url: string) => Promise<Answer>): Promise<Answer> {
    const url = this.urls[Math.floor(this.#number + this.#rounds) % this.urls.length] ?? ''
    this.#running.set(url, (this.#running.get(url) ?? 0) + 1)
    try {
      const answer = await work(url)
      const { status, headers, body } = answer
      this.statuses[status] = (this.statuses[status] ?? 0) + 1
      const isExpected = status === 200 || status === 409 || (status === 503 && headers.has('retry-after'))
      if (!isExpected) this.unexpected.push(`${status} ${JSON.stringify(body)}`)
      return answer
    } finally {
      this.#running.set(url, (this.#running.get(url) ?? 0) - 1)
    }
  }
}
