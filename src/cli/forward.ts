// Every event of a client posted to an address of this computer, in order and signed as the service signs (D45, D46). The service keeps
// what was not told yet: whatever is started anew, the service, the receiver or this, it goes on where it was.
import { setTimeout as sleep } from 'node:timers/promises'
import { postingHeaders } from '../domain/webhooks/signature.ts'
import type { Json } from './command.ts'
import type { ManagementApi } from './management-api.ts'
import { type Posted, postHere } from './post-here.ts'
import type { Request } from './request.ts'
import { isUnknown, Refused } from './service.ts'
import { Misuse, NO_ANSWER, type Surroundings } from './surroundings.ts'
import { jsonLine, textOf } from './table.ts'

const LOOK_EVERY_MS = 1000
const LONGEST_PAUSE_MS = 10_000
/** As often as the service posts an event that is answered, but not by a 2xx. */
const MOST_ANSWERED_TRIES = 8
const ENDED_WITHIN_MS = 3000
const LONGEST_NAME = 200

interface Forwarding {
  clientId: string
  to: URL
  secret: string
  takeOver: boolean
  json: boolean
}

interface HeardEvent {
  position: number
  id: string
  event: string
  body: string
  createdAt: string
}

/** Stopped is done, in whatever moment; the listening is then ended, if the service answers. */
export async function forward(service: ManagementApi, forwarding: Forwarding, around: Surroundings): Promise<void> {
  const forwarder = new Forwarder(service, forwarding, around)
  try {
    await forwarder.run()
  } catch (fault) {
    if (!around.signal.aborted) throw fault
  }
  await forwarder.end()
}

export function readForwardTo(text: string): URL {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Misuse('--forward-to is an address such as http://localhost:3000/hook.')
  if (url.username !== '' || url.password !== '')
    throw new Misuse('--forward-to must have neither a user nor a password.')
  return url
}

class Forwarder {
  readonly #service: ManagementApi
  readonly #forwarding: Forwarding
  readonly #around: Surroundings
  readonly #path: string
  readonly #session: string
  /** Positions of events that need not come again, and are not said to be told yet. */
  #told: number[] = []
  #vendor = ''
  #isAway = false
  #isFull = false

  constructor(service: ManagementApi, forwarding: Forwarding, around: Surroundings) {
    this.#service = service
    this.#forwarding = forwarding
    this.#around = around
    this.#path = `/clients/${encodeURIComponent(forwarding.clientId)}/listening`
    this.#session = around.newId()
  }

  async run(): Promise<void> {
    const first = await this.#begin()
    this.#greet()
    for (let heard = this.#hear(first); ; heard = this.#hear(await this.#askUntilAnswered())) {
      for (const event of heard) await this.#deliver(event)
      if (heard.length === 0) await this.#pause(LOOK_EVERY_MS)
    }
  }

  async #begin(): Promise<Json> {
    try {
      return await this.#ask(this.#forwarding.takeOver ? 'takeOver' : 'begin')
    } catch (fault) {
      if (fault instanceof Refused && fault.code === 'conflict')
        fault.hints = ['--take-over takes it over, and ends theirs.']
      throw fault
    }
  }

  /** Nobody waits long for it: without it the listening ends by itself. */
  async end(): Promise<void> {
    const request = { method: 'DELETE', path: `${this.#path}/${this.#session}`, query: {}, body: undefined }
    await this.#service
      .within(ENDED_WITHIN_MS)
      .ask(request)
      .catch(() => {})
  }

  #greet(): void {
    const { to, secret, json } = this.#forwarding
    const { out, err } = this.#around
    if (json) out(jsonLine({ forwardTo: to.href, secret }))
    else {
      err(`Forwarding to ${to.href}; stop with Ctrl-C.`)
      err(`The webhook secret is ${secret}`)
    }
  }

  async #ask(as: 'begin' | 'renew' | 'takeOver'): Promise<Json> {
    const told = this.#told
    const listener = listenerName(this.#around.machine(), this.#forwarding.to)
    const body = { listener, session: this.#session, as, told }
    const request: Request = { method: 'POST', path: this.#path, query: {}, body }
    const answer = await this.#service.ask(request)
    this.#told = this.#told.slice(told.length)
    return answer
  }

  /** A service that does not answer for a while is waited for. */
  async #askUntilAnswered(): Promise<Json> {
    for (;;) {
      try {
        const answer = await this.#ask('renew')
        this.#isAway = false
        return answer
      } catch (fault) {
        const isPassing = isUnknown(fault) || (fault instanceof Refused && fault.status === 429)
        if (!(fault instanceof Error) || !isPassing || this.#around.signal.aborted) throw fault
        if (!this.#isAway) this.#note(`${fault.message} (asked again every second)`, { code: NO_ANSWER })
        this.#isAway = true
        await this.#pause(LOOK_EVERY_MS)
      }
    }
  }

  #hear({ items, vendor, missedSince, until, isFull }: Json): HeardEvent[] {
    this.#vendor = vendor
    if (missedSince !== null)
      this.#note(`Nobody listened since ${missedSince}: events from then until now are missed.`, { missedSince })
    if (isFull && !this.#isFull) this.#note(`Too many events wait: what comes after ${until} is missed.`, { until })
    this.#isFull = isFull
    return items
  }

  /** Until it is taken, or refused for good: no other goes before it. */
  async #deliver(event: HeardEvent): Promise<void> {
    let isDown = false
    for (let answers = 0, tries = 1; ; tries++) {
      const posted = await this.#post(event)
      if (this.#around.signal.aborted) throw new Error('stopped')
      if ('statusCode' in posted) answers += 1
      const isEnd = 'statusCode' in posted && (!isWorthAgain(posted.statusCode) || answers >= MOST_ANSWERED_TRIES)
      // That nobody is there is told once, however long it lasts.
      if ('statusCode' in posted || !isDown) this.#tell(event, posted, { isEnd })
      isDown = 'failure' in posted
      if (isEnd) {
        this.#told.push(event.position)
        return
      }
      await this.#pause(Math.min(LONGEST_PAUSE_MS, LOOK_EVERY_MS * 2 ** (tries - 1)))
      // So that the listening goes on meanwhile. What it is handed begins with this very event.
      await this.#askUntilAnswered()
    }
  }

  #post({ id, event, body }: HeardEvent): Promise<Posted> {
    const { to, secret } = this.#forwarding
    const { now, signal } = this.#around
    const bytes = new TextEncoder().encode(body)
    const unixSeconds = Math.floor(now().getTime() / 1000)
    const headed = { vendor: this.#vendor, event, deliveryId: id, unixSeconds, body: bytes, secrets: [secret] as const }
    return postHere(to, { headers: postingHeaders(headed), body: bytes, signal })
  }

  #tell({ id, event, body, createdAt }: HeardEvent, posted: Posted, { isEnd }: { isEnd: boolean }): void {
    const { id: about, status = null, text = null } = JSON.parse(body)
    const { milliseconds } = posted
    const statusCode = 'statusCode' in posted ? posted.statusCode : null
    const error = 'failure' in posted ? posted.failure : null
    const { out } = this.#around
    if (this.#forwarding.json) {
      out(jsonLine({ id, event, about, status, statusCode, error, milliseconds, again: !isEnd, createdAt }))
      return
    }
    const how = statusCode === null ? `no answer (${error})` : String(statusCode)
    const then = isEnd ? '' : '; tried again'
    const words = [createdAt, event, textOf(status ?? text), about, `${how} in ${milliseconds} ms${then}`]
    out(words.join('  '))
  }

  #note(text: string, about: Record<string, unknown>): void {
    this.#around.err(this.#forwarding.json ? jsonLine({ error: text, ...about }) : text)
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, null, { signal: this.#around.signal })
  }
}

/** Another answer than a 2xx may be another one later; the rest of 4xx and a redirect are final here, so that one fault stops nobody. */
function isWorthAgain(statusCode: number): boolean {
  return statusCode >= 500 || statusCode === 408 || statusCode === 429
}

/** What stands in a query may be a secret. */
function listenerName(machine: string, { origin, pathname }: URL): string {
  return `${machine} for ${origin}${pathname}`.replaceAll(/\p{Cc}/gu, '?').slice(0, LONGEST_NAME)
}
