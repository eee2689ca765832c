// Prints the progress of a copy once a second.
import type { Clock } from '../../runtime/clock.ts'
import type { WriteRows } from '../../store/database/copy.ts'

const LINE_MS = 1000

export class Progress {
  readonly #note: (line: string) => void
  readonly #clock: Clock
  readonly #startedAt: number
  #printedAt: number
  #bytes = 0

  constructor(note: (line: string) => void, clock: Clock) {
    this.#note = note
    this.#clock = clock
    this.#startedAt = clock.now().getTime()
    this.#printedAt = this.#startedAt
  }

  add(table: string, bytes: number): void {
    this.#bytes += bytes
    const now = this.#clock.now().getTime()
    if (now - this.#printedAt < LINE_MS) return
    this.#printedAt = now
    this.#note(
      `${table}: ${megabytes(this.#bytes)} so far, ${megabytes((this.#bytes * 1000) / (now - this.#startedAt))}/s`,
    )
  }

  /** Counts what passes, and stops at a signal. */
  through(table: string, { write, signal }: { write: WriteRows; signal: AbortSignal }): WriteRows {
    return (piece) => {
      signal.throwIfAborted()
      this.add(table, piece.length)
      return write(piece)
    }
  }

  /** With one decimal. */
  seconds(): number {
    return Math.round((this.#clock.now().getTime() - this.#startedAt) / 100) / 10
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
