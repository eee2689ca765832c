// The service at the other end, over HTTP: what it answers, or why it does not. Which of its APIs is asked, others know.
import type { Json } from './command.ts'

const PATIENCE_MS = 60_000

/** It answered no. */
export class Refused extends Error {
  readonly status: number
  readonly code: string
  readonly details: Json
  readonly retryAfterSeconds: number | null
  /** What to do about it, for people, where more is known than its code says. */
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

/** It did not answer, or nothing that can be read: what was asked may have been done or not. */
export class NoAnswer extends Error {}

/** Nobody is there: this time nothing was asked of anybody. */
export class NotReached extends NoAnswer {}

/** After this nobody knows whether a change was made. */
export function isUnknown(fault: unknown): boolean {
  return fault instanceof NoAnswer || (fault instanceof Refused && fault.status >= 500)
}

export function isThisMachine({ hostname }: URL): boolean {
  return /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname)
}

export interface Answer {
  status: number
  /** By the clock of the other machine. */
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

  /** Whatever it answers, also to what needs no token. */
  async exchange(path: string, init: RequestInit = {}): Promise<Answer> {
    try {
      // A redirect is not followed: the token is for this address.
      const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(PATIENCE_MS)])
      const response = await fetch(this.#address + path, { ...init, redirect: 'manual', signal })
      const text = await response.text()
      const date = response.headers.get('date')
      const wait = response.headers.get('retry-after')
      const retryAfterSeconds = wait !== null && /^\d+$/.test(wait) ? Number(wait) : null
      const { status } = response
      return { status, date: date === null ? null : new Date(date), retryAfterSeconds, body: bodyOf(text) }
    } catch (fault) {
      if (this.#signal.aborted) throw new NoAnswer('Stopped before an answer came.')
      const Kind = isNotReached(fault) ? NotReached : NoAnswer
      throw new Kind(`${this.#address} does not answer (${reasonOf(fault)}).`)
    }
  }

  refused(status: number, said: Json, retryAfterSeconds: number | null = null): Refused | NoAnswer {
    const isRefusal = status >= 400 && typeof said?.error === 'string' && typeof said.code === 'string'
    return isRefusal ? new Refused(status, said, retryAfterSeconds) : this.unlikeHulaki(status)
  }

  unlikeHulaki(status: number): NoAnswer {
    return new NoAnswer(`${this.#address} answered ${status}, but not as Hulaki does.`)
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

const NOBODY_THERE = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]

function isNotReached(fault: unknown): boolean {
  const cause = fault instanceof Error ? fault.cause : undefined
  return cause instanceof Error && 'code' in cause && NOBODY_THERE.includes(String(cause.code))
}

/** What fetch says is only that it failed; its cause says why. */
function reasonOf(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault)
  if (fault.name === 'TimeoutError') return `no answer in ${PATIENCE_MS / 1000} s`
  if (!(fault.cause instanceof Error)) return fault.message
  const { cause } = fault
  return 'code' in cause && cause.code === 'ERR_SSL_WRONG_VERSION_NUMBER'
    ? 'it speaks no https'
    : cause.message || cause.name
}
