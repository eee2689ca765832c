// The client for the six endpoints of the v1 API. Every POST has an Idempotency-Key, so that retries are safe.
import { type ApiCall, makeCall, type Transport } from './call.ts'
import { HulakiError } from './error.ts'
import { type Machine, thisMachine } from './machine.ts'
import { randomKey } from './platform.ts'
import { isTemporary } from './retry.ts'
import type {
  Balance,
  CodeRequest,
  CodeSent,
  CodeTry,
  CodeVerdict,
  Coverage,
  Message,
  Sending,
  SendingAccepted,
} from './types.ts'

export interface HulakiOptions {
  /** Address of the service, such as `https://sms.example.com`. */
  url: string
  apiKey: string
  /** Maximum number of retries. Default: 4. */
  retries?: number
  /** Timeout of one attempt. Default: 15 seconds. */
  timeoutMs?: number
  /** Timeout of a call with all attempts and waits. Default: 60 seconds. */
  withinMs?: number
  /** A longer wait, such as the interval between OTPs, throws an error instead. Default: 20 seconds. */
  maxWaitMs?: number
  /** Replaces the global `fetch`, for a proxy or a test. */
  fetch?: typeof globalThis.fetch
}

export interface CallOptions {
  /** Your own key, such as the id of an order: the call is safe to repeat for 24 hours, also after a restart of your program. */
  idempotencyKey?: string
  signal?: AbortSignal
  /** Overrides the option of the client. */
  timeoutMs?: number
  withinMs?: number
}

export interface WaitOptions {
  signal?: AbortSignal
  /** How long to poll. Default: 5 minutes. The last request may take longer. */
  withinMs?: number
}

/** §4.4: 2 s, 5 s, 15 s, and then every minute. */
const POLLING_MS = [2_000, 5_000, 15_000, 60_000]
const FINAL: readonly Message['status'][] = ['delivered', 'undelivered', 'failed', 'rejected', 'test']

export class Hulaki {
  readonly #transport: Transport
  readonly #times: Pick<ApiCall, 'timeoutMs' | 'withinMs'>

  constructor(options: HulakiOptions, machine: Machine = thisMachine) {
    const { apiKey, retries = 4, timeoutMs = 15_000, withinMs = 60_000, maxWaitMs = 20_000 } = options
    // The error does not contain the value: it may be the key with a line break, which the error of fetch would print.
    if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey))
      throw new TypeError('apiKey is missing, or contains a blank or an invalid character')
    for (const [name, value] of Object.entries({ retries, timeoutMs, withinMs, maxWaitMs }))
      if (!(value >= 0)) throw new TypeError(`${name} must be a number of at least 0`)
    this.#transport = {
      root: rootAt(options.url),
      apiKey,
      rules: { retries, maxWaitMs },
      // Browsers and edge runtimes require `fetch` without a `this`.
      fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
      machine,
    }
    this.#times = { timeoutMs, withinMs }
  }

  /** Queues one SMS to one number. */
  send(message: Sending, options: CallOptions = {}): Promise<SendingAccepted> {
    return this.#post('/sms/send', message, { requiredField: 'messageId', ...options })
  }

  readonly otp = {
    /** Sends a six-digit OTP, valid for five minutes. */
    send: (request: CodeRequest, options: CallOptions = {}): Promise<CodeSent> =>
      this.#post('/sms/otp/send', request, { requiredField: 'otpId', ...options }),
    /** A wrong OTP is not an error: read `verified`. */
    verify: (attempt: CodeTry, options: CallOptions = {}): Promise<CodeVerdict> =>
      this.#post('/sms/otp/verify', attempt, { requiredField: 'verified', ...options }),
  }

  readonly messages = {
    get: (id: string, options: CallOptions = {}): Promise<Message> =>
      this.#get(`/sms/messages/${encodeURIComponent(id)}`, { requiredField: '_id', ...options }),
    /** Polls a message with growing delays until its status is final or the time is up. Webhooks need no polling. */
    waitUntilFinal: async (id: string, { signal, withinMs = 300_000 }: WaitOptions = {}): Promise<Message> => {
      const { machine } = this.#transport
      const end = machine.now() + withinMs
      for (let polls = 0; ; polls++) {
        const message = await this.messages.get(id, signal ? { signal } : {}).catch((error: unknown) => {
          // After a first success, temporary errors such as a restart of the service are retried while there is time.
          const shouldRetry = error instanceof HulakiError && isTemporary(error) && polls > 0 && machine.now() < end
          if (!shouldRetry) throw error
          return null
        })
        const left = end - machine.now()
        if (message && (FINAL.includes(message.status) || left <= 0)) return message
        await machine.pause(Math.min(POLLING_MS[polls] ?? 60_000, Math.max(left, 0)), signal)
      }
    },
  }

  balance(options: CallOptions = {}): Promise<Balance> {
    return this.#get('/sms/balance', { requiredField: 'balance', ...options })
  }

  coverage(options: CallOptions = {}): Promise<Coverage> {
    return this.#get('/sms/coverage', { requiredField: 'allowed', ...options })
  }

  #get<Answer>(path: string, { requiredField, ...options }: CallOptions & { requiredField: string }): Promise<Answer> {
    return this.#make({ path, requiredField, body: null, idempotencyKey: null }, options)
  }

  async #post<Answer>(
    path: string,
    content: object,
    { requiredField, ...options }: CallOptions & { requiredField: string },
  ): Promise<Answer> {
    const { idempotencyKey = await randomKey() } = options
    // An invalid header would look like a network error, and HTTP trims blanks at the ends.
    if (!/^(?! )[\x20-\x7e]{1,200}(?<! )$/.test(idempotencyKey))
      throw new TypeError('idempotencyKey must have 1 to 200 printable ASCII characters, with no blank at either end')
    return this.#make({ path, requiredField, body: JSON.stringify(content), idempotencyKey }, options)
  }

  #make<Answer>(
    call: Pick<ApiCall, 'path' | 'requiredField' | 'body' | 'idempotencyKey'>,
    options: CallOptions,
  ): Promise<Answer> {
    const { signal, timeoutMs = this.#times.timeoutMs, withinMs = this.#times.withinMs } = options
    return makeCall({ ...call, signal, timeoutMs, withinMs }, this.#transport)
  }
}

function rootAt(url: string): string {
  const parsed = parse(url)
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username !== '' || parsed.password !== '')
    throw new TypeError(
      'url must begin with https:// or http://, such as https://sms.example.com, without a user name or password',
    )
  const { origin, pathname } = parsed
  return `${origin}${pathname.replace(/\/+$/, '').replace(/\/api\/sms\/v1$/, '')}/api/sms/v1`
}

function parse(url: string): URL | null {
  try {
    return new URL(url)
  } catch {
    return null
  }
}
