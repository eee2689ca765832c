// Splits a byte stream into frames of one PDU each (SMPP 3.4 §3.2), independent of chunk boundaries.
import { HEADER_BYTES } from './codec.ts'

const LENGTH_BYTES = 4

/** The stream is invalid: send generic_nack and close the connection. */
export class UnrecoverableFrameError extends Error {
  override readonly name = 'UnrecoverableFrameError'
}

export class FrameReader {
  readonly #maxFrameBytes: number
  #current: Buffer = Buffer.alloc(0)
  #at = 0
  #later: Buffer[] = []
  #laterBytes = 0
  /** Chunks are joined only when a whole frame is there, so that slow bytes are not copied repeatedly. */
  #neededBytes = LENGTH_BYTES

  constructor(maxFrameBytes: number) {
    this.#maxFrameBytes = maxFrameBytes
  }

  append(chunk: Buffer): void {
    this.#later.push(chunk)
    this.#laterBytes += chunk.length
  }

  /** The next complete frame, or undefined until more bytes arrive. After UnrecoverableFrameError every call throws it again. */
  next(): Buffer | undefined {
    if (!this.#has(this.#neededBytes)) return undefined
    const length = this.#current.readUInt32BE(this.#at)
    if (length < HEADER_BYTES || length > this.#maxFrameBytes) {
      throw new UnrecoverableFrameError(
        `command_length ${length} is not between ${HEADER_BYTES} and ${this.#maxFrameBytes}`,
      )
    }
    this.#neededBytes = length
    if (!this.#has(length)) return undefined
    this.#neededBytes = LENGTH_BYTES
    this.#at += length
    return this.#current.subarray(this.#at - length, this.#at)
  }

  /** Returns whether that many bytes have arrived, and joins them in #current. */
  #has(bytes: number): boolean {
    const left = this.#current.length - this.#at
    if (left >= bytes) return true
    if (left + this.#laterBytes < bytes) return false
    this.#current = joined(this.#current.subarray(this.#at), this.#later)
    this.#at = 0
    this.#later = []
    this.#laterBytes = 0
    return true
  }
}

function joined(left: Buffer, later: Buffer[]): Buffer {
  const [only, ...more] = later
  return left.length === 0 && only && more.length === 0 ? only : Buffer.concat([left, ...later])
}
