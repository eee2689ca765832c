// Messages as a table for a spreadsheet: as many as there are, a part at a time.
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Ports } from '../actions/ports.ts'
import { csvHead, csvLine } from '../domain/csv.ts'
import { Refusal, refuse } from '../domain/refusals.ts'
import { sendRefusal } from '../http/reply.ts'
import type { ZodTypeProvider } from '../http/validation.ts'
import { listMessages } from '../store/messages.ts'
import type { Page } from '../store/workspaces.ts'
import { callerOf, dbOf, findAskedWorkspace } from './authenticate.ts'
import { endpointsOf } from './endpoint.ts'
import { byId } from './fields.ts'
import { messageFilters, readFilter } from './message-filter.ts'
import { type MessageAnswer, messageView } from './message-view.ts'
import { beginStream, writeWhole } from './stream.ts'

const MOST_ROWS = 1_000_000
const AT_ONCE = 1_000
/** In each process: they share the connections of everybody who belongs to a workspace. */
const MOST_EXPORTS = 2
/** Who reads nothing for so long does not want it any more. */
const PATIENCE_MS = 60_000

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
  .describe('Times are in UTC. What could be taken for a formula begins with an apostrophe.')
  .meta({ title: 'MessageTable', mediaType: 'text/csv' })

const exporting = endpointsOf('Messages')(
  { roles: ['operator', 'owner', 'developer', 'viewer'], scope: 'workspace' },
  {
    operationId: 'exportMessages',
    summary: 'Export messages as CSV',
    description: `Newest first, with the filters of the list; the first ${MOST_ROWS} of them. Of one workspace one export at a time.`,
    params: byId,
    querystring: messageFilters,
    response: { 200: table },
  },
)

const BUSY = refuse('rate_limited', {
  error: 'An export of this workspace is under way, or several of others',
  retryAfterSeconds: 10,
})

export function mountMessageExport(server: FastifyInstance, ports: Ports, leaving: AbortSignal): void {
  const app = server.withTypeProvider<ZodTypeProvider>()
  const underWay = new Set<string>()

  app.get('/workspaces/:id/messages.csv', { ...exporting, exposeHeadRoute: false }, async (request, reply) => {
    const workspace = await findAskedWorkspace(ports, request)
    if (!workspace) return sendRefusal(reply, refuse('not_found'))
    const { actor } = callerOf(request)
    const filter = readFilter(request.query, { workspace, actor })
    if (filter instanceof Refusal) return sendRefusal(reply, filter)
    if (underWay.has(workspace.id) || underWay.size >= MOST_EXPORTS) return sendRefusal(reply, BUSY)
    const day = ports.clock.now().toISOString().slice(0, 10)
    const stream = beginStream(reply, {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="messages-${day}.csv"`,
    })
    const db = dbOf(ports, request)
    const rows = filter === null ? [] : pages((page) => listMessages(db, { ...filter, ...page }))
    const write = async () => {
      await writeWhole(stream, csvHead(COLUMNS), PATIENCE_MS)
      for await (const some of rows) {
        const lines = some.map((message) => csvLine(cellsOf(messageView(message, actor))))
        const isRead = await writeWhole(stream, lines.join(''), PATIENCE_MS)
        if (!isRead || leaving.aborted) throw new Error('nobody reads the export any more')
      }
      stream.end()
    }
    underWay.add(workspace.id)
    // Broken off, it has no end, so that nobody takes a part for the whole.
    void write()
      .catch((fault) => {
        request.log.debug({ err: fault, requestId: request.id }, 'an export was broken off')
        stream.destroy()
      })
      .finally(() => underWay.delete(workspace.id))
  })
}

/** Between two parts it rests as long as the last one took: whoever else asks comes first. */
async function* pages(list: (page: Page) => ReturnType<typeof listMessages>) {
  let before: string | null = null
  for (let count = 0; count < MOST_ROWS; ) {
    const beganAt = performance.now()
    const { rows, lookedTo }: Awaited<ReturnType<typeof list>> = await list({ before, limit: AT_ONCE })
    const tookMs = performance.now() - beganAt
    count += rows.length
    yield rows
    before = rows.length === AT_ONCE ? (rows.at(-1)?.id ?? null) : lookedTo
    if (before === null) return
    await sleep(tookMs)
  }
}

function cellsOf(message: MessageAnswer) {
  return COLUMNS.map((column) => message[column])
}
