// The calls to one carrier as a capture keeps them (D60), while somebody looks: what was asked, what was answered, and what was not.
import {
  captureAnswer,
  captureRead,
  captureRequest,
  describedPath,
  type ReadPlaces,
} from '../../domain/carriers/http/capture.ts'
import { readJson } from '../../domain/carriers/http/content.ts'
import type { HttpAuth } from '../../domain/carriers/http/description.ts'
import type { PrivateParts, RedactorOf } from '../../domain/carriers/http/redact.ts'
import { type HttpCall, partsOf } from '../../domain/carriers/http/request.ts'
import type { ConnectionEvents, Exchanged as Shown } from '../connection.ts'
import { USUAL_HEADERS } from './caller.ts'
import type { Exchanged } from './exchange.ts'

export interface WireOptions {
  url: string
  auth: HttpAuth | null
  /** What is read of an answer. */
  places: ReadPlaces
  redactorOf: RedactorOf
  exchanged: ConnectionEvents['exchanged']
}

/** What a call is about. */
export interface CallSubject {
  messageIds: string[]
  parts: () => PrivateParts
}

type Frame = Omit<Shown, 'exchange'>

const NO_FIELDS = new URLSearchParams()

export class Wire {
  readonly #options: WireOptions
  readonly #host: string
  readonly #path: string
  #count = 0

  constructor(options: WireOptions) {
    this.#options = options
    this.#host = new URL(partsOf(options.url).origin).host
    this.#path = describedPath(options.url, options.auth)
  }

  /** One call: what its exchange calls as it goes. */
  begin(call: HttpCall, subject: CallSubject) {
    const exchange = ++this.#count
    const since = performance.now()
    const show = (read: () => Frame) => this.#options.exchanged?.(() => ({ exchange, ...read() }))
    const settled = (exchanged: Exchanged, isLate: boolean) => {
      const beside = { milliseconds: Math.round(performance.now() - since), ...(isLate && { isLate }) }
      show(() => this.#answered(exchanged, subject, beside))
    }
    return {
      written: () => show(() => this.#asked(call, subject)),
      settled: (exchanged: Exchanged) => settled(exchanged, false),
      late: (exchanged: Exchanged) => settled(exchanged, true),
    }
  }

  #asked({ method, headers, body }: HttpCall, { messageIds, parts }: CallSubject): Frame {
    const request = {
      method,
      host: this.#host,
      path: this.#path,
      headers: { host: this.#host, ...USUAL_HEADERS, ...headers },
      body: body === null ? null : Buffer.from(body),
    }
    const { bytes, decoded } = captureRequest(request, this.#options.redactorOf(parts()))
    return { outgoing: true, bytes, decoded: { ...decoded, messageIds } }
  }

  #answered(exchanged: Exchanged, { parts }: CallSubject, beside: { milliseconds: number; isLate?: boolean }): Frame {
    const { places, redactorOf } = this.#options
    const redactor = redactorOf(parts())
    if (exchanged.kind !== 'answered') {
      const { kind, why } = exchanged
      const decoded = { failure: redactor.words(why), wasWritten: kind !== 'not_written', ...beside }
      return { outgoing: false, bytes: Buffer.alloc(0), decoded }
    }
    const { oddity, body } = exchanged
    const { bytes, decoded } = captureAnswer(exchanged, redactor)
    const json = body === null ? undefined : readJson(body)
    const read = captureRead({ json, form: NO_FIELDS, query: NO_FIELDS }, places, redactor)
    return { outgoing: false, bytes, decoded: { ...decoded, read, ...(oddity && { oddity }), ...beside } }
  }
}
