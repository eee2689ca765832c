// The six calls of the v1 API. Every POST carries an Idempotency-Key, so that it may be repeated until it is answered.
import { type Call, makeCall, type Way } from './call.ts'
import { HulakiError } from './error.ts'
import { type Machine, thisMachine } from './machine.ts'
import { randomKey } from './platform.ts'
import { mayPass } from './retry.ts'
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
  /** Where the service is, such as `https://sms.example.com`. */
  url: string
  apiKey: string
  /** How often a call is repeated at most; 4 if left out, 0 for never. */
  retries?: number
  /** For one try; 15 seconds if left out. */
  timeoutMs?: number
  /** For a call with all its repetitions and the waits between them; 60 seconds if left out. */
  withinMs?: number
  /** What has to be waited for longer (a resend cooldown, say) is told instead; 20 seconds if left out. */
  longestWaitMs?: number
  /** In place of the global one: for a proxy, or for a test. */
  fetch?: typeof globalThis.fetch
}

export interface CallOptions {
  /** Yours, such as the id of an order: with it a call is safe to repeat for 24 hours, also after a restart of your program. */
  idempotencyKey?: string
  signal?: AbortSignal
  /** In place of the client's own, for this call. */
  timeoutMs?: number
  withinMs?: number
}

export interface WaitOptions {
  signal?: AbortSignal
  /** How long to look at most; five minutes if left out. The last look may take as long as a call may. */
  withinMs?: number
}

/** §4.4: 2 s, 5 s, 15 s, and then every minute. */
const POLLING_MS = [2_000, 5_000, 15_000, 60_000]
const FINAL: readonly Message['status'][] = ['delivered', 'undelivered', 'failed', 'rejected', 'test']

export class Hulaki {
  readonly #way: Way
  readonly #times: Pick<Call, 'timeoutMs' | 'withinMs'>

  constructor(options: HulakiOptions, machine: Machine = thisMachine) {
    const { apiKey, retries = 4, timeoutMs = 15_000, withinMs = 60_000, longestWaitMs = 20_000 } = options
    // Never told with what was given: it may be the key with a line break, which fetch would tell whole.
    if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey))
      throw new TypeError('apiKey is missing, or has a character that no key has')
    for (const [name, value] of Object.entries({ retries, timeoutMs, withinMs, longestWaitMs }))
      if (!(value >= 0)) throw new TypeError(`${name} must be a number that is not negative`)
    this.#way = {
      root: rootAt(options.url),
      apiKey,
      rules: { retries, longestWaitMs },
      // Called without a `this`: browsers and edge runtimes take no other.
      fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
      machine,
    }
    this.#times = { timeoutMs, withinMs }
  }

  /** Queues one SMS to one number. */
  send(message: Sending, options: CallOptions = {}): Promise<SendingAccepted> {
    return this.#post('/sms/send', message, { must: 'messageId', ...options })
  }

  readonly otp = {
    /** Sends a code of six digits, good for five minutes. */
    send: (request: CodeRequest, options: CallOptions = {}): Promise<CodeSent> =>
      this.#post('/sms/otp/send', request, { must: 'otpId', ...options }),
    /** A wrong code is no error: read `verified`. */
    verify: (attempt: CodeTry, options: CallOptions = {}): Promise<CodeVerdict> =>
      this.#post('/sms/otp/verify', attempt, { must: 'verified', ...options }),
  }

  readonly messages = {
    get: (id: string, options: CallOptions = {}): Promise<Message> =>
      this.#get(`/sms/messages/${encodeURIComponent(id)}`, { must: '_id', ...options }),
    /**
     * Looks at a message, less and less often, until its status is final or the time is up, and gives it as it is then.
     * Webhooks tell the same without asking.
     */
    waitUntilFinal: async (id: string, { signal, withinMs = 300_000 }: WaitOptions = {}): Promise<Message> => {
      const { machine } = this.#way
      const end = machine.now() + withinMs
      for (let looks = 0; ; looks++) {
        const message = await this.messages.get(id, signal ? { signal } : {}).catch((fault: unknown) => {
          // It was there before: a service that restarts meanwhile is looked at again, as long as there is time.
          const mayReturn = fault instanceof HulakiError && mayPass(fault) && looks > 0 && machine.now() < end
          if (!mayReturn) throw fault
          return null
        })
        const left = end - machine.now()
        if (message && (FINAL.includes(message.status) || left <= 0)) return message
        await machine.pause(Math.min(POLLING_MS[looks] ?? 60_000, Math.max(left, 0)), signal)
      }
    },
  }

  balance(options: CallOptions = {}): Promise<Balance> {
    return this.#get('/sms/balance', { must: 'balance', ...options })
  }

  coverage(options: CallOptions = {}): Promise<Coverage> {
    return this.#get('/sms/coverage', { must: 'allowed', ...options })
  }

  #get<Answer>(path: string, { must, ...options }: CallOptions & { must: string }): Promise<Answer> {
    return this.#make({ path, must, body: null, idempotencyKey: null }, options)
  }

  async #post<Answer>(
    path: string,
    content: object,
    { must, ...options }: CallOptions & { must: string },
  ): Promise<Answer> {
    const { idempotencyKey = await randomKey() } = options
    // What no header can carry would look like a fault of the network, and blanks at its ends are lost on the way.
    if (!/^(?! )[\x20-\x7e]{1,200}(?<! )$/.test(idempotencyKey))
      throw new TypeError('idempotencyKey must have 1 to 200 printable ASCII characters, with no blank at its ends')
    return this.#make({ path, must, body: JSON.stringify(content), idempotencyKey }, options)
  }

  #make<Answer>(call: Pick<Call, 'path' | 'must' | 'body' | 'idempotencyKey'>, options: CallOptions): Promise<Answer> {
    const { signal, timeoutMs = this.#times.timeoutMs, withinMs = this.#times.withinMs } = options
    return makeCall({ ...call, signal, timeoutMs, withinMs }, this.#way)
  }
}

function rootAt(url: string): string {
  const parsed = parse(url)
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username !== '' || parsed.password !== '')
    throw new TypeError(
      'url must begin with https:// or http://, such as https://sms.example.com, without a name or a password',
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
