// Streams the rows of a day as CSV, for an archive of data that is about to be deleted (D44, D78).
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import { recordArchive } from '../../actions/service/record-archive.ts'
import { csvLine } from '../../domain/csv.ts'
import { DAY_MS, HOUR_MS } from '../../domain/durations.ts'
import { SETTLED_MS } from '../../domain/messages/lifetime.ts'
import { refuseField } from '../../domain/refusals.ts'
import { sendRefusal } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import { lowestIdOf, timeOfId } from '../../runtime/ids.ts'
import { ARCHIVED_TABLES, findOldest, listArchiveColumns, listArchived } from '../../store/service/archive.ts'
import { readDatabaseCreatedAt } from '../../store/service/service.ts'
import { callerOf, dbOf } from '../authenticate.ts'
import { endpointsOf, fresh, OPERATORS } from '../endpoint.ts'
import { ExportLane, type InTurn, pagesOf } from '../export-lane.ts'
import { day, wholeListOf } from '../fields.ts'

const AT_ONCE = 1_000
const SETTLED_DAYS = SETTLED_MS / DAY_MS

const table = z.enum(ARCHIVED_TABLES)
const oldestAnswer = z
  .object({ table, oldestAt: time.describe('Time of the oldest row.') })
  .meta({ title: 'ArchivableTable' })
const listAnswer = wholeListOf(oldestAnswer)
  .extend({
    lastDay: z.iso.date().describe('Last day in UTC that can be exported.'),
    databaseCreatedAt: time.describe('Identifies the database. A restored or moved copy has the same time.'),
  })
  .meta({ title: 'ArchivableTableList', description: 'All items.' })
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
  response: { 200: listAnswer },
})
const archiving = endpoint(fresh(OPERATORS), {
  operationId: 'archiveDay',
  summary: 'Export one day as CSV',
  description:
    'Oldest first, with full numbers and texts of all workspaces; OTP texts are not stored. Each call is recorded in the audit log. One archive at a time per process. An export is aborted if its reader is too slow.',
  params: z.object({ table }),
  querystring: z.object({
    day: day.describe(`Day in UTC that ended at least ${SETTLED_DAYS} days ago: younger messages can still change.`),
  }),
  response: { 200: archived },
})

type DayRequest = FastifyRequest<{ Params: { table: z.infer<typeof table> }; Querystring: { day: string } }>

/** A day of all workspaces is larger than any other export. */
const MAX_MS = HOUR_MS

export function mountArchive(
  app: TypedServer,
  ports: Ports,
  options: ConstructorParameters<typeof ExportLane>[1],
): void {
  // Of its own, so that an archive of hours delays no other export of the operator.
  const lane = new ExportLane(ports, { ...options, maxMs: MAX_MS })

  const archive = async (reply: FastifyReply, request: DayRequest) => {
    const { day: of } = request.query
    const { table: from } = request.params
    if (of > lastDayAt(ports.clock.now()))
      return sendRefusal(reply, refuseField('day', `Must be a day that ended at least ${SETTLED_DAYS} days ago`))
    const columns = listArchiveColumns(from)
    return lane.send(request, reply, {
      name: `${from}-${of}`,
      columns,
      pages: (inTurn) => archivePages(inTurn, { table: from, day: of, columns }),
      before: () => recordArchive(ports, callerOf(request), { table: from, day: of }),
    })
  }

  app.get('/archive', listing, async (request) => {
    const db = dbOf(ports, request)
    const [oldest, databaseCreatedAt] = await Promise.all([findOldest(db), readDatabaseCreatedAt(db)])
    return {
      items: oldest.map(({ table: of, id }) => ({ table: of, oldestAt: timeOfId(id) })),
      next: null,
      lastDay: lastDayAt(ports.clock.now()),
      databaseCreatedAt,
    }
  })
  app.get('/archive/:table', { ...archiving, exposeHeadRoute: false }, (request, reply) => archive(reply, request))
}

/** The last day that ended at least SETTLED_MS ago. */
function lastDayAt(now: Date): string {
  return new Date(now.getTime() - SETTLED_MS - DAY_MS).toISOString().slice(0, 10)
}

async function* archivePages(
  inTurn: InTurn,
  { table: from, day: of, columns }: { table: z.infer<typeof table>; day: string; columns: readonly string[] },
) {
  const startsAt = new Date(`${of}T00:00:00Z`)
  const ids = { since: lowestIdOf(startsAt), until: lowestIdOf(new Date(startsAt.getTime() + DAY_MS)) }
  const pages = pagesOf(async (after) => {
    const rows = await inTurn((db) => listArchived(db, { table: from, ...ids, after, limit: AT_ONCE }))
    return { rows, next: rows.length < AT_ONCE ? null : (rows.at(-1)?.id ?? null) }
  })
  for await (const rows of pages) yield rows.map((row) => csvLine(columns.map((name) => row[name] ?? null))).join('')
}
