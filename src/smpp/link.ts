// A socket as a stream of frames in both directions, with back-pressure.
import type { Socket } from 'node:net'
import { FrameReader, UnrecoverableFrameError } from './frame-reader.ts'

type LinkEvents = {
  frame(frame: Buffer): void
  /** Bytes were written to the socket. */
  wrote(bytes: Buffer): void
  /** The socket accepts bytes again after congestion. */
  relieved(): void
  /** The peer's bytes are invalid; nothing more is read. */
  garbled(error: UnrecoverableFrameError): void
  closed(error: Error | undefined): void
}

type LinkOptions = { maxFrameBytes: number; lingerMs: number }

export class SmppLink {
  readonly #socket: Socket
  readonly #events: LinkEvents
  readonly #lingerMs: number
  readonly #frames: FrameReader
  #isReading = true
  #isCongested = false
  #isCorked = false
  #isEnded = false
  #lingering: NodeJS.Timeout | undefined
  #error: Error | undefined

  constructor(socket: Socket, options: LinkOptions, events: LinkEvents) {
    this.#socket = socket
    this.#events = events
    this.#lingerMs = options.lingerMs
    this.#frames = new FrameReader(options.maxFrameBytes)
    socket.setNoDelay(true)
    // Without an encoding, chunks are Buffers.
    socket.on('data', (chunk) => this.#receive(chunk as Buffer))
    socket.on('drain', () => this.#relieve())
    socket.on('error', (error) => {
      this.#error = error
    })
    socket.on('close', () => this.#closed())
  }

  /** Whether the socket's buffer is full; new requests should wait. */
  get isCongested(): boolean {
    return this.#isCongested
  }

  /** Whether bytes can still be written. */
  get isOpen(): boolean {
    return !this.#isEnded && this.#socket.writable
  }

  /** Writes bytes; `flushed` is called when they are sent or dropped. */
  write(bytes: Buffer, flushed?: () => void): void {
    if (!this.isOpen) {
      flushed?.()
      return
    }
    this.#corkForThisTick()
    this.#events.wrote(bytes)
    this.#isCongested = !this.#socket.write(bytes, flushed)
  }

  /** Stops reading, if the link is open. */
  pause(): void {
    if (!this.#isReading || !this.isOpen) return
    this.#isReading = false
    this.#socket.pause()
  }

  resume(): void {
    if (this.#isReading || this.#isEnded) return
    this.#isReading = true
    this.#socket.resume()
    this.#emitFrames()
  }

  /** Flushes, then closes this side; the socket is destroyed if the peer does not close its side. */
  end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    // Reading must continue to see the peer's end.
    this.#socket.resume()
    this.#socket.end()
    if (!this.#socket.destroyed) this.#lingering = setTimeout(() => this.#socket.destroy(), this.#lingerMs)
  }

  destroy(): void {
    this.#isEnded = true
    this.#socket.destroy()
  }

  #receive(chunk: Buffer): void {
    if (this.#isEnded) return
    this.#frames.append(chunk)
    this.#emitFrames()
  }

  #emitFrames(): void {
    try {
      while (this.#isReading && !this.#isEnded) {
        const frame = this.#frames.next()
        if (frame === undefined) return
        this.#events.frame(frame)
      }
    } catch (error) {
      if (!(error instanceof UnrecoverableFrameError)) throw error
      this.#events.garbled(error)
    }
  }

  #relieve(): void {
    this.#isCongested = false
    this.#events.relieved()
  }

  // All writes of one tick are sent in one system call.
  #corkForThisTick(): void {
    if (this.#isCorked) return
    this.#isCorked = true
    this.#socket.cork()
    process.nextTick(() => {
      this.#isCorked = false
      this.#socket.uncork()
    })
  }

  #closed(): void {
    clearTimeout(this.#lingering)
    // Responses that were read before the end but held by a pause still count.
    this.#isReading = true
    this.#emitFrames()
    this.#isEnded = true
    this.#events.closed(this.#error)
  }
}
