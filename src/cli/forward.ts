// `hulaki listen --forward-to`: posts the events of a client to a local address, in order and signed like a webhook (D45, D46). The service
// keeps unfinished events, so a restart of either side loses nothing.
import { setTimeout as sleep } from 'node:timers/promises'
import { webhookHeaders } from '../domain/webhooks/signature.ts'
import type { AnyJson } from './command.ts'
import { type CliContext, NO_ANSWER, UsageError } from './context.ts'
import type { ManagementApi } from './management-api.ts'
import { type PostResult, postLocally } from './post-locally.ts'
import type { Request } from './request.ts'
import { ApiError, isOutcomeUnknown } from './service.ts'
import { formatValue, jsonLine } from './table.ts'

const POLL_MS = 1000
const MAX_PAUSE_MS = 10_000
/** As often as the service retries an event. */
const MAX_ATTEMPTS = 8
const END_TIMEOUT_MS = 3000
const MAX_NAME_LENGTH = 200

interface ForwardOptions {
  clientId: string
  to: URL
  secret: string
  takeOver: boolean
  json: boolean
}

interface ForwardedEvent {
  position: number
  id: string
  event: string
  body: string
  createdAt: string
}

/** Ctrl-C ends it at any moment, and ends the session on the service. */
export async function forward(api: ManagementApi, forwarding: ForwardOptions, context: CliContext): Promise<void> {
  const forwarder = new Forwarder(api, forwarding, context)
  try {
    await forwarder.run()
  } catch (error) {
    if (!context.signal.aborted) throw error
  }
  await forwarder.end()
}

export function readForwardTo(text: string): URL {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError('--forward-to must be a URL like http://localhost:3000/hook.')
  if (url.username !== '' || url.password !== '')
    throw new UsageError('--forward-to must not contain a user or a password.')
  return url
}

class Forwarder {
  readonly #api: ManagementApi
  readonly #forwarding: ForwardOptions
  readonly #context: CliContext
  readonly #path: string
  readonly #session: string
  /** Positions of events that are done, and not reported to the service yet. */
  #done: number[] = []
  #vendor = ''
  #isUnreachable = false
  #isFull = false

  constructor(api: ManagementApi, forwarding: ForwardOptions, context: CliContext) {
    this.#api = api
    this.#forwarding = forwarding
    this.#context = context
    this.#path = `/clients/${encodeURIComponent(forwarding.clientId)}/listening`
    this.#session = context.newId()
  }

  async run(): Promise<void> {
    const first = await this.#begin()
    this.#printStart()
    for (let events = this.#receive(first); ; events = this.#receive(await this.#renewWithRetries())) {
      for (const event of events) await this.#deliver(event)
      if (events.length === 0) await this.#pause(POLL_MS)
    }
  }

  async #begin(): Promise<AnyJson> {
    try {
      return await this.#ask(this.#forwarding.takeOver ? 'takeOver' : 'begin')
    } catch (error) {
      if (error instanceof ApiError && error.code === 'conflict')
        error.hints = ['--take-over ends the session of the other listener.']
      throw error
    }
  }

  /** A short timeout is enough, because an unused session expires. */
  async end(): Promise<void> {
    const request = { method: 'DELETE', path: `${this.#path}/${this.#session}`, query: {}, body: undefined }
    await this.#api
      .within(END_TIMEOUT_MS)
      .request(request)
      .catch(() => {})
  }

  #printStart(): void {
    const { to, secret, json } = this.#forwarding
    const { out, err } = this.#context
    if (json) out(jsonLine({ forwardTo: to.href, secret }))
    else {
      err(`Forwarding to ${to.href}; stop with Ctrl-C.`)
      err(`Webhook secret: ${secret}`)
    }
  }

  async #ask(as: 'begin' | 'renew' | 'takeOver'): Promise<AnyJson> {
    const done = this.#done
    const listener = listenerName(this.#context.machine(), this.#forwarding.to)
    const body = { listener, session: this.#session, as, forwarded: done }
    const request: Request = { method: 'POST', path: this.#path, query: {}, body }
    const answer = await this.#api.request(request)
    this.#done = this.#done.slice(done.length)
    return answer
  }

  async #renewWithRetries(): Promise<AnyJson> {
    for (;;) {
      try {
        const answer = await this.#ask('renew')
        this.#isUnreachable = false
        return answer
      } catch (error) {
        const isTemporary = isOutcomeUnknown(error) || (error instanceof ApiError && error.status === 429)
        if (!(error instanceof Error) || !isTemporary || this.#context.signal.aborted) throw error
        if (!this.#isUnreachable) this.#note(`${error.message} Retrying every second.`, { code: NO_ANSWER })
        this.#isUnreachable = true
        await this.#pause(POLL_MS)
      }
    }
  }

  #receive({ items, vendor, missedSince, until, isFull }: AnyJson): ForwardedEvent[] {
    this.#vendor = vendor
    if (missedSince !== null)
      this.#note(`Events since ${missedSince} are lost, because no listener was active.`, { missedSince })
    if (isFull && !this.#isFull) this.#note(`Too many events are waiting: events after ${until} are lost.`, { until })
    this.#isFull = isFull
    return items
  }

  /** Retries until the event is accepted or rejected permanently, so that events stay in order. */
  async #deliver(event: ForwardedEvent): Promise<void> {
    let isDown = false
    for (let answers = 0, attempts = 1; ; attempts++) {
      const posted = await this.#post(event)
      if (this.#context.signal.aborted) throw new Error('stopped')
      if ('statusCode' in posted) answers += 1
      const isEnd = 'statusCode' in posted && (!isRetryable(posted.statusCode) || answers >= MAX_ATTEMPTS)
      // A server that is down is reported once.
      if ('statusCode' in posted || !isDown) this.#print(event, posted, { isEnd })
      isDown = 'failure' in posted
      if (isEnd) {
        this.#done.push(event.position)
        return
      }
      await this.#pause(Math.min(MAX_PAUSE_MS, POLL_MS * 2 ** (attempts - 1)))
      // Keeps the session alive. The response starts with this event again.
      await this.#renewWithRetries()
    }
  }

  #post({ id, event, body }: ForwardedEvent): Promise<PostResult> {
    const { to, secret } = this.#forwarding
    const { now, signal } = this.#context
    const bytes = new TextEncoder().encode(body)
    const unixSeconds = Math.floor(now().getTime() / 1000)
    const headed = { vendor: this.#vendor, event, deliveryId: id, unixSeconds, body: bytes, secrets: [secret] as const }
    return postLocally(to, { headers: webhookHeaders(headed), body: bytes, signal })
  }

  #print({ id, event, body, createdAt }: ForwardedEvent, posted: PostResult, { isEnd }: { isEnd: boolean }): void {
    const { id: about, status = null, text = null } = JSON.parse(body)
    const { milliseconds } = posted
    const statusCode = 'statusCode' in posted ? posted.statusCode : null
    const error = 'failure' in posted ? posted.failure : null
    const { out } = this.#context
    if (this.#forwarding.json) {
      out(jsonLine({ id, event, about, status, statusCode, error, milliseconds, again: !isEnd, createdAt }))
      return
    }
    const how = statusCode === null ? `no response (${error})` : String(statusCode)
    const then = isEnd ? '' : '; retrying'
    const words = [createdAt, event, formatValue(status ?? text), about, `${how} in ${milliseconds} ms${then}`]
    out(words.join('  '))
  }

  #note(text: string, about: Record<string, unknown>): void {
    this.#context.err(this.#forwarding.json ? jsonLine({ error: text, ...about }) : text)
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, null, { signal: this.#context.signal })
  }
}

/** Other 4xx and redirects are final, so that one event does not stop the others. */
function isRetryable(statusCode: number): boolean {
  return statusCode >= 500 || statusCode === 408 || statusCode === 429
}

/** Without the query, which may contain a secret. */
function listenerName(machine: string, { origin, pathname }: URL): string {
  return `${machine} for ${origin}${pathname}`.replaceAll(/\p{Cc}/gu, '?').slice(0, MAX_NAME_LENGTH)
}
