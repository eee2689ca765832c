// The load: senders that repeat a request with the same Idempotency-Key until it has a 200, and the client's own log of all 200s.
import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../harness/until.ts'
import type { Accepted } from './evidence.ts'
import { LONG } from './installation.ts'
import { type PlannedSend, planSend } from './schedule.ts'

/** The first pause before a request is repeated. Each pause is twice as long as the last, up to the longest. */
const RETRY_MS = 100
const LONGEST_RETRY_MS = 1_600
const REQUEST_MS = 8_000
/** Repeated (§7.4): a running twin, a rate limit, a commit with an unknown result, an outage. */
export const TEMPORARY = [409, 429, 500, 503]
const LOOK_BACK = 200
const LOOK_ONE_IN = 4

interface Answer {
  /** 0: no response. */
  status: number
  body: string
}

export class Load {
  readonly accepted: Accepted[] = []
  /** Responses by status; 0 counts requests without a response. */
  readonly responses: Record<number, number> = {}
  /** Responses that no kill explains. */
  readonly unexpected: string[] = []
  /** What `GET /sms/messages/{id}` showed, in order. */
  readonly observed: { messageId: string; status: string }[] = []
  readonly #url: string
  readonly #apiKeys: string[]
  readonly #seed: number
  readonly #senders: Promise<void>[]
  #last = 0
  #messages = 0
  #isOver = false

  constructor({ url, apiKeys, seed, senders }: { url: string; apiKeys: string[]; seed: number; senders: number }) {
    this.#url = url
    this.#apiKeys = apiKeys
    this.#seed = seed
    this.#senders = Array.from({ length: senders }, () => this.#run())
  }

  /** Resolves when a request that is sent from now on has a 200. */
  async untilAccepted(): Promise<void> {
    const from = this.#last
    await until(() => this.accepted.slice(-2 * this.#senders.length).some(({ number }) => number > from), LONG)
  }

  /** Resolves when so many more messages have been accepted, or `stopping` is aborted. */
  async untilMessages(count: number, stopping?: AbortSignal): Promise<void> {
    const end = this.#messages + count
    while (this.#messages < end && !stopping?.aborted) {
      const before = this.#messages
      await until(() => stopping?.aborted || this.#messages > before, LONG)
    }
  }

  /** Every request that was sent gets its 200 first. */
  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#senders)
  }

  /** One response per line. */
  storeLog(file: string): void {
    writeFileSync(file, this.accepted.map((it) => `${JSON.stringify(it)}\n`).join(''))
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      this.#last += 1
      const planned = planSend(this.#seed, this.#last)
      await Promise.all(planned.isTwin ? [this.#send(planned), this.#send(planned)] : [this.#send(planned)])
      this.#messages += 1
      if (planned.isReplayed) await this.#send(planned)
      if (planned.number % LOOK_ONE_IN === 0) await this.#look(planned.number)
      await sleep(planned.pauseMs)
    }
  }

  async #send({ number, key, to, isOtp }: PlannedSend): Promise<void> {
    const path = isOtp ? '/sms/otp/send' : '/sms/send'
    const body = isOtp ? { to } : { to, text: 'Your order is on its way.' }
    for (let retryMs = RETRY_MS; ; retryMs = Math.min(2 * retryMs, LONGEST_RETRY_MS)) {
      const answer = await this.#call('POST', path, { number, key, body })
      if (answer.status === 200) {
        const { messageId, cost } = JSON.parse(answer.body)
        this.accepted.push({ number, key, to, isOtp, messageId, cost: cost ?? null, body: answer.body })
        return
      }
      if (![0, ...TEMPORARY].includes(answer.status)) {
        this.unexpected.push(`${key}: ${answer.status} ${answer.body}`)
        return
      }
      await sleep(retryMs)
    }
  }

  /** The status of an earlier message of the same client. */
  async #look(number: number): Promise<void> {
    const earlier = this.accepted.at(-1 - (number % LOOK_BACK))
    if (!earlier) return
    const answer = await this.#call('GET', `/sms/messages/${earlier.messageId}`, { number: earlier.number })
    if (answer.status !== 200) return
    this.observed.push({ messageId: earlier.messageId, status: JSON.parse(answer.body).status })
  }

  async #call(
    method: string,
    path: string,
    { number, key, body }: { number: number; key?: string; body?: object },
  ): Promise<Answer> {
    const headers = {
      'x-api-key': this.#apiKeys[number % this.#apiKeys.length] ?? '',
      ...(body && { 'content-type': 'application/json' }),
      ...(key && { 'idempotency-key': key }),
    }
    const answer = await fetch(`${this.#url}/api/sms/v1${path}`, {
      method,
      headers,
      signal: AbortSignal.timeout(REQUEST_MS),
      ...(body && { body: JSON.stringify(body) }),
    }).then(
      async (response) => ({ status: response.status, body: await response.text() }),
      () => ({ status: 0, body: '' }),
    )
    this.responses[answer.status] = (this.responses[answer.status] ?? 0) + 1
    return answer
  }
}
