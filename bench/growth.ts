// `npm run bench -- growth [messages]`: whether the service stays as fast while its tables grow to 20 000 000 messages. A second installation
// starts with 20 000, grows by the 70 000 of each measurement only, and is measured in turn with the first, because the speed of a machine
// changes within minutes. Needs 60 GB of disk and about an hour. Writes bench/results/growth.json and growth.svg.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../src/store/database/sql.ts'
import { OPERATOR_TOKEN, requestsOf } from './customers.ts'
import { drawGrowth, formatGrowth, GROWTH_FIGURES, type GrowthFigures, type GrowthStep } from './growth-chart.ts'
import { type Installation, withInstallation } from './installation.ts'
import { captionOf, readMachine } from './machine.ts'
import { percentileOf } from './percentile.ts'
import { generateAcceptedLoad } from './processes.ts'
import { saveResult, saveText } from './results.ts'

const SMALL = 20_000
const FACTOR = 10
const USUAL_END = SMALL * FACTOR ** 3
const LAST_STEP = Number(process.argv[2] ?? USUAL_END)
/** As long as messages are kept by default. */
const DAYS = 400
/** Rows per statement. */
const CHUNK = 250_000
const CONNECTIONS = 64
const ROUNDS = 3
/** Accepted, delivered and recorded in each round. */
const MEASURED = 10_000
/** Enough to touch most pages of this month's indexes: the first change of a page after a checkpoint writes all of it to the WAL. */
const WARM_UP = 40_000
const READS = 100
/** A checkpoint of the bundled PostgreSQL takes up to nine minutes; while it writes what a long filling has changed, every figure is that of the disk. */
const LONG_FILLING_SECONDS = 30
const CHECKPOINT_MS = 570_000

const machine = readMachine()
const settings = {
  services: ['delivery', 'api'],
  smscs: 1,
  customers: { workspaces: 8, clientsPerWorkspace: 1, templatesRequired: false },
  partitionsFrom: new Date(Date.now() - DAYS * 86_400_000),
}

function medians(rounds: GrowthFigures[]): GrowthFigures {
  const middle = (name: keyof GrowthFigures) =>
    percentileOf(
      rounds.map((it) => it[name]),
      50,
    )
  return Object.fromEntries(GROWTH_FIGURES.map((name) => [name, middle(name)])) as GrowthFigures
}

class Subject {
  readonly #installation: Installation
  #stored = 0
  #recorded = 0

  private constructor(installation: Installation) {
    this.#installation = installation
  }

  /** With 20 000 messages, and a carrier. */
  static async open(installation: Installation): Promise<Subject> {
    const subject = new Subject(installation)
    await installation.connectSmscs()
    await subject.grow(SMALL)
    return subject
  }

  async grow(size: number): Promise<void> {
    const startedAt = performance.now()
    await seedMessages(this.#installation, { from: this.#stored, to: size })
    this.#stored = size
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    console.error(`${size} messages after ${seconds} s`)
    if (seconds > LONG_FILLING_SECONDS) await sleep(CHECKPOINT_MS)
  }

  /** Sends messages, and waits until their receipts are recorded. Returns the accept p99. */
  async record(count: number): Promise<number> {
    const { port, customers } = this.#installation
    const load = { connections: CONNECTIONS, warmUpSeconds: 0, seconds: 300, perSecond: null }
    const requests = requestsOf(customers)
    const { p99Ms } = await generateAcceptedLoad({ ...load, port, requests, requestsAtMost: count })
    this.#recorded = await this.#installation.untilReported(this.#recorded + count)
    return p99Ms
  }

  async measure(): Promise<GrowthFigures> {
    const stop = await this.#installation.startMeter()
    const acceptP99Ms = await this.record(MEASURED)
    const { seconds, serviceMs, postgresMs } = await stop()
    const perSecond = Math.round(MEASURED / seconds)
    const cpuMicros = Math.round(((serviceMs + postgresMs) * 1000) / MEASURED)
    return { perSecond, cpuMicros, acceptP99Ms, ...(await measureReads(this.#installation)) }
  }

  async databaseBytes(): Promise<number> {
    const [row] = await this.#installation.db.query<{ bytes: number }>(sql`
      select pg_database_size(current_database()) as bytes`)
    return row?.bytes ?? 0
  }
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

await withInstallation(settings, (first) =>
  withInstallation(settings, async (second) => {
    const small = await Subject.open(first)
    const large = await Subject.open(second)
    const steps: GrowthStep[] = []
    for (let size = SMALL * FACTOR; size <= LAST_STEP; size *= FACTOR) {
      await large.grow(size)
      for (const each of [small, large]) await each.record(WARM_UP)
      const rounds: Record<'small' | 'large', GrowthFigures[]> = { small: [], large: [] }
      for (let round = 0; round < ROUNDS; round++) {
        rounds.small.push(await small.measure())
        rounds.large.push(await large.measure())
      }
      const bytes = await large.databaseBytes()
      steps.push({ messages: size, bytes, small: medians(rounds.small), large: medians(rounds.large) })
      console.error(formatGrowth(steps.slice(-1)))
    }
    const caption = captionOf(machine, first.postgresVersion)
    console.log(`${caption}\n\n${formatGrowth(steps)}`)
    if (LAST_STEP !== USUAL_END) return
    saveResult('growth', { ...machine, smallest: SMALL, steps })
    saveText('growth.svg', drawGrowth(steps, { smallest: SMALL, caption }))
  }),
)
