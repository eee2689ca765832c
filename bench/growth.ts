// `npm run bench -- growth [messages]`: whether the service stays as fast while its tables grow, from 20 000 messages to 20 000 000. Needs
// 60 GB of disk and about an hour. Writes bench/results/growth.json and growth.svg.
import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../src/store/database/sql.ts'
import { OPERATOR_TOKEN, requestsOf } from './customers.ts'
import { drawGrowth, formatGrowth, type GrowthStep } from './growth-chart.ts'
import { type Installation, withInstallation } from './installation.ts'
import { percentileOf } from './percentile.ts'
import { generateAcceptedLoad } from './processes.ts'
import { readCommit } from './read-commit.ts'
import { saveResult, saveText } from './results.ts'

const FIRST_STEP = 20_000
const FACTOR = 10
const USUAL_END = FIRST_STEP * FACTOR ** 3
const LAST_STEP = Number(process.argv[2] ?? USUAL_END)
/** As long as messages are kept by default. */
const DAYS = 400
/** Rows per statement. */
const CHUNK = 250_000
const CONNECTIONS = 64
/** Accepted, delivered and recorded in each step. */
const MEASURED = 20_000
/** Enough to touch most pages of this month's indexes: the first change of a page after a checkpoint writes all of it to the WAL. */
const WARM_UP = 40_000
const READS = 200
/** A checkpoint of PostgreSQL takes up to five minutes; while it writes what a long filling has changed, every figure is that of the disk. */
const LONG_FILLING_SECONDS = 30
const CHECKPOINT_MS = 330_000

const commit = readCommit()
const beganAt = new Date(Date.now() - DAYS * 86_400_000)
const customers = { workspaces: 8, clientsPerWorkspace: 1, templatesRequired: false }
const roles = ['delivery', 'api']
await withInstallation({ services: roles, smscs: 1, customers, partitionsFrom: beganAt }, async (installation) => {
  await installation.connectSmscs()
  const steps: GrowthStep[] = []
  let stored = 0
  let recorded = 0
  const record = async (count: number) => {
    await send(installation, count)
    recorded = await installation.untilReported(recorded + count)
  }
  for (let size = FIRST_STEP; size <= LAST_STEP; size *= FACTOR) {
    const seededAt = performance.now()
    await seedMessages(installation, { from: stored, to: size })
    const seconds = Math.round((performance.now() - seededAt) / 1000)
    console.error(`${size} messages after ${seconds} s`)
    if (seconds > LONG_FILLING_SECONDS) await sleep(CHECKPOINT_MS)
    stored = size
    await record(WARM_UP)
    const stop = await installation.startMeter()
    const { p99Ms } = await send(installation, MEASURED)
    recorded = await installation.untilReported(recorded + MEASURED)
    const usage = await stop()
    const micros = (ms: number) => Math.round((ms * 1000) / MEASURED)
    steps.push({
      messages: size,
      bytes: await databaseBytes(installation),
      perSecond: Math.round(MEASURED / usage.seconds),
      acceptP99Ms: p99Ms,
      serviceMicros: micros(usage.serviceMs),
      postgresMicros: micros(usage.postgresMs),
      ...(await measureReads(installation)),
    })
    console.error(formatGrowth(steps.slice(-1)))
  }
  const [cpu] = cpus()
  const caption = `${cpus().length} × ${cpu?.model.trim()}, PostgreSQL ${installation.postgresVersion}; commit ${commit}`
  console.log(`${caption}\n\n${formatGrowth(steps)}`)
  if (LAST_STEP !== USUAL_END) return
  saveResult('growth', { commit, cpu: cpu?.model.trim(), cores: cpus().length, steps })
  saveText('growth.svg', drawGrowth(steps, caption))
})

function send({ port, customers }: Installation, count: number) {
  const load = { connections: CONNECTIONS, warmUpSeconds: 0, seconds: 300, perSecond: null }
  return generateAcceptedLoad({ ...load, port, requests: requestsOf(customers), requestsAtMost: count })
}

/** Delivered messages with their submissions, one in a hundred failed, evenly over all months: number `from` to number `to`. */
async function seedMessages({ db }: Installation, { from, to }: { from: number; to: number }): Promise<void> {
  for (let first = from; first < to; first += CHUNK) {
    const last = Math.min(first + CHUNK, to) - 1
    await db.query(sql`
      with past as materialized (
        select n, uuidv7(at - now()) as id, client.id as client_id, workspace_id, at, n % 100 = 0 as is_failed,
          '+97798' || lpad((n::bigint * 7919 % 100000000)::text, 8, '0') as to_number
        from generate_series(${first}::int, ${last}::int) as n
          cross join lateral (
            select now() - interval '1 hour' - (n - ${from}::int)::float8 / ${to - from} * ${DAYS - 1} * interval '1 day' as at
          ) as time
          join (select row_number() over (order by id) - 1 as place, count(*) over () as clients, id, workspace_id from client)
            as client on client.place = n % client.clients
      ), stored as (
        insert into message (id, workspace_id, client_id, to_number, country, sender, text, type, encoding, segments, cost_e4, status,
          rare_status, error, submissions, submitted_at, sent_at, delivered_at, failed_at, dlr, created_at, updated_at)
        select id, workspace_id, client_id, to_number, 'NP', 'Bench', 'Dear Asha, your order ' || n || ' has been shipped.',
          'transactional', 'GSM7', 1, 1, case when is_failed then 'failed' else 'delivered' end,
          case when is_failed then 'failed' end, case when is_failed then 'invalid_number' else '' end, 1, at,
          case when not is_failed then at end, case when not is_failed then at end, case when is_failed then at end,
          case when not is_failed then jsonb_build_object('status', 'DELIVRD', 'code', '000', 'raw',
            'id:' || md5(n::text) || ' sub:001 dlvrd:001 submit date:2611180400 done date:2611180400 stat:DELIVRD err:000', 'at', at) end,
          at, at
        from past order by id
      )
      insert into submission (message_id, ordinal, segment, segment_count, carrier_id, to_number, sender, outcome, error,
        carrier_message_id, reference, claimed_at, answered_at)
      select past.id, 1, 1, 1, carrier.id, to_number, 'Bench', case when is_failed then 'rejected' else 'accepted' end,
        case when is_failed then 'invalid_number' else '' end, case when not is_failed then md5(n::text) end,
        case when not is_failed then md5(n::text) end, at, at
      from past cross join (select id from carrier limit 1) as carrier order by past.id`)
  }
  await db.query(sql`vacuum analyze`)
}

async function databaseBytes({ db }: Installation): Promise<number> {
  const [row] = await db.query<{ bytes: number }>(sql`select pg_database_size(current_database()) as bytes`)
  return row?.bytes ?? 0
}

/** The median of each read over HTTP. */
async function measureReads({ db, port, customers }: Installation) {
  const found = await db.query<{ id: string; to: string; workspaceId: string }>(sql`
    select id, to_number as to, workspace_id as "workspaceId" from message
    where id in (
      select (select id from message where id > uuidv7(-random() * ${DAYS - 1} * interval '1 day') order by id limit 1)
      from generate_series(1, ${READS}::int))`)
  const asOperator = { authorization: `Bearer ${OPERATOR_TOKEN}` }
  const manage = (path: string) => get(`http://127.0.0.1:${port}/api/manage/v1${path}`, asOperator)
  const keyOf = new Map(customers.workspaceIds.map((id, place) => [id, customers.apiKeys[place] ?? '']))
  const lookUp = ({ id, workspaceId }: { id: string; workspaceId: string }) =>
    get(`http://127.0.0.1:${port}/api/sms/v1/sms/messages/${id}`, { 'x-api-key': keyOf.get(workspaceId) ?? '' })
  const some = found.slice(0, READS / 4)
  return {
    lookUpMs: await medianOf(found, lookUp),
    listMs: await medianOf(some, ({ workspaceId }) => manage(`/workspaces/${workspaceId}/messages`)),
    failedListMs: await medianOf(some, ({ workspaceId }) =>
      manage(`/workspaces/${workspaceId}/messages?status=failed`),
    ),
    numberListMs: await medianOf(some, ({ workspaceId, to }) =>
      manage(`/workspaces/${workspaceId}/messages?to=${encodeURIComponent(to)}`),
    ),
    overviewMs: await medianOf(some, () => manage('/now')),
  }
}

async function medianOf<Case>(cases: Case[], read: (of: Case) => Promise<void>): Promise<number> {
  const times: number[] = []
  for (const each of cases) {
    const since = performance.now()
    await read(each)
    times.push(performance.now() - since)
  }
  return Math.round(percentileOf(times, 50) * 100) / 100
}

async function get(url: string, headers: Record<string, string>): Promise<void> {
  const response = await fetch(url, { headers })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url}: ${text}`)
}
