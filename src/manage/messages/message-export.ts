// Exports messages as CSV, page by page.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { recordNumberSearch, recordRevealedExport } from '../../actions/messages/reveal-message.ts'
import type { Ports } from '../../actions/ports.ts'
import { csvLine } from '../../domain/csv.ts'
import { Refusal } from '../../domain/refusals.ts'
import { sendRefusal } from '../../http/reply.ts'
import type { TypedServer } from '../../http/validation.ts'
import { type ListedMessage, listMessages } from '../../store/messages/messages.ts'
import type { Page } from '../../store/pages.ts'
import { callerOf, dbOf, loadWorkspace } from '../authenticate.ts'
import { DEVELOPERS, endpointsOf, fresh, VIEWERS } from '../endpoint.ts'
import { EXPORT_LIMITS, type ExportLane, pagesOf } from '../export-lane.ts'
import { byId } from '../fields.ts'
import { messageFilters, readFilter } from './message-filter.ts'
import { CSV_COLUMNS, csvCells, messageTable } from './message-table.ts'
import { messageView } from './message-view.ts'

const MAX_ROWS = 1_000_000
const AT_ONCE = 1_000

const endpoint = endpointsOf('Messages')
const contract = { params: byId, querystring: messageFilters, response: { 200: messageTable } }
const exporting = endpoint(VIEWERS, {
  operationId: 'exportMessages',
  summary: 'Export messages as CSV',
  description: `Newest first, with the filters of the list, up to ${MAX_ROWS} rows. People get masked numbers. ${EXPORT_LIMITS}`,
  ...contract,
})
const exportingRevealed = endpoint(fresh(DEVELOPERS), {
  operationId: 'exportRevealedMessages',
  summary: 'Export messages with full numbers',
  description:
    'Like the export of messages, with full numbers for people too. Each export is recorded in the audit log.',
  ...contract,
})

type ExportRequest = FastifyRequest<{ Params: { id: string }; Querystring: z.infer<typeof messageFilters> }>

export function mountMessageExport(app: TypedServer, ports: Ports, lane: ExportLane): void {
  const exportTo = async (reply: FastifyReply, request: ExportRequest, isRevealed: boolean) => {
    const workspace = await loadWorkspace(ports, request)
    const caller = callerOf(request)
    const { actor } = caller
    const db = dbOf(ports, request)
    const filter = await readFilter(db, request.query, { workspace, actor, now: ports.clock.now() })
    if (filter instanceof Refusal) return sendRefusal(reply, filter)
    if (filter) await recordNumberSearch(ports, caller, filter)
    // A role without a person gets full numbers.
    const viewer = isRevealed ? { kind: actor.kind } : actor
    const lineOf = (message: ListedMessage) => csvLine(csvCells(messageView(message, viewer)))
    return lane.send(request, reply, {
      name: `messages-${ports.clock.now().toISOString().slice(0, 10)}`,
      columns: CSV_COLUMNS,
      pages: async function* (inTurn) {
        if (filter === null) return
        for await (const rows of messagePages((page) => inTurn((db) => listMessages(db, { ...filter, ...page }))))
          yield rows.map(lineOf).join('')
      },
      ...(isRevealed && { before: () => recordRevealedExport(ports, caller, workspace.id) }),
    })
  }

  const options = { exposeHeadRoute: false }
  app.get('/workspaces/:id/messages.csv', { ...exporting, ...options }, (request, reply) =>
    exportTo(reply, request, false),
  )
  app.get('/workspaces/:id/messages-revealed.csv', { ...exportingRevealed, ...options }, (request, reply) =>
    exportTo(reply, request, true),
  )
}

function messagePages(list: (page: Page) => ReturnType<typeof listMessages>) {
  let count = 0
  return pagesOf(async (before) => {
    const { rows, scannedTo } = await list({ before, limit: AT_ONCE })
    count += rows.length
    const next = rows.length === AT_ONCE ? (rows.at(-1)?.id ?? null) : scannedTo
    return { rows, next: count < MAX_ROWS ? next : null }
  })
}
