// Exports messages as CSV, page by page.
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { recordNumberSearch } from '../../actions/messages/reveal-message.ts'
import type { Ports } from '../../actions/ports.ts'
import { csvHead, csvLine } from '../../domain/csv.ts'
import { onlyWorkspace } from '../../domain/people/actor.ts'
import { Refusal, refuse } from '../../domain/refusals.ts'
import { sendRefusal } from '../../http/reply.ts'
import type { TypedServer } from '../../http/validation.ts'
import { Turns } from '../../runtime/turns.ts'
import { listMessages } from '../../store/messages/messages.ts'
import type { Page } from '../../store/pages.ts'
import { callerOf, dbOf, type IsStillAllowed, loadWorkspace } from '../authenticate.ts'
import { endpointsOf, VIEWERS } from '../endpoint.ts'
import { byId } from '../fields.ts'
import { beginStream, PacedWriter } from '../stream.ts'
import { messageFilters, readFilter } from './message-filter.ts'
import { type MessageAnswer, messageView } from './message-view.ts'

const MAX_ROWS = 1_000_000
const AT_ONCE = 1_000
/** Per process. Each export has one page in memory. */
const MAX_EXPORTS = 100
const PACE = { graceMs: 10_000, bytesPerSecond: 32 * 1024, maxMs: 30 * 60_000 }

const COLUMNS = [
  'id',
  'createdAt',
  'clientId',
  'to',
  'from',
  'type',
  'status',
  'error',
  'encoding',
  'segments',
  'cost',
  'charged',
  'attempts',
  'submittedAt',
  'sentAt',
  'deliveredAt',
  'failedAt',
  'text',
] as const satisfies (keyof MessageAnswer)[]

const table = z
  .string()
  .describe('Times are in UTC. A cell that looks like a formula begins with an apostrophe.')
  .meta({ title: 'MessageTable', mediaType: 'text/csv' })

const exporting = endpointsOf('Messages')(VIEWERS, {
  operationId: 'exportMessages',
  summary: 'Export messages as CSV',
  description: `Newest first, with the filters of the list, up to ${MAX_ROWS} rows. One export at a time for each workspace, and one for the operator. An export is aborted if the reader is slower than ${PACE.bytesPerSecond / 1024} KiB per second, or after ${PACE.maxMs / 60_000} minutes.`,
  params: byId,
  querystring: messageFilters,
  response: { 200: table },
})

const BUSY = refuse('rate_limited', {
  error: 'Another export is in progress; retry when it has ended',
  retryAfterSeconds: 10,
})

export function mountMessageExport(
  app: TypedServer,
  ports: Ports,
  { leaving, isStillAllowed }: { leaving: AbortSignal; isStillAllowed: IsStillAllowed },
): void {
  const places = new Set<string>()
  const turns = new Turns()

  app.get('/workspaces/:id/messages.csv', { ...exporting, exposeHeadRoute: false }, async (request, reply) => {
    const workspace = await loadWorkspace(ports, request)
    const { actor } = callerOf(request)
    const filter = readFilter(request.query, { workspace, actor })
    if (filter instanceof Refusal) return sendRefusal(reply, filter)
    if (filter) await recordNumberSearch(ports, callerOf(request), filter)
    // D43: a slow reader occupies a place of its own workspace only.
    const place = onlyWorkspace(actor) ?? 'operator'
    if (places.has(place) || places.size >= MAX_EXPORTS) return sendRefusal(reply, BUSY)
    const day = ports.clock.now().toISOString().slice(0, 10)
    const stream = beginStream(reply, {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="messages-${day}.csv"`,
    })
    const db = dbOf(ports, request)
    // One page at a time, because exports share the connections of all workspaces.
    const inTurn = (read: () => ReturnType<typeof listMessages>) =>
      place === 'operator' ? read() : turns.run('exports', read)
    const rows = filter === null ? [] : pages((page) => inTurn(() => listMessages(db, { ...filter, ...page })))
    const writer = new PacedWriter(stream, PACE)
    const write = async () => {
      await writer.write(csvHead(COLUMNS))
      for await (const some of rows) {
        const lines = some.map((message) => csvLine(cellsOf(messageView(message, actor))))
        const isRead = await writer.write(lines.join(''))
        if (!isRead || leaving.aborted) throw new Error('the reader is gone or too slow, or the process stops')
        if (!(await isStillAllowed(request))) throw new Error('the reader has lost access')
      }
      stream.end()
    }
    places.add(place)
    // An aborted export ends without the final chunk, so that the reader detects the missing part.
    void write()
      .catch((error) => {
        request.log.debug({ err: error, requestId: request.id }, 'export aborted')
        stream.destroy()
      })
      .finally(() => places.delete(place))
  })
}

/** Pauses between two pages as long as the last query took, so that other queries come first. */
async function* pages(list: (page: Page) => ReturnType<typeof listMessages>) {
  let before: string | null = null
  for (let count = 0; count < MAX_ROWS; ) {
    const beganAt = performance.now()
    const { rows, scannedTo }: Awaited<ReturnType<typeof list>> = await list({ before, limit: AT_ONCE })
    const tookMs = performance.now() - beganAt
    count += rows.length
    yield rows
    before = rows.length === AT_ONCE ? (rows.at(-1)?.id ?? null) : scannedTo
    if (before === null) return
    await sleep(tookMs)
  }
}

function cellsOf(message: MessageAnswer) {
  return COLUMNS.map((column) => message[column])
}
