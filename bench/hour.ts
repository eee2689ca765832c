// `npm run bench -- hour [minutes]`: what an hour of steady load leaves in the database. Each message is accepted with an Idempotency-Key,
// delivered, reported and posted to a webhook endpoint twice. An hour writes bench/results/hour.json and hour.svg.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../src/store/database/sql.ts'
import { QUEUE_TABLES } from '../test/harness/queue-tables.ts'
import { requestsOf } from './customers.ts'
import { drawHour, formatHour, type HourStep } from './hour-table.ts'
import { type Installation, withInstallation } from './installation.ts'
import { captionOf, readMachine } from './machine.ts'
import { generateAcceptedLoad } from './processes.ts'
import { saveResult, saveText } from './results.ts'

const USUAL_MINUTES = 60
const MINUTES = Number(process.argv[2] ?? USUAL_MINUTES)
const STEP_MINUTES = Math.min(5, MINUTES)
/** A million in an hour. */
const PER_SECOND = 280
const CONNECTIONS = 64
const LOOK_EVERY_MS = 5_000

const machine = readMachine()

/** Tables outside `QUEUE_TABLES` that grow have a row per message, webhook or day. */
interface Sizes {
  deadRows: number
  queueBytes: number
  allBytes: number
}

/** Partitions count as their table. */
async function readSizes({ db }: Installation): Promise<Sizes> {
  const [row] = await db.query<Sizes>(sql`
    select sum(n_dead_tup)::float8 as "deadRows", sum(pg_total_relation_size(relid))::float8 as "allBytes",
      sum(pg_total_relation_size(relid)) filter (where name = any(${QUEUE_TABLES}::text[]))::float8 as "queueBytes"
    from pg_stat_user_tables
      cross join lateral (
        select coalesce((select inhparent::regclass::text from pg_inherits where inhrelid = relid), relname) as name
      ) as parent`)
  if (!row) throw new Error('the database has no tables')
  return row
}

function walBytes({ postgres }: Installation): number {
  const folder = join(postgres.directory, 'cluster', 'pg_wal')
  return readdirSync(folder).reduce(
    (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
}

/** Until the work has ended: the most dead rows. */
async function watchDeadRows(installation: Installation, work: Promise<unknown>): Promise<number> {
  let most = 0
  for (let isOver = false; !isOver; ) {
    most = Math.max(most, (await readSizes(installation)).deadRows)
    isOver = await Promise.race([work.then(() => true), sleep(LOOK_EVERY_MS, false)])
  }
  return most
}

await withInstallation(
  { services: ['delivery,webhooks,upkeep', 'api'], smscs: 1, customers: { templatesRequired: false } },
  async (installation) => {
    await installation.connectSmscs()
    const { port, customers, postgresVersion } = installation
    const requests = requestsOf(customers, { idempotent: true })
    const before = await readSizes(installation)
    const steps: HourStep[] = []
    for (let minute = STEP_MINUTES; minute <= MINUTES; minute += STEP_MINUTES) {
      const seconds = STEP_MINUTES * 60
      const stop = await installation.startMeter()
      const load = { port, connections: CONNECTIONS, warmUpSeconds: 0, seconds, perSecond: PER_SECOND, requests }
      const report = generateAcceptedLoad(load)
      const deadRows = await watchDeadRows(installation, report)
      const { perSecond, p99Ms } = await report
      const accepted = Math.round(perSecond * seconds)
      const { serviceMs, postgresMs } = await stop()
      const { allBytes, queueBytes } = await readSizes(installation)
      steps.push({
        minute,
        messages: (steps.at(-1)?.messages ?? 0) + accepted,
        deadRows,
        queueBytes,
        keptBytes: allBytes - queueBytes - (before.allBytes - before.queueBytes),
        walBytes: walBytes(installation),
        acceptP99Ms: p99Ms,
        cpuMicros: Math.round(((serviceMs + postgresMs) * 1000) / accepted),
      })
      console.error(formatHour(steps.slice(-1)))
    }
    const accepted = steps.at(-1)?.messages ?? 0
    await installation.untilReported(accepted)
    await installation.untilWebhooksPosted()
    const caption = `${PER_SECOND} messages per second; ${captionOf(machine, postgresVersion)}`
    console.log(`${caption}\n\n${formatHour(steps)}`)
    if (MINUTES !== USUAL_MINUTES) return
    saveResult('hour', { ...machine, perSecond: PER_SECOND, steps })
    saveText('hour.svg', drawHour(steps, caption))
  },
)
