// The service over HTTP: its answer, or why there is none.
import type { Json } from './command.ts'

const TIMEOUT_MS = 60_000

/** The service refused the request. */
export class Refused extends Error {
  readonly status: number
  readonly code: string
  readonly details: Json
  readonly retryAfterSeconds: number | null
  /** What people can do, where more is known than the code says. */
  hints: string[] | null = null

  constructor(
    status: number,
    { error, code, details }: { error: string; code: string; details?: Json },
    retryAfterSeconds: number | null = null,
  ) {
    super(error)
    this.retryAfterSeconds = retryAfterSeconds
    this.status = status
    this.code = code
    this.details = details
  }
}

/** There is no readable answer: the request may have had an effect or not. */
export class NoAnswer extends Error {}

/** The service was not reached: the request had no effect. */
export class NotReached extends NoAnswer {}

/** Whether a change may or may not have been made. */
export function isUnknown(fault: unknown): boolean {
  return fault instanceof NoAnswer || (fault instanceof Refused && fault.status >= 500)
}

/** A request with an idempotency key has one effect, even if it is repeated: the message of an unknown outcome says how. */
export async function withKeyHint(key: string, what: string, send: () => Promise<Json>): Promise<Json> {
  try {
    return await send()
  } catch (fault) {
    if (!(fault instanceof Error && isUnknown(fault)) || fault instanceof NotReached) throw fault
    const repeat = `Repeat the command within 24 hours with --idempotency-key ${key}`
    throw new NoAnswer(`${fault.message}\n${what}. ${repeat}: it takes effect once.`)
  }
}

export function isThisMachine({ hostname }: URL): boolean {
  return /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname)
}

export interface Answer {
  status: number
  /** By the clock of the service. */
  date: Date | null
  retryAfterSeconds: number | null
  body: Json
}

export class Service {
  readonly url: URL
  readonly #signal: AbortSignal

  constructor(url: URL, { signal }: { signal: AbortSignal }) {
    this.url = url
    this.#signal = signal
  }

  /** Returns every answer, also a refusal. */
  async exchange(path: string, init: RequestInit = {}): Promise<Answer> {
    try {
      // A redirect is not followed: the token is for this address.
      const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(TIMEOUT_MS)])
      const response = await fetch(this.#address + path, { ...init, redirect: 'manual', signal })
      const text = await response.text()
      const date = response.headers.get('date')
      const wait = response.headers.get('retry-after')
      const retryAfterSeconds = wait !== null && /^\d+$/.test(wait) ? Number(wait) : null
      const { status } = response
      return { status, date: date === null ? null : new Date(date), retryAfterSeconds, body: bodyOf(text) }
    } catch (fault) {
      if (this.#signal.aborted) throw new NoAnswer('Stopped before the answer arrived.')
      const Kind = isNotReached(fault) ? NotReached : NoAnswer
      throw new Kind(`${this.#address} does not answer (${reasonOf(fault)}).`)
    }
  }

  refused(status: number, body: Json, retryAfterSeconds: number | null = null): Refused | NoAnswer {
    const isRefusal = status >= 400 && typeof body?.error === 'string' && typeof body.code === 'string'
    return isRefusal ? new Refused(status, body, retryAfterSeconds) : this.unexpected(status)
  }

  unexpected(status: number): NoAnswer {
    return new NoAnswer(`Unexpected answer from ${this.#address} (status ${status}). Is it a Hulaki service?`)
  }

  get #address(): string {
    return this.url.href.replace(/\/+$/, '')
  }
}

function bodyOf(text: string): Json {
  try {
    return text === '' ? null : JSON.parse(text)
  } catch {
    return text
  }
}

const NOT_REACHED = [
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'],
]

function isNotReached(fault: unknown): boolean {
  const cause = fault instanceof Error ? fault.cause : undefined
  return cause instanceof Error && 'code' in cause && NOT_REACHED.includes(String(cause.code))
}

/** The message of fetch only says that it failed; its cause says why. */
function reasonOf(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault)
  if (fault.name === 'TimeoutError') return `no answer in ${TIMEOUT_MS / 1000} s`
  if (!(fault.cause instanceof Error)) return fault.message
  const { cause } = fault
  return 'code' in cause && cause.code === 'ERR_SSL_WRONG_VERSION_NUMBER'
    ? 'no https at this address'
    : cause.message || cause.name
}
