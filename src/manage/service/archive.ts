// Streams the rows of a day as CSV, for an archive of data that is about to be deleted (D44, D78).
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import { recordArchive } from '../../actions/service/record-archive.ts'
import { csvHead, csvLine } from '../../domain/csv.ts'
import { DAY_MS } from '../../domain/durations.ts'
import { refuse, refuseField } from '../../domain/refusals.ts'
import { sendRefusal } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import { lowestIdOf, timeOfId } from '../../runtime/ids.ts'
import { ARCHIVED_TABLES, findOldest, listArchiveColumns, listArchived } from '../../store/service/archive.ts'
import { callerOf, dbOf, type IsStillAllowed } from '../authenticate.ts'
import { endpointsOf, fresh, OPERATORS } from '../endpoint.ts'
import { day, wholeListOf } from '../fields.ts'
import { beginStream, PacedWriter } from '../stream.ts'

const AT_ONCE = 1_000
const PACE = { graceMs: 10_000, bytesPerSecond: 32 * 1024, maxMs: 3600_000 }

const table = z.enum(ARCHIVED_TABLES)
const oldestAnswer = z
  .object({ table, oldestAt: time.describe('Time of the oldest row.') })
  .meta({ title: 'ArchivableTable' })
const archived = z
  .string()
  .describe(
    'Times are in UTC. Submissions and receipts of a message are JSON. A cell that looks like a formula begins with an apostrophe.',
  )
  .meta({ title: 'ArchivedDay', mediaType: 'text/csv' })

const endpoint = endpointsOf('Service')
const listing = endpoint(OPERATORS, {
  operationId: 'listArchivable',
  summary: 'List tables with archivable data',
  description: 'Tables without rows are left out.',
  response: { 200: wholeListOf(oldestAnswer) },
})
const archiving = endpoint(fresh(OPERATORS), {
  operationId: 'archiveDay',
  summary: 'Export one day as CSV',
  description:
    'Oldest first, with full numbers and texts of all workspaces; OTP texts are not stored. Each call is recorded in the audit log. One archive at a time per process. An export is aborted if its reader is too slow.',
  params: z.object({ table }),
  querystring: z.object({ day: day.describe('Day in UTC that has ended.') }),
  response: { 200: archived },
})

const BUSY = refuse('rate_limited', { error: 'Another archive is in progress', retryAfterSeconds: 10 })

type DayRequest = FastifyRequest<{ Params: { table: z.infer<typeof table> }; Querystring: { day: string } }>

export function mountArchive(
  app: TypedServer,
  ports: Ports,
  { leaving, isStillAllowed }: { leaving: AbortSignal; isStillAllowed: IsStillAllowed },
): void {
  let isBusy = false

  const write = async (request: DayRequest, writer: PacedWriter) => {
    const { params, query } = request
    const from = new Date(`${query.day}T00:00:00Z`)
    const ids = { since: lowestIdOf(from), until: lowestIdOf(new Date(from.getTime() + DAY_MS)) }
    const columns = listArchiveColumns(params.table)
    await writer.write(csvHead(columns))
    for (let after: string | null = null; ; ) {
      const rows = await listArchived(dbOf(ports, request), { table: params.table, ...ids, after, limit: AT_ONCE })
      const lines = rows.map((row) => csvLine(columns.map((name) => row[name] ?? null)))
      if (!(await writer.write(lines.join(''))) || leaving.aborted) throw new Error('the reader is gone or too slow')
      if (!(await isStillAllowed(request))) throw new Error('the reader has lost access')
      after = rows.at(-1)?.id ?? null
      if (rows.length < AT_ONCE) return
    }
  }

  const archive = async (reply: FastifyReply, request: DayRequest) => {
    const { day: of } = request.query
    if (of >= ports.clock.now().toISOString().slice(0, 10))
      return sendRefusal(reply, refuseField('day', 'Must be a day that has ended'))
    if (isBusy) return sendRefusal(reply, BUSY)
    isBusy = true
    try {
      await recordArchive(ports, callerOf(request), { table: request.params.table, day: of })
    } catch (error) {
      isBusy = false
      throw error
    }
    const stream = beginStream(reply, { 'content-type': 'text/csv; charset=utf-8' })
    // An aborted export ends without the final chunk, so that the reader detects the missing part.
    void write(request, new PacedWriter(stream, PACE))
      .then(() => stream.end())
      .catch((error) => {
        request.log.debug({ err: error, requestId: request.id }, 'archive aborted')
        stream.destroy()
      })
      .finally(() => {
        isBusy = false
      })
  }

  app.get('/archive', listing, async (request) => ({
    items: (await findOldest(dbOf(ports, request))).map(({ table: of, id }) => ({ table: of, oldestAt: timeOfId(id) })),
    next: null,
  }))
  app.get('/archive/:table', { ...archiving, exposeHeadRoute: false }, (request, reply) => archive(reply, request))
}
