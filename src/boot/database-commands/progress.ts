// Prints the progress of a copy once a second.
import type { WriteRows } from '../../store/database/copy.ts'

const LINE_MS = 1000

export class Progress {
  readonly #note: (line: string) => void
  readonly #startedAt = performance.now()
  #printedAt = performance.now()
  #bytes = 0

  constructor(note: (line: string) => void) {
    this.#note = note
  }

  add(table: string, bytes: number): void {
    this.#bytes += bytes
    const now = performance.now()
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
    return Math.round((performance.now() - this.#startedAt) / 100) / 10
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
