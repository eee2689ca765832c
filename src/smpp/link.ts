// A connected socket as a stream of frames both ways: knows framing and back-pressure, nothing of commands.
import type { Socket } from 'node:net'
import { FrameReader, UnrecoverableFrameError } from './frame-reader.ts'

type LinkEvents = {
  frame(frame: Buffer): void
  /** Bytes are on their way to the peer. */
  wrote(bytes: Buffer): void
  /** The socket takes bytes again after it was congested. */
  relieved(): void
  /** The peer's bytes cannot be followed any more; nothing further will be read. */
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
    // Buffers, since nobody has set an encoding.
    socket.on('data', (chunk) => this.#receive(chunk as Buffer))
    socket.on('drain', () => this.#relieve())
    socket.on('error', (error) => {
      this.#error = error
    })
    socket.on('close', () => this.#closed())
  }

  /** Whether the socket has more bytes than it can send: whoever can wait with his own, should. */
  get isCongested(): boolean {
    return this.#isCongested
  }

  /** Whether bytes written now have any way to the peer. */
  get isOpen(): boolean {
    return !this.#isEnded && this.#socket.writable
  }

  /** Hands bytes to the socket; `flushed` is called when they have left this process, or never will. */
  write(bytes: Buffer, flushed?: () => void): void {
    if (!this.isOpen) {
      flushed?.()
      return
    }
    this.#corkForThisTick()
    this.#events.wrote(bytes)
    this.#isCongested = !this.#socket.write(bytes, flushed)
  }

  /** Holds the peer back, if it is still there: what was read already waits here, the rest in its own socket. */
  pause(): void {
    if (!this.#isReading || !this.isOpen) return
    this.#isReading = false
    this.#socket.pause()
  }

  resume(): void {
    if (this.#isReading || this.#isEnded) return
    this.#isReading = true
    this.#socket.resume()
    this.#handOver()
  }

  /** Sends what was written and then the end of the stream; a peer that does not close in return is cut off. */
  end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    // The peer's own end is only seen by reading on.
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
    this.#handOver()
  }

  #handOver(): void {
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

  // Everything written in one turn leaves in one system call.
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
    // Answers that were read before the end, but held back by a pause, still count.
    this.#isReading = true
    this.#handOver()
    this.#isEnded = true
    this.#events.closed(this.#error)
  }
}
