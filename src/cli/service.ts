// Sends HTTP requests to the service and classifies failures.
import type { AnyJson } from './command.ts'

const TIMEOUT_MS = 60_000

/** The service responded with an error. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly details: AnyJson
  readonly retryAfterSeconds: number | null
  /** Suggestions that are better than the default of the code. */
  hints: string[] | null = null

  constructor(
    status: number,
    { error, code, details }: { error: string; code: string; details?: AnyJson },
    retryAfterSeconds: number | null = null,
  ) {
    super(error)
    this.retryAfterSeconds = retryAfterSeconds
    this.status = status
    this.code = code
    this.details = details
  }
}

/** No readable response: it is unknown whether the request had an effect. */
export class NoResponse extends Error {}

/** No connection: the request had no effect. */
export class NotConnected extends NoResponse {}

/** Whether a change may or may not have been made. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof NoResponse || (error instanceof ApiError && error.status >= 500)
}

/** Adds to an unknown outcome how to repeat the request with its idempotency key. */
export async function withKeyHint(key: string, what: string, send: () => Promise<AnyJson>): Promise<AnyJson> {
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof Error && isOutcomeUnknown(error)) || error instanceof NotConnected) throw error
    const repeat = `Repeat the command within 24 hours with --idempotency-key ${key}`
    throw new NoResponse(`${error.message}\n${what}. ${repeat}: it takes effect once.`)
  }
}

export function isThisMachine({ hostname }: URL): boolean {
  return /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname)
}

export interface HttpResponse {
  status: number
  /** The service's clock. */
  date: Date | null
  retryAfterSeconds: number | null
  body: AnyJson
}

export class ServiceClient {
  readonly url: URL
  readonly #signal: AbortSignal

  constructor(url: URL, { signal }: { signal: AbortSignal }) {
    this.url = url
    this.#signal = signal
  }

  /** Returns every response, also an error. */
  async exchange(path: string, init: RequestInit = {}): Promise<HttpResponse> {
    try {
      const response = await this.#fetch(path, init, AbortSignal.timeout(TIMEOUT_MS))
      const text = await response.text()
      const date = response.headers.get('date')
      const wait = response.headers.get('retry-after')
      const retryAfterSeconds = wait !== null && /^\d+$/.test(wait) ? Number(wait) : null
      const { status } = response
      return { status, date: date === null ? null : new Date(date), retryAfterSeconds, body: bodyOf(text) }
    } catch (error) {
      throw this.#failure(error)
    }
  }

  /** The pieces of a file as they arrive. A response that stops before its end throws. */
  async *download(path: string, init: RequestInit = {}): AsyncGenerator<Uint8Array> {
    const silence = new AbortController()
    const timer = setTimeout(() => silence.abort(new DOMException('', 'TimeoutError')), TIMEOUT_MS)
    try {
      const response = await this.#fetch(path, init, silence.signal)
      const { status, body } = response
      if (status !== 200 || body === null) throw this.refused(status, bodyOf(await response.text()))
      for await (const piece of body) {
        timer.refresh()
        yield piece
      }
    } catch (error) {
      throw error instanceof ApiError || error instanceof NoResponse ? error : this.#failure(error)
    } finally {
      clearTimeout(timer)
    }
  }

  /** A redirect is not followed: the token is for this address. */
  #fetch(path: string, init: RequestInit, timeout: AbortSignal): Promise<Response> {
    const signal = AbortSignal.any([this.#signal, timeout])
    return fetch(this.#address + path, { ...init, redirect: 'manual', signal })
  }

  #failure(error: unknown): NoResponse {
    if (this.#signal.aborted) return new NoResponse('Stopped before the response arrived.')
    const Kind = isNotReached(error) ? NotConnected : NoResponse
    return new Kind(`${this.#address} does not respond (${reasonOf(error)}).`)
  }

  refused(status: number, body: AnyJson, retryAfterSeconds: number | null = null): ApiError | NoResponse {
    const isRefusal = status >= 400 && typeof body?.error === 'string' && typeof body.code === 'string'
    return isRefusal ? new ApiError(status, body, retryAfterSeconds) : this.unexpected(status)
  }

  unexpected(status: number): NoResponse {
    return new NoResponse(`Unexpected response from ${this.#address} (status ${status}). Is it a Hulaki service?`)
  }

  get #address(): string {
    return this.url.href.replace(/\/+$/, '')
  }
}

function bodyOf(text: string): AnyJson {
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

function isNotReached(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && NOT_REACHED.includes(String(cause.code))
}

/** The message of fetch only says that it failed; its cause says why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no response in ${TIMEOUT_MS / 1000} s`
  if (!(error.cause instanceof Error)) return error.message
  const { cause } = error
  return 'code' in cause && cause.code === 'ERR_SSL_WRONG_VERSION_NUMBER'
    ? 'no https at this address'
    : cause.message || cause.name
}
