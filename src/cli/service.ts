// The service at the other end: the management API over HTTP, and nothing else.
import type { Json } from './command.ts'
import type { Request } from './request.ts'

const MANAGE_ROOT = '/api/manage/v1'
const PATIENCE_MS = 60_000

/** It answered no. */
export class Refused extends Error {
  readonly status: number
  readonly code: string
  readonly details: Json

  constructor(status: number, { error, code, details }: { error: string; code: string; details?: Json }) {
    super(error)
    this.status = status
    this.code = code
    this.details = details
  }
}

/** It did not answer, or nothing that can be read: what was asked may have been done or not. */
export class NoAnswer extends Error {}

export interface Answer {
  status: number
  /** By the clock of the other machine. */
  date: Date | null
  body: Json
}

export class Service {
  readonly url: string
  readonly #token: string | null

  constructor(url: string, token: string | null) {
    this.url = url.replace(/\/+$/, '')
    this.#token = token
  }

  /** The body of what it answered; throws where that is a no, or nothing. */
  async ask({ method, path, query, body }: Request, headers: Record<string, string> = {}): Promise<Json> {
    const text = new URLSearchParams(query).toString()
    const answer = await this.get(`${MANAGE_ROOT}${path}${text === '' ? '' : `?${text}`}`, {
      method,
      headers: {
        ...(this.#token !== null && { authorization: `Bearer ${this.#token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const { status, body: said } = answer
    if (status < 300 && typeof said === 'object') return said
    if (status < 400 || typeof said?.error !== 'string' || typeof said.code !== 'string')
      throw new NoAnswer(`${this.url} answered ${status}, but not as Hulaki does.`)
    throw new Refused(status, said)
  }

  /** Whatever it answers, also for what needs no token. */
  async get(path: string, init: RequestInit = {}): Promise<Answer> {
    try {
      // A redirect is not followed: the token is for this address.
      const signal = AbortSignal.timeout(PATIENCE_MS)
      const response = await fetch(this.url + path, { ...init, redirect: 'manual', signal })
      const text = await response.text()
      const date = response.headers.get('date')
      return { status: response.status, date: date === null ? null : new Date(date), body: bodyOf(text) }
    } catch (fault) {
      throw new NoAnswer(`${this.url} does not answer (${reasonOf(fault)}).`)
    }
  }
}

function bodyOf(text: string): Json {
  try {
    return text === '' ? null : JSON.parse(text)
  } catch {
    return text
  }
}

/** What fetch says is only that it failed; its cause says why. */
function reasonOf(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault)
  if (fault.name === 'TimeoutError') return `no answer in ${PATIENCE_MS / 1000} s`
  return fault.cause instanceof Error ? fault.cause.message || fault.cause.name : fault.message
}
