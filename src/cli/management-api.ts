// The service at the other end: the management API over HTTP, and nothing else.
import { createHmac } from 'node:crypto'
import type { Json } from './command.ts'
import type { Request } from './request.ts'

const MANAGE_ROOT = '/api/manage/v1'
const PATIENCE_MS = 60_000
/** Of a list, at once. */
export const LARGEST_PAGE = '200'
const USUAL_PAGE = '50'

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

export class ManagementApi {
  readonly url: URL
  readonly #token: string | null
  readonly #signal: AbortSignal

  constructor(url: URL, { token, signal }: { token: string | null; signal: AbortSignal }) {
    this.url = url
    this.#token = token
    this.#signal = signal
  }

  /** The body of what it answered; throws where that is a no, or nothing. */
  async ask(request: Request, headers: Record<string, string> = {}): Promise<Json> {
    const { status, body } = await this.#send(request, headers)
    if (status === 204 || (status < 300 && typeof body === 'object' && body !== null)) return body
    throw this.refused(status, body)
  }

  /** With so much time, whether anybody has had enough or not. */
  within(ms: number): ManagementApi {
    return new ManagementApi(this.url, { token: this.#token, signal: AbortSignal.timeout(ms) })
  }

  /** The same with the same token, without telling it: for what nobody shall have to keep. */
  secretFor(purpose: string): string {
    return createHmac('sha256', this.#token ?? '')
      .update(purpose)
      .digest('hex')
      .slice(0, 40)
  }

  /** The same of what is no JSON. */
  async askText(request: Request): Promise<string> {
    const { status, body } = await this.#send(request)
    if (status < 300 && typeof body === 'string') return body
    throw this.refused(status, body)
  }

  #send({ method, path, query, body }: Request, headers: Record<string, string> = {}): Promise<Answer> {
    const text = textOf(query)
    return this.exchange(`${MANAGE_ROOT}${path}${text === '' ? '' : `?${text}`}`, {
      method,
      headers: {
        ...(this.#token !== null && { authorization: `Bearer ${this.#token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  }

  refused(status: number, said: Json, retryAfterSeconds: number | null = null): Refused | NoAnswer {
    const isRefusal = status >= 400 && typeof said?.error === 'string' && typeof said.code === 'string'
    return isRefusal ? new Refused(status, said, retryAfterSeconds) : this.unlikeHulaki(status)
  }

  /** A page that comes short, for the service looks at so much at a time and no more, is filled from those behind it. */
  async askList(request: Request): Promise<{ items: Json[]; next: string | null }> {
    const wanted = Number(request.query.limit ?? USUAL_PAGE)
    const items: Json[] = []
    for (let { query } = request; ; ) {
      const page = await this.ask({ ...request, query })
      if (!Array.isArray(page?.items)) throw this.unlikeHulaki(200)
      items.push(...page.items)
      const next: string | null = page.next ?? null
      if (next === null || items.length >= wanted) return { items, next }
      query = { ...request.query, limit: String(wanted - items.length), cursor: next }
    }
  }

  /** Every page of a list. */
  async askAll(request: Request): Promise<{ items: Json[]; next: null }> {
    const all: Json[] = []
    let cursor = request.query.cursor
    for (;;) {
      const query = { limit: LARGEST_PAGE, ...request.query, ...(cursor !== undefined && { cursor }) }
      const { items, next } = await this.askList({ ...request, query })
      for (const item of items) all.push(item)
      if (next === null) return { items: all, next }
      cursor = next
    }
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

  unlikeHulaki(status: number): NoAnswer {
    return new NoAnswer(`${this.#address} answered ${status}, but not as Hulaki does.`)
  }

  get #address(): string {
    return this.url.href.replace(/\/+$/, '')
  }
}

function textOf(query: Request['query']): string {
  const pairs = Object.entries(query).flatMap(([name, values]) => [values].flat().map((value) => [name, value]))
  return new URLSearchParams(pairs).toString()
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
