// One call on the wire, and how it came out: an answer, nothing, or never written. What decides about sending again (D15) is whether the
// first byte of it left us; that is known here, and nowhere else.
import type { Dispatcher } from 'undici'
import { decompress, MAX_CONTENT_BYTES } from '../../domain/carriers/http/content.ts'
import { describeConnectionFailure } from '../../outbound/connection-failure.ts'

export type Exchanged =
  | ({ kind: 'answered'; body: Buffer | null; oddity: string | null } & Head)
  /** Nothing of it was written, and nothing of it will be. */
  | { kind: 'not_written'; why: string }
  /** It was written, at least in part; no whole answer came. */
  | { kind: 'unknown'; cause: 'no_answer' | 'link_lost'; why: string }

interface Head {
  status: number
  headers: Record<string, string | string[] | undefined>
  retryAfter: string | null
}

export interface ExchangeOptions {
  limitMs: number
  /** For so long after that an answer is still listened for. */
  lateMs: number
  /** Called at most once, when the first byte of it leaves us. */
  written: () => void
  /** Called once. */
  settle: (exchanged: Exchanged) => void
  /** Called at most once, after an outcome of unknown, with the answer that came after all. */
  hearLate: (exchanged: Exchanged) => void
  /** The wire is done with. */
  over: () => void
}

export class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions
  #timer: NodeJS.Timeout
  #controller: Dispatcher.DispatchController | undefined
  #isWritten = false
  #isSettled = false
  #isOver = false
  #head: Head | undefined
  /** Copied as it comes: pieces of a byte each, kept as they are, would take hundreds of times the room that an answer may have (D50). */
  #body: Buffer = Buffer.alloc(0)
  #bytes = 0

  constructor(options: ExchangeOptions) {
    this.#options = options
    this.#timer = setTimeout(() => this.#onLimit(), options.limitMs)
  }

  /** It was settled as unknown, and its answer may still come. */
  get isLate(): boolean {
    return this.#isSettled && !this.#isOver
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // Dialled too late: what is counted as not written must not be written after all.
    if (this.#isOver) controller.abort(new Error('the call is over'))
    else {
      this.#isWritten = true
      this.#options.written()
    }
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return // An interim answer decides nothing.
    const retryAfter = headers['retry-after']
    this.#head = { status, headers, retryAfter: typeof retryAfter === 'string' ? retryAfter : null }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#bytes + chunk.length <= MAX_CONTENT_BYTES) return void this.#keep(chunk)
    this.#answer(null, 'the answer is larger than 1 MB')
    controller.abort(new Error('the answer is too large'))
  }

  onResponseEnd(): void {
    const body = decompress(this.#body.subarray(0, this.#bytes), this.#head?.headers['content-encoding'])
    this.#answer(body, body === null ? 'the answer cannot be decompressed, or is larger than 1 MB' : null)
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const why = describeConnectionFailure(error)
    // A status that came is worth something without its body; whether it is enough, its reader decides.
    if (this.#head) this.#answer(null, `the answer was cut off: ${why}`)
    else this.#end(this.#isWritten ? { kind: 'unknown', cause: 'link_lost', why } : { kind: 'not_written', why })
  }

  /** Waits for nobody any more. */
  giveUp(why: string): void {
    this.#end(this.#isWritten ? { kind: 'unknown', cause: 'link_lost', why } : { kind: 'not_written', why })
    this.#controller?.abort(new Error(why))
  }

  #onLimit(): void {
    const why = `no answer within ${this.#options.limitMs / 1000} s`
    if (this.#isWritten) {
      this.#settle({ kind: 'unknown', cause: 'no_answer', why })
      this.#timer = setTimeout(() => this.giveUp(why), this.#options.lateMs)
    } else this.#end({ kind: 'not_written', why: 'it could not be dialled in time' })
  }

  #keep(chunk: Buffer): void {
    const bytes = this.#bytes + chunk.length
    if (bytes > this.#body.length) {
      const larger = Buffer.alloc(Math.min(MAX_CONTENT_BYTES, Math.max(bytes, 2 * this.#body.length)))
      this.#body.copy(larger, 0, 0, this.#bytes)
      this.#body = larger
    }
    chunk.copy(this.#body, this.#bytes)
    this.#bytes = bytes
  }

  #answer(body: Buffer | null, oddity: string | null): void {
    if (this.#head) this.#end({ kind: 'answered', ...this.#head, body, oddity })
    else this.#end({ kind: 'unknown', cause: 'link_lost', why: 'the answer has no status' })
  }

  #end(exchanged: Exchanged): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    if (!this.#isSettled) this.#settle(exchanged)
    else if (exchanged.kind === 'answered') this.#options.hearLate(exchanged)
    this.#options.over()
  }

  #settle(exchanged: Exchanged): void {
    this.#isSettled = true
    this.#options.settle(exchanged)
  }
}
