// The calls of one connection as people may see them (D60), while somebody looks: what was asked, what was answered, and what was not.
import type { HttpDescription, Secrets } from '../../domain/http-carrier/description.ts'
import { type MakeCall, partsOf } from '../../domain/http-carrier/request.ts'
import { hider } from '../../domain/http-carrier/secrets.ts'
import { compileShownCall, literalHider, NOTHING_READ, placesOfAnswer } from '../../domain/http-carrier/shown-call.ts'
import type { MessageValues } from '../../domain/http-carrier/template.ts'
import { hiderOf } from '../../domain/wire/hide.ts'
import { showMessage, showPath } from '../../domain/wire/http-message.ts'
import type { ConnectionEvents, Exchanged as Shown } from '../connection.ts'
import { USUAL_HEADERS } from './caller.ts'
import type { Exchanged } from './exchange.ts'

export interface WireOptions {
  description: HttpDescription
  secrets: Secrets
  publicUrl: string | null
  exchanged: ConnectionEvents['exchanged']
}

type Messages = readonly [MessageValues, ...MessageValues[]]

export class Wire {
  readonly #options: WireOptions
  readonly #hideSecrets: (text: string) => string
  /** Made when somebody looks for the first time. */
  #makeShown: MakeCall | undefined
  readonly #host: string
  #count = 0

  constructor(options: WireOptions) {
    this.#options = options
    this.#host = new URL(partsOf(options.description.url).origin).host
    this.#hideSecrets = hider(options.secrets, options.description.auth)
  }

  /** One call: what its exchange calls as it goes. */
  begin(messages: Messages) {
    const exchange = ++this.#count
    const since = performance.now()
    const show = (read: () => Omit<Shown, 'exchange'>) => this.#options.exchanged?.(() => ({ exchange, ...read() }))
    const milliseconds = () => Math.round(performance.now() - since)
    return {
      written: () => show(() => this.#asked(messages)),
      settled: (exchanged: Exchanged) =>
        show(() => this.#settled(exchanged, { messages, isLate: false, milliseconds: milliseconds() })),
      late: (exchanged: Exchanged) =>
        show(() => this.#settled(exchanged, { messages, isLate: true, milliseconds: milliseconds() })),
    }
  }

  #asked(messages: Messages): Omit<Shown, 'exchange'> {
    const { description, secrets, publicUrl } = this.#options
    this.#makeShown ??= compileShownCall(description, secrets, publicUrl)
    const call = this.#makeShown(messages)
    if ('unsayable' in call) return { outgoing: true, bytes: Buffer.alloc(0), decoded: { unsayable: call.unsayable } }
    const hide = literalHider(this.#hideSecrets)
    const path = showPath(call.path, hide, NOTHING_READ.query)
    const message = {
      firstLine: `${call.method} ${path} HTTP/1.1`,
      headers: { host: this.#host, ...USUAL_HEADERS, ...call.headers },
      body: call.body === null ? null : Buffer.from(call.body),
    }
    const { bytes, ...shown } = showMessage(message, hide, NOTHING_READ)
    const messageIds = messages.map((it) => it.messageId)
    return { outgoing: true, bytes, decoded: { method: call.method, path, ...shown, messageIds } }
  }

  #settled(
    exchanged: Exchanged,
    { messages, isLate, milliseconds }: { messages: Messages; isLate: boolean; milliseconds: number },
  ): Omit<Shown, 'exchange'> {
    const beside = { milliseconds, ...(isLate && { isLate }) }
    if (exchanged.kind !== 'answered') {
      const { kind, why } = exchanged
      const decoded = { failure: this.#hideSecrets(why), wasWritten: kind !== 'not_written', ...beside }
      return { outgoing: false, bytes: Buffer.alloc(0), decoded }
    }
    const { status, headers, body, oddity } = exchanged
    const own = messages.flatMap((it) => [it.to, it.toDigits, it.toNational, it.messageId, it.reference])
    const texts = messages.map((it) => it.text)
    const hide = hiderOf({ own, texts, hideSecrets: this.#hideSecrets })
    const message = { firstLine: `HTTP/1.1 ${status}`, headers, body }
    const { bytes, ...shown } = showMessage(message, hide, placesOfAnswer(this.#options.description))
    return { outgoing: false, bytes, decoded: { status, ...shown, ...(oddity && { oddity }), ...beside } }
  }
}
