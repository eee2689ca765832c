// CSV exports: one at a time for each workspace and one for the operator, read page by page at the speed of the reader (D43).
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Ports } from '../actions/ports.ts'
import { csvHead } from '../domain/csv.ts'
import { onlyWorkspace } from '../domain/people/actor.ts'
import { refuse } from '../domain/refusals.ts'
import { sendRefusal } from '../http/reply.ts'
import { Turns } from '../runtime/turns.ts'
import type { Db } from '../store/database/db.ts'
import { callerOf, dbOf, type IsStillAllowed } from './authenticate.ts'
import { beginStream, PacedWriter } from './stream.ts'

/** Per process. Each export has one page in memory. */
const MAX_EXPORTS = 100
const PACE = { graceMs: 10_000, bytesPerSecond: 32 * 1024, maxMs: 30 * 60_000 }

export const EXPORT_LIMITS = `One export at a time for each workspace, and one for the operator. An export is aborted if the reader is slower than ${PACE.bytesPerSecond / 1024} KiB per second, or after ${PACE.maxMs / 60_000} minutes.`

const BUSY = refuse('rate_limited', {
  error: 'Another export is in progress; retry when it has ended',
  retryAfterSeconds: 10,
})

/** Takes its turn for one query of an export. */
export type InTurn = <Result>(read: (db: Db) => Promise<Result>) => Promise<Result>

interface ExportFile {
  name: string
  columns: readonly string[]
  /** Lines of CSV, page by page. */
  pages: (inTurn: InTurn) => AsyncIterable<string>
  /** Runs before the first byte. */
  before?: () => Promise<void>
}

export class ExportLane {
  readonly #ports: Ports
  readonly #leaving: AbortSignal
  readonly #isStillAllowed: IsStillAllowed
  readonly #pace: typeof PACE
  readonly #places = new Set<string>()
  readonly #turns = new Turns()

  constructor(
    ports: Ports,
    {
      leaving,
      isStillAllowed,
      maxMs = PACE.maxMs,
    }: { leaving: AbortSignal; isStillAllowed: IsStillAllowed; maxMs?: number },
  ) {
    this.#ports = ports
    this.#leaving = leaving
    this.#isStillAllowed = isStillAllowed
    this.#pace = { ...PACE, maxMs }
  }

  /** Ends with the first byte; the rest is written in the background. */
  async send(request: FastifyRequest, reply: FastifyReply, file: ExportFile): Promise<FastifyReply | undefined> {
    // D43: a slow reader occupies a place of its own workspace only.
    const place = onlyWorkspace(callerOf(request).actor) ?? 'operator'
    if (this.#places.has(place) || this.#places.size >= MAX_EXPORTS) return sendRefusal(reply, BUSY)
    this.#places.add(place)
    try {
      await file.before?.()
    } catch (error) {
      this.#places.delete(place)
      throw error
    }
    const stream = beginStream(reply, {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${file.name}.csv"`,
    })
    const db = dbOf(this.#ports, request)
    // One page at a time, because exports share the connections of all workspaces.
    const inTurn: InTurn = (read) => (place === 'operator' ? read(db) : this.#turns.run('exports', () => read(db)))
    // An aborted export ends without the final chunk, so that the reader detects the missing part.
    void this.#write(request, new PacedWriter(stream, this.#pace), { ...file, inTurn })
      .then(() => stream.end())
      .catch((error) => {
        request.log.debug({ err: error, requestId: request.id }, 'export aborted')
        stream.destroy()
      })
      .finally(() => this.#places.delete(place))
    return undefined
  }

  async #write(
    request: FastifyRequest,
    writer: PacedWriter,
    { columns, pages, inTurn }: ExportFile & { inTurn: InTurn },
  ): Promise<void> {
    await writer.write(csvHead(columns))
    for await (const lines of pages(inTurn)) {
      const isRead = await writer.write(lines)
      if (!isRead || this.#leaving.aborted) throw new Error('the reader is gone or too slow, or the process stops')
      if (!(await this.#isStillAllowed(request))) throw new Error('the reader has lost access')
    }
  }
}

/** Pauses between two pages as long as the last query took, so that other queries come first. `read` returns the next key, or null. */
export async function* pagesOf<Row>(
  read: (key: string | null) => Promise<{ rows: Row[]; next: string | null }>,
): AsyncGenerator<Row[]> {
  for (let key: string | null = null; ; ) {
    const beganAt = performance.now()
    const { rows, next }: { rows: Row[]; next: string | null } = await read(key)
    const tookMs = performance.now() - beganAt
    yield rows
    if (next === null) return
    key = next
    await sleep(tookMs)
  }
}
