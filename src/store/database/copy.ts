// COPY in text format, which is the same for every server from PostgreSQL 15 on. The driver has the messages, but no streams.
import type { Socket } from 'node:net'
import pg from 'pg'
import { RowTally, type Tally } from '../../domain/service/row-tally.ts'

/** Takes rows, each with its line break. A piece has whole rows. */
export type WriteRows = (piece: Buffer) => Promise<void>

/** Sends all rows of a table to `write`. */
export type RowSource = (write: WriteRows) => Promise<void>

/** The methods of pg's connection; most are missing in its types. */
interface Wire {
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(reason: string): void
  readonly stream: Socket
}

/** pg accepts only subclasses of its own query. */
const PgQuery = pg.Query as unknown as new (text: string) => object

const PIECE_BYTES = 1 << 20

/** `copy … to stdout`: passes the rows on in pieces, and reads no further while a piece is being written. */
export class CopyOut extends PgQuery {
  readonly #text: string
  readonly #write: WriteRows
  readonly #tally = new RowTally()
  readonly #done = Promise.withResolvers<Tally>()
  #rows: Buffer[] = []
  #bytes = 0
  #isWriting = false
  #isComplete = false

  constructor(text: string, write: WriteRows) {
    super('')
    this.#text = text
    this.#write = write
  }

  get done(): Promise<Tally> {
    return this.#done.promise
  }

  // pg calls the following methods.

  submit(connection: pg.Connection): null {
    ;(connection as unknown as Wire).query(this.#text)
    return null
  }

  /** The server sends one row per message. The parser uses its buffer again, so the row is copied. */
  handleCopyData({ chunk }: { chunk: Buffer }, wire: Wire): void {
    this.#tally.add(chunk)
    this.#rows.push(Buffer.from(chunk))
    this.#bytes += chunk.length
    if (this.#bytes >= PIECE_BYTES) this.#startPass(wire)
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(wire: Wire): void {
    this.#isComplete = true
    this.#startPass(wire)
  }

  handleError(error: unknown): void {
    this.#done.reject(error)
  }

  #startPass(wire: Wire): void {
    if (this.#isWriting) return
    this.#isWriting = true
    wire.stream.pause()
    this.#pass()
      .catch((error) => {
        this.#done.reject(error)
        // The rest of the rows has no reader.
        wire.stream.destroy()
      })
      .finally(() => {
        this.#isWriting = false
        wire.stream.resume()
      })
  }

  async #pass(): Promise<void> {
    while (this.#bytes >= PIECE_BYTES || (this.#isComplete && this.#bytes > 0)) {
      const piece = Buffer.concat(this.#rows)
      this.#rows = []
      this.#bytes = 0
      await this.#write(piece)
    }
    if (this.#isComplete) this.#done.resolve(this.#tally.total())
  }
}

/** `copy … from stdin`: asks `rows` for the rows, as fast as the server takes them. */
export class CopyIn extends PgQuery {
  readonly #text: string
  readonly #rows: RowSource
  readonly #done = Promise.withResolvers<void>()
  #error: unknown = null

  constructor(text: string, rows: RowSource) {
    super('')
    this.#text = text
    this.#rows = rows
  }

  get done(): Promise<void> {
    return this.#done.promise
  }

  // pg calls the following methods.

  submit(connection: pg.Connection): null {
    ;(connection as unknown as Wire).query(this.#text)
    return null
  }

  handleCopyInResponse(wire: Wire): void {
    this.#feed(wire).catch((error) => {
      if (this.#error !== null) return
      this.#error = error
      wire.sendCopyFail('the source of the rows failed')
    })
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#done.resolve()
  }

  /** Also after `sendCopyFail`: then the reason is the error of the source. */
  handleError(error: unknown): void {
    this.#error ??= error
    this.#done.reject(this.#error)
  }

  async #feed(wire: Wire): Promise<void> {
    await this.#rows(async (piece) => {
      if (this.#error !== null) throw this.#error
      wire.sendCopyFromChunk(piece)
      await drained(wire.stream)
    })
    if (this.#error === null) wire.endCopyFrom()
  }
}

/** Resolves also when the connection closes: `handleError` follows. */
function drained(stream: Socket): Promise<void> {
  if (!stream.writableNeedDrain || stream.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const settle = () => {
      stream.off('drain', settle)
      stream.off('close', settle)
      resolve()
    }
    stream.on('drain', settle)
    stream.on('close', settle)
  })
}
