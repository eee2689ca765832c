// One HTTP call and its result. Whether a message may be resent (D15) depends on whether its first byte was sent, which only this file sees.
import type { Dispatcher } from 'undici'
import { decompress, MAX_CONTENT_BYTES } from '../../domain/carriers/http/content.ts'
import { describeConnectionFailure } from '../../outbound/connection-failure.ts'

export type CallResult =
  | ({ kind: 'answered'; body: Buffer | null; oddity: string | null } & Head)
  /** No byte was sent, and none will be. */
  | { kind: 'not_written'; why: string }
  /** At least a part was sent, and no complete response arrived. */
  | { kind: 'unknown'; cause: 'no_answer' | 'link_lost'; why: string }

interface Head {
  status: number
  headers: Record<string, string | string[] | undefined>
  retryAfter: string | null
}

export interface ExchangeOptions {
  limitMs: number
  /** How much longer a late response is accepted. */
  lateMs: number
  /** Called at most once, when the first byte is sent. */
  written: () => void
  settle: (result: CallResult) => void
  /** Called at most once, with a response after an unknown outcome. */
  onLateResult: (result: CallResult) => void
  /** Called when the connection is free. */
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
  /** Copied into one buffer: one-byte chunks kept separately would use hundreds of times the response limit (D50). */
  #body: Buffer = Buffer.alloc(0)
  #bytes = 0

  constructor(options: ExchangeOptions) {
    this.#options = options
    this.#timer = setTimeout(() => this.#onLimit(), options.limitMs)
  }

  /** The result is unknown, and the response may still arrive. */
  get isLate(): boolean {
    return this.#isSettled && !this.#isOver
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // Connected too late: a call that counts as not written must not be written.
    if (this.#isOver) controller.abort(new Error('the call has ended'))
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
    if (status < 200) return // Ignores interim responses.
    const retryAfter = headers['retry-after']
    this.#head = { status, headers, retryAfter: typeof retryAfter === 'string' ? retryAfter : null }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#bytes + chunk.length <= MAX_CONTENT_BYTES) return void this.#keep(chunk)
    this.#answer(null, 'response larger than 1 MB')
    controller.abort(new Error('response too large'))
  }

  onResponseEnd(): void {
    const body = decompress(this.#body.subarray(0, this.#bytes), this.#head?.headers['content-encoding'])
    this.#answer(body, body === null ? 'response cannot be decompressed or is larger than 1 MB' : null)
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const why = describeConnectionFailure(error)
    // A status without its body may still be enough to decide.
    if (this.#head) this.#answer(null, `response incomplete: ${why}`)
    else this.#end(this.#isWritten ? { kind: 'unknown', cause: 'link_lost', why } : { kind: 'not_written', why })
  }

  /** Ends the call without waiting for a response. */
  abandon(why: string): void {
    this.#end(this.#isWritten ? { kind: 'unknown', cause: 'link_lost', why } : { kind: 'not_written', why })
    this.#controller?.abort(new Error(why))
  }

  #onLimit(): void {
    const why = `no response within ${this.#options.limitMs / 1000} s`
    if (this.#isWritten) {
      this.#settle({ kind: 'unknown', cause: 'no_answer', why })
      this.#timer = setTimeout(() => this.abandon(why), this.#options.lateMs)
    } else this.#end({ kind: 'not_written', why: 'connection timed out' })
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
    else this.#end({ kind: 'unknown', cause: 'link_lost', why: 'response without a status' })
  }

  #end(result: CallResult): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    if (!this.#isSettled) this.#settle(result)
    else if (result.kind === 'answered') this.#options.onLateResult(result)
    this.#options.over()
  }

  #settle(result: CallResult): void {
    this.#isSettled = true
    this.#options.settle(result)
  }
}
