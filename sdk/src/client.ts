// The six calls of the v1 API. Every POST carries an Idempotency-Key, so that it may be repeated until it is answered.
import { type ErrorFacts, HulakiError } from './error.ts'
import { randomKey } from './platform.ts'
import { type RetryRules, waitBefore } from './retry.ts'
import type {
  Balance,
  CodeRequest,
  CodeSent,
  CodeTry,
  CodeVerdict,
  Coverage,
  ErrorCode,
  Message,
  Sending,
  SendingAccepted,
} from './types.ts'

export interface HulakiOptions {
  /** Where the service is, such as `https://sms.example.com`. */
  url: string
  apiKey: string
  /** How often a call is repeated at most; 4 if left out, 0 for never. */
  retries?: number
  /** For one try; 15 seconds if left out. */
  timeoutMs?: number
  /** What has to be waited for longer (a resend cooldown, say) is told instead; 20 seconds if left out. */
  longestWaitMs?: number
  /** In place of the global one: for a proxy, or for a test. */
  fetch?: typeof globalThis.fetch
}

export interface CallOptions {
  /** Yours, such as the id of an order: with it a call is safe to repeat for 24 hours, also after a restart of your program. */
  idempotencyKey?: string
  signal?: AbortSignal
  timeoutMs?: number
}

export interface WaitOptions {
  signal?: AbortSignal
  /** How long to look at most; five minutes if left out. */
  withinMs?: number
}

/** §4.4: 2 s, 5 s, 15 s, and then every minute. */
const POLLING_MS = [2_000, 5_000, 15_000, 60_000]
const FINAL: readonly Message['status'][] = ['delivered', 'undelivered', 'failed', 'rejected', 'test']

export class Hulaki {
  readonly #root: string
  readonly #apiKey: string
  readonly #rules: RetryRules
  readonly #timeoutMs: number
  readonly #fetch: typeof globalThis.fetch

  constructor({ url, apiKey, retries = 4, timeoutMs = 15_000, longestWaitMs = 20_000, ...rest }: HulakiOptions) {
    this.#root = `${new URL(url).href.replace(/\/+$/, '').replace(/\/api\/sms\/v1$/, '')}/api/sms/v1`
    this.#apiKey = apiKey
    this.#rules = { retries, longestWaitMs }
    this.#timeoutMs = timeoutMs
    this.#fetch = rest.fetch ?? globalThis.fetch
  }

  /** Queues one SMS to one number. */
  send(message: Sending, options: CallOptions = {}): Promise<SendingAccepted> {
    return this.#post('/sms/send', message, options)
  }

  readonly otp = {
    /** Sends a code of six digits, good for five minutes. */
    send: (request: CodeRequest, options: CallOptions = {}): Promise<CodeSent> =>
      this.#post('/sms/otp/send', request, options),
    /** A wrong code is no error: read `verified`. */
    verify: (attempt: CodeTry, options: CallOptions = {}): Promise<CodeVerdict> =>
      this.#post('/sms/otp/verify', attempt, options),
  }

  readonly messages = {
    get: (id: string, options: CallOptions = {}): Promise<Message> =>
      this.#get(`/sms/messages/${encodeURIComponent(id)}`, options),
    /**
     * Looks at a message, less and less often, until its status is final or the time is up, and gives it as it is then.
     * Webhooks tell the same without asking.
     */
    waitUntilFinal: async (id: string, { signal, withinMs = 300_000 }: WaitOptions = {}): Promise<Message> => {
      const end = performance.now() + withinMs
      for (let looks = 0; ; looks++) {
        const message = await this.messages.get(id, signal ? { signal } : {})
        const wait = POLLING_MS[looks] ?? 60_000
        const left = end - performance.now()
        if (FINAL.includes(message.status) || left <= 0) return message
        await pause(Math.min(wait, left), signal)
      }
    },
  }

  balance(options: CallOptions = {}): Promise<Balance> {
    return this.#get('/sms/balance', options)
  }

  coverage(options: CallOptions = {}): Promise<Coverage> {
    return this.#get('/sms/coverage', options)
  }

  #get<Answer>(path: string, options: CallOptions): Promise<Answer> {
    return this.#call(path, { method: 'GET', headers: { 'x-api-key': this.#apiKey } }, options)
  }

  async #post<Answer>(path: string, body: object, options: CallOptions): Promise<Answer> {
    const headers = {
      'x-api-key': this.#apiKey,
      'content-type': 'application/json',
      'idempotency-key': options.idempotencyKey ?? (await randomKey()),
    }
    return this.#call(path, { method: 'POST', headers, body: JSON.stringify(body) }, options)
  }

  async #call<Answer>(path: string, request: RequestInit, options: CallOptions): Promise<Answer> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#try<Answer>(path, request, options)
      } catch (fault) {
        if (!(fault instanceof HulakiError)) throw fault
        const wait = waitBefore(fault, { attempt, chance: Math.random() }, this.#rules)
        if (wait === null) throw fault
        await pause(wait, options.signal)
      }
    }
  }

  async #try<Answer>(path: string, request: RequestInit, { signal, timeoutMs }: CallOptions): Promise<Answer> {
    const limit = timeoutMs ?? this.#timeoutMs
    const controller = new AbortController()
    const giveUp = () => controller.abort()
    const timer = setTimeout(giveUp, limit)
    signal?.addEventListener('abort', giveUp)
    if (signal?.aborted) giveUp()
    try {
      const response = await this.#fetch(`${this.#root}${path}`, {
        ...request,
        redirect: 'error',
        signal: controller.signal,
      })
      const text = await response.text()
      return read<Answer>(response, text)
    } catch (fault) {
      if (fault instanceof HulakiError) throw fault
      throw new HulakiError({ status: 0, cause: fault, ...why(fault, { signal, controller, limit }) })
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', giveUp)
    }
  }
}

interface GivenUp {
  signal: AbortSignal | undefined
  controller: AbortController
  limit: number
}

function why(fault: unknown, { signal, controller, limit }: GivenUp): Pick<ErrorFacts, 'code' | 'message'> {
  if (signal?.aborted) return { code: 'aborted', message: 'The call was given up' }
  if (controller.signal.aborted) return { code: 'timeout', message: `No answer within ${limit} ms` }
  return { code: 'network', message: `The service was not reached: ${fault instanceof Error ? fault.message : fault}` }
}

function read<Answer>(response: Response, text: string): Answer {
  const body = parse(text)
  if (response.ok && body !== null) return body as Answer
  const facts = {
    status: response.status,
    requestId: response.headers.get('x-request-id'),
    retryAfterSeconds: secondsIn(response.headers.get('retry-after')),
  }
  if (body === null || typeof body.code !== 'string' || response.ok)
    throw new HulakiError({
      ...facts,
      code: 'unreadable',
      message: `No answer of the service (HTTP ${response.status})`,
    })
  throw new HulakiError({
    ...facts,
    code: body.code as ErrorCode,
    message: String(body.error),
    details: body.details as ErrorFacts['details'],
  })
}

function secondsIn(header: string | null): number | null {
  return header !== null && /^\d+$/.test(header) ? Number(header) : null
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      clearTimeout(timer)
      reject(new HulakiError({ code: 'aborted', status: 0, message: 'The call was given up', cause: signal?.reason }))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', giveUp)
      resolve()
    }, ms)
    if (signal?.aborted) giveUp()
    else signal?.addEventListener('abort', giveUp, { once: true })
  })
}
