// Records the HTTP calls to one carrier for captures (D60).
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
import type { ConnectionEvents, ConnectionFrame } from '../connection.ts'
import { DEFAULT_HEADERS } from './caller.ts'
import type { CallResult } from './exchange.ts'

interface CallCaptureOptions {
  url: string
  auth: HttpAuth | null
  /** The fields that the description reads from a response. */
  places: ReadPlaces
  redactorOf: RedactorOf
  onFrame: ConnectionEvents['onFrame']
}

interface CallSubject {
  messageIds: string[]
  parts: () => PrivateParts
}

type Frame = Omit<ConnectionFrame, 'exchange'>

const NO_FIELDS = new URLSearchParams()

export class CallCapture {
  readonly #options: CallCaptureOptions
  readonly #host: string
  readonly #path: string
  #count = 0

  constructor(options: CallCaptureOptions) {
    this.#options = options
    this.#host = new URL(partsOf(options.url).origin).host
    this.#path = describedPath(options.url, options.auth)
  }

  /** Starts the record of one call; the exchange calls the returned functions. */
  begin(call: HttpCall, subject: CallSubject) {
    const exchange = ++this.#count
    const since = performance.now()
    const record = (read: () => Frame) => this.#options.onFrame?.(() => ({ exchange, ...read() }))
    const settled = (result: CallResult, isLate: boolean) => {
      const timing = { milliseconds: Math.round(performance.now() - since), ...(isLate && { isLate }) }
      record(() => this.#responseFrame(result, subject, timing))
    }
    return {
      written: () => record(() => this.#requestFrame(call, subject)),
      settled: (result: CallResult) => settled(result, false),
      late: (result: CallResult) => settled(result, true),
    }
  }

  #requestFrame({ method, headers, body }: HttpCall, { messageIds, parts }: CallSubject): Frame {
    const request = {
      method,
      host: this.#host,
      path: this.#path,
      headers: { host: this.#host, ...DEFAULT_HEADERS, ...headers },
      body: body === null ? null : Buffer.from(body),
    }
    const { bytes, decoded } = captureRequest(request, this.#options.redactorOf(parts()))
    return { outgoing: true, bytes, decoded: { ...decoded, messageIds } }
  }

  #responseFrame(
    result: CallResult,
    { parts }: CallSubject,
    timing: { milliseconds: number; isLate?: boolean },
  ): Frame {
    const { places, redactorOf } = this.#options
    const redactor = redactorOf(parts())
    if (result.kind !== 'answered') {
      const { kind, why } = result
      const decoded = { failure: redactor.words(why), wasWritten: kind !== 'not_written', ...timing }
      return { outgoing: false, bytes: Buffer.alloc(0), decoded }
    }
    const { oddity, body } = result
    const { bytes, decoded } = captureAnswer(result, redactor)
    const json = body === null ? undefined : readJson(body)
    const read = captureRead({ json, form: NO_FIELDS, query: NO_FIELDS }, places, redactor)
    return { outgoing: false, bytes, decoded: { ...decoded, read, ...(oddity && { oddity }), ...timing } }
  }
}
