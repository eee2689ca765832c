// The calls to one carrier as people may see them (D60), while somebody looks: what was asked, what was answered, and what was not.
import type { HttpDescription } from '../../domain/carriers/http/description.ts'
import { type Asked, authOf } from '../../domain/carriers/http/poll.ts'
import type { ReceiptPoll } from '../../domain/carriers/http/receipts.ts'
import { type HttpCall, partsOf } from '../../domain/carriers/http/request.ts'
import { hider } from '../../domain/carriers/http/secrets.ts'
import {
  compileShownCall,
  compileShownPoll,
  literalHider,
  NOTHING_READ,
  placesOfAnswer,
  placesOfReceipts,
} from '../../domain/carriers/http/shown-call.ts'
import type { MessageValues } from '../../domain/carriers/http/template.ts'
import { hiderOf } from '../../domain/carriers/http/wire/hide.ts'
import { type ReadPlaces, showMessage, showPath } from '../../domain/carriers/http/wire/http-message.ts'
import type { HttpSecrets } from '../../domain/carriers/secrets.ts'
import type { ConnectionEvents, Exchanged as Shown } from '../connection.ts'
import { USUAL_HEADERS } from './caller.ts'
import type { Exchanged } from './exchange.ts'

type Some<Item> = readonly [Item, ...Item[]]
type MakeShown<Item> = (items: Some<Item>) => HttpCall | { unsayable: string }

export interface WireOptions<Item> {
  url: string
  hideSecrets: (text: string) => string
  /** How a call is made of what may be shown; asked for when somebody looks for the first time. */
  compile: () => MakeShown<Item>
  /** Our numbers and ids of what a call is about. */
  ownOf: (item: Item) => string[]
  textOf: (item: Item) => string[]
  /** What is read of its answer. */
  places: ReadPlaces
  exchanged: ConnectionEvents['exchanged']
}

interface WireOf {
  description: HttpDescription
  secrets: HttpSecrets
  exchanged: ConnectionEvents['exchanged']
}

/** Of the calls that messages are given in. */
export function messageWire({ publicUrl, ...of }: WireOf & { publicUrl: string | null }): Wire<MessageValues> {
  const { description, secrets, exchanged } = of
  return new Wire({
    url: description.url,
    hideSecrets: hider(secrets, description.auth),
    compile: () => compileShownCall(description, secrets, publicUrl),
    ownOf: (it) => [it.to, it.toDigits, it.toNational, it.messageId, it.reference],
    textOf: (it) => [it.text],
    places: placesOfAnswer(description),
    exchanged,
  })
}

/** Of the calls that ask for receipts. */
export function pollWire({ description, secrets, exchanged, poll }: WireOf & { poll: ReceiptPoll }): Wire<Asked> {
  return new Wire({
    url: poll.url,
    hideSecrets: hider(secrets, authOf(description)),
    compile: () => compileShownPoll(description, poll, secrets),
    ownOf: (it) => [it.to, it.to.replace(/^\+/, ''), it.messageId, it.reference, it.carrierMessageId ?? ''],
    textOf: () => [],
    places: placesOfReceipts(poll.reading),
    exchanged,
  })
}

export class Wire<Item extends { messageId: string }> {
  readonly #options: WireOptions<Item>
  readonly #host: string
  #makeShown: MakeShown<Item> | undefined
  #count = 0

  constructor(options: WireOptions<Item>) {
    this.#options = options
    this.#host = new URL(partsOf(options.url).origin).host
  }

  /** One call: what its exchange calls as it goes. */
  begin(items: Some<Item>) {
    const exchange = ++this.#count
    const since = performance.now()
    const show = (read: () => Omit<Shown, 'exchange'>) => this.#options.exchanged?.(() => ({ exchange, ...read() }))
    const milliseconds = () => Math.round(performance.now() - since)
    return {
      written: () => show(() => this.#asked(items)),
      settled: (exchanged: Exchanged) => show(() => this.#settled(exchanged, items, { milliseconds: milliseconds() })),
      late: (exchanged: Exchanged) =>
        show(() => this.#settled(exchanged, items, { milliseconds: milliseconds(), isLate: true })),
    }
  }

  #asked(items: Some<Item>): Omit<Shown, 'exchange'> {
    this.#makeShown ??= this.#options.compile()
    const call = this.#makeShown(items)
    if ('unsayable' in call) return { outgoing: true, bytes: Buffer.alloc(0), decoded: { unsayable: call.unsayable } }
    const hide = literalHider(this.#options.hideSecrets)
    const path = showPath(call.path, hide, NOTHING_READ.query)
    const message = {
      firstLine: `${call.method} ${path} HTTP/1.1`,
      headers: { host: this.#host, ...USUAL_HEADERS, ...call.headers },
      body: call.body === null ? null : Buffer.from(call.body),
    }
    const { bytes, ...shown } = showMessage(message, hide, NOTHING_READ)
    const messageIds = items.map((it) => it.messageId)
    return { outgoing: true, bytes, decoded: { method: call.method, path, ...shown, messageIds } }
  }

  #settled(
    exchanged: Exchanged,
    items: Some<Item>,
    beside: { milliseconds: number; isLate?: boolean },
  ): Omit<Shown, 'exchange'> {
    const { ownOf, textOf, places, hideSecrets } = this.#options
    if (exchanged.kind !== 'answered') {
      const { kind, why } = exchanged
      const decoded = { failure: hideSecrets(why), wasWritten: kind !== 'not_written', ...beside }
      return { outgoing: false, bytes: Buffer.alloc(0), decoded }
    }
    const { status, headers, body, oddity } = exchanged
    const hide = hiderOf({ own: items.flatMap(ownOf), texts: items.flatMap(textOf), hideSecrets })
    const message = { firstLine: `HTTP/1.1 ${status}`, headers, body }
    const { bytes, ...shown } = showMessage(message, hide, places)
    return { outgoing: false, bytes, decoded: { status, ...shown, ...(oddity && { oddity }), ...beside } }
  }
}
