// The management API with a token: calls, paged lists and text responses.
import { createHmac } from 'node:crypto'
import type { AnyJson } from './command.ts'
import type { Request } from './request.ts'
import { type HttpResponse, ServiceClient } from './service.ts'

const MANAGE_ROOT = '/api/manage/v1'
/** Items of a page. */
export const MAX_PAGE_SIZE = '200'
const DEFAULT_PAGE = '50'

export class ManagementApi extends ServiceClient {
  readonly #token: string | null

  constructor(url: URL, { token, signal }: { token: string | null; signal: AbortSignal }) {
    super(url, { signal })
    this.#token = token
  }

  /** Returns the response body, or throws. */
  async request(request: Request, headers: Record<string, string> = {}): Promise<AnyJson> {
    const { status, body } = await this.#send(request, headers)
    if (status === 204 || (status < 300 && typeof body === 'object' && body !== null)) return body
    throw this.refused(status, body)
  }

  /** The pieces of a response that is a file. */
  requestFile(request: Request): AsyncIterable<Uint8Array> {
    return this.download(addressOf(request), this.#initOf(request))
  }

  /** With another timeout, and independent of Ctrl-C. */
  within(ms: number): ManagementApi {
    return new ManagementApi(this.url, { token: this.#token, signal: AbortSignal.timeout(ms) })
  }

  /** Derived from the token, so that it need not be stored. */
  secretFor(purpose: string): string {
    return createHmac('sha256', this.#token ?? '')
      .update(purpose)
      .digest('hex')
      .slice(0, 40)
  }

  #send(request: Request, headers: Record<string, string> = {}): Promise<HttpResponse> {
    return this.exchange(addressOf(request), this.#initOf(request, headers))
  }

  #initOf({ method, body }: Request, headers: Record<string, string> = {}): RequestInit {
    return {
      method,
      headers: {
        ...(this.#token !== null && { authorization: `Bearer ${this.#token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }
  }

  /** A page can be short, because the service limits the rows that it reads: it is filled from the next pages. */
  async requestList(request: Request): Promise<{ items: AnyJson[]; next: string | null }> {
    const wanted = Number(request.query.limit ?? DEFAULT_PAGE)
    const items: AnyJson[] = []
    for (let { query } = request; ; ) {
      const page = await this.request({ ...request, query })
      if (!Array.isArray(page?.items)) throw this.unexpected(200)
      items.push(...page.items)
      const next: string | null = page.next ?? null
      if (next === null || items.length >= wanted) return { items, next }
      query = { ...request.query, limit: String(wanted - items.length), cursor: next }
    }
  }

  /** Every page of a list. */
  async requestAll(request: Request): Promise<{ items: AnyJson[]; next: null }> {
    const all: AnyJson[] = []
    let cursor = request.query.cursor
    for (;;) {
      const query = { limit: MAX_PAGE_SIZE, ...request.query, ...(cursor !== undefined && { cursor }) }
      const { items, next } = await this.requestList({ ...request, query })
      for (const item of items) all.push(item)
      if (next === null) return { items: all, next }
      cursor = next
    }
  }
}

function addressOf({ path, query }: Request): string {
  const text = queryText(query)
  return `${MANAGE_ROOT}${path}${text === '' ? '' : `?${text}`}`
}

function queryText(query: Request['query']): string {
  const pairs = Object.entries(query).flatMap(([name, values]) => [values].flat().map((value) => [name, value]))
  return new URLSearchParams(pairs).toString()
}
