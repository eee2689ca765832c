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
  /** Bytes of this tick, and whom to call when they are sent or dropped. */
  #gathered: Buffer[] = []
  #gatheredBytes = 0
  #awaiting: (() => void)[] = []
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
    if (this.#gathered.length === 0) process.nextTick(() => this.#flush())
    this.#events.wrote(bytes)
    this.#gathered.push(bytes)
    this.#gatheredBytes += bytes.length
    if (flushed) this.#awaiting.push(flushed)
    this.#isCongested = this.#gatheredBytes + this.#socket.writableLength >= this.#socket.writableHighWaterMark
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
    this.#flush()
    this.#isEnded = true
    // Reading must continue to see the peer's end.
    this.#socket.resume()
    this.#socket.end()
    if (!this.#socket.destroyed) this.#lingering = setTimeout(() => this.#socket.destroy(), this.#lingerMs)
  }

  destroy(): void {
    this.#isEnded = true
    this.#socket.destroy()
    this.#flush()
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

  /** All writes of one tick are one buffer and one system call. */
  #flush(): void {
    if (this.#gathered.length === 0) return
    const bytes = Buffer.concat(this.#gathered, this.#gatheredBytes)
    const awaiting = this.#awaiting
    this.#gathered = []
    this.#gatheredBytes = 0
    this.#awaiting = []
    const flushed = () => {
      for (const each of awaiting) each()
    }
    if (!this.#socket.writable) {
      flushed()
      return
    }
    const hasRoom = this.#socket.write(bytes, awaiting.length > 0 ? flushed : undefined)
    if (hasRoom && this.#isCongested) this.#relieve()
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
