// `npm run bench [-- table [--messages <count>] [row …]]`: the table of all rows, or of some rows with their baselines. The whole table takes
// about five minutes, and writes bench/results/table.json and table.svg. `--messages` changes the size of all rows (default 20000).
import { parseArgs } from 'node:util'
import { sql } from '../src/store/database/sql.ts'
import { startMeter, type Usage } from './cpu.ts'
import { addCarrier, otpCalls, otpSends, otpVerifications, requestsOf, UNUSED_PORT } from './customers.ts'
import { type Installation, startSmsc, withInstallation } from './installation.ts'
import { kannelRequests, kannelVersion, startKannel } from './kannel.ts'
import type { Report } from './load.ts'
import { readMachine } from './machine.ts'
import { generateAcceptedLoad, Server, withServer } from './processes.ts'
import { saveResult, saveText } from './results.ts'
import { drawChart, type Figures, formatTable, formatWarning, type Results, type RowName, selectRows } from './rows.ts'
import { bindCarrier } from './seed.ts'

const CONNECTIONS = 256
/** As in `delivery whole`. */
const WHOLE_CONNECTIONS = 64
const MAX_SECONDS = 300

const DEFAULT_MESSAGES = 20_000
const { values, positionals } = parseArgs({ allowPositionals: true, options: { messages: { type: 'string' } } })
const messages = Number(values.messages ?? DEFAULT_MESSAGES)
/** One response of Hulaki, which the bare servers send too. */
let sample: Promise<string> | null = null

/** Fast rows get more messages, so that every row takes some seconds. */
const MEASURES: Record<RowName, () => Promise<Figures | null>> = {
  bare: () => measureBare(messages * 4),
  durable: () => measureDurable(messages * 3),
  kannel: () => measureKannel(messages),
  accept: () => measureAccept(messages * 2),
  'accept-key': () => measureAccept(messages * 2, { idempotent: true }),
  'otp-send': () => measureOtpSend(messages),
  'otp-verify': () => measureOtpVerify(messages),
  queued: () => measureQueued(messages),
  whole: () => measureWhole(messages),
  'whole-webhooks': () => measureWhole(Math.ceil(messages / 2), { hasWebhooks: true }),
}

const machine = readMachine()
const results: Results = {}
const selected = selectRows(positionals)
for (const [index, name] of selected.entries()) {
  console.error(`${index + 1}/${selected.length} ${name}`)
  results[name] = await MEASURES[name]()
}
const { cores, cpu, commit } = machine
const { node } = process.versions
// Of an installation of its own, because some rows have none.
const postgres = await withInstallation({ services: [] }, async ({ postgresVersion }) => postgresVersion)
const date = new Date().toISOString().slice(0, 10)
const caption = `${cores} × ${cpu}, Node ${node}, PostgreSQL ${postgres}; commit ${commit}, ${date}`
console.log(`${caption}\n\n${formatTable(results)}`)
const warning = formatWarning(results)
if (warning) console.log(`\n${warning}`)
if (positionals.length === 0 && messages === DEFAULT_MESSAGES) {
  saveResult('table', { ...machine, node, postgres, date, kannel: kannelVersion(), rows: results })
  saveText('table.svg', drawChart(results, caption))
}

interface RequestRun {
  port: number
  count: number
  /** The next requests. */
  requests: (count: number) => string[]
  expected?: string
  startMeter: () => Promise<() => Promise<Usage>>
}

/** Throughput over all connections after a warm-up, then the latency at half of this throughput. */
async function measureRequests({ port, count, requests, expected = '', startMeter }: RequestRun): Promise<Figures> {
  const run = (requestsAtMost: number, perSecond: number | null = null) =>
    sendRequests({
      port,
      connections: CONNECTIONS,
      requests: requests(requestsAtMost),
      requestsAtMost,
      perSecond,
      expected,
    })
  await run(count)
  const stop = await startMeter()
  const { perSecond, busy: generatorBusy } = await run(count)
  const usage = await stop()
  const { p50Ms, p99Ms } = await run(Math.ceil(count / 2), Math.ceil(perSecond / 2))
  return { perSecond, ...usagePerMessage(usage, count), p50Ms, p99Ms, generatorBusy }
}

interface Run {
  port: number
  connections: number
  requests: string[]
  requestsAtMost: number
  perSecond: number | null
  expected?: string
  status?: string
}

function sendRequests({ status, ...run }: Run): Promise<Report> {
  return generateAcceptedLoad({ ...run, warmUpSeconds: 0, seconds: MAX_SECONDS }, status)
}

/** Null without /proc and for a server without PostgreSQL. */
function usagePerMessage({ serviceMs, postgresMs, walBytes }: Usage, count: number) {
  const each = (value: number) => (value === 0 ? null : Math.round((value / count) * 10) / 10)
  return { serviceMicros: each(serviceMs * 1000), postgresMicros: each(postgresMs * 1000), walBytes: each(walBytes) }
}

async function measureBare(count: number): Promise<Figures> {
  return withServer(new Server('bare.ts', { BENCH_ANSWER: await sampleAnswer() }), (server) =>
    measureServer(server, count, () => startMeter([server.pid])),
  )
}

/** The empty installation only provides a PostgreSQL. */
async function measureDurable(count: number): Promise<Figures> {
  const answer = await sampleAnswer()
  return withInstallation({ services: [] }, ({ folder, postgres, db }) =>
    withServer(new Server('durable.ts', { BENCH_FOLDER: folder, BENCH_ANSWER: answer }), (server) =>
      measureServer(server, count, () => startMeter([server.pid], { postgres, db })),
    ),
  )
}

async function measureServer(server: Server, count: number, startMeter: RequestRun['startMeter']): Promise<Figures> {
  const requests = requestsOf({ apiKeys: ['bench'], workspaceIds: [] })
  return measureRequests({ port: await server.port, count, requests: () => requests, startMeter })
}

function sampleAnswer(): Promise<string> {
  sample ??= withAcceptance(async ({ port, customers }) => {
    const requests = requestsOf(customers)
    return (await sendRequests({ port, connections: 1, requests, requestsAtMost: 1, perSecond: null })).sample
  })
  return sample
}

async function measureKannel(count: number): Promise<Figures | null> {
  if (kannelVersion() === null) return null
  await using stack = new AsyncDisposableStack()
  const smsc = await startSmsc(stack)
  const kannel = await startKannel(smsc.port)
  stack.defer(() => kannel.stop())
  const job = { port: kannel.port, connections: WHOLE_CONNECTIONS, requests: kannelRequests(), perSecond: null }
  const run = async (times: number) => {
    const { busy } = await sendRequests({ ...job, requestsAtMost: count, status: '202' })
    await kannel.reported(times * count)
    return busy
  }
  await run(1)
  const stop = await startMeter(kannel.pids)
  const generatorBusy = await run(2)
  const usage = await stop()
  const perSecond = Math.round(count / usage.seconds)
  return { perSecond, ...usagePerMessage(usage, count), p50Ms: null, p99Ms: null, generatorBusy }
}

/** Hulaki without delivery. Its carrier counts as connected. */
function withAcceptance<Result>(work: (installation: Installation) => Promise<Result>): Promise<Result> {
  return withInstallation({ services: ['api'], trustsProxy: true }, async (installation) => {
    await addCarrier(installation.port, UNUSED_PORT)
    await bindCarrier(installation.folder)
    return work(installation)
  })
}

function measureAccept(count: number, { idempotent = false } = {}): Promise<Figures> {
  return withAcceptance((installation) => {
    const requests = requestsOf(installation.customers, { idempotent })
    return measureApi(installation, { count, requests: () => requests })
  })
}

function measureApi(installation: Installation, run: Omit<RequestRun, 'port' | 'startMeter'>): Promise<Figures> {
  return measureRequests({ ...run, port: installation.port, startMeter: () => installation.startMeter() })
}

/** The requests of warm-up, throughput and latency. */
function otpCount(count: number): number {
  return 2 * count + Math.ceil(count / 2)
}

function measureOtpSend(count: number): Promise<Figures> {
  return withAcceptance((installation) => {
    const sends = otpSends(otpCalls(installation.customers, otpCount(count)))
    return measureApi(installation, { count, requests: (next) => sends.splice(0, next), expected: '"otpId"' })
  })
}

function measureOtpVerify(count: number): Promise<Figures> {
  return withAcceptance(async (installation) => {
    const calls = otpCalls(installation.customers, otpCount(count))
    const job = { port: installation.port, connections: CONNECTIONS, perSecond: null }
    await sendRequests({ ...job, requests: otpSends(calls), requestsAtMost: calls.length })
    const tries = otpVerifications(calls, await readCodes(installation))
    return measureApi(installation, { count, requests: (next) => tries.splice(0, next), expected: '"verified":true' })
  })
}

/** The OTPs by number, from the texts that wait for the carrier. */
async function readCodes({ db, keyring }: Installation): Promise<Map<string, string>> {
  const rows = await db.query<{ id: string; to: string; sealed: Buffer }>(sql`
    select message.id, to_number as "to", sealed from sealed_text join message on message.id = message_id`)
  return new Map(rows.map(({ id, to, sealed }) => [to, /\d{6}/.exec(keyring.open('texts', id, sealed))?.[0] ?? '']))
}

/** The first half is warm-up. */
function measureQueued(count: number): Promise<Figures> {
  return withInstallation({ services: ['api', 'delivery'], smscs: 1 }, async (installation) => {
    await installation.fill(2 * count, { priority: 1 })
    await installation.connectSmscs()
    const before = await installation.untilReported(count)
    const stop = await installation.startMeter()
    const reported = (await installation.untilReported(2 * count)) - before
    const usage = await stop()
    const perSecond = Math.round(reported / usage.seconds)
    return { perSecond, ...usagePerMessage(usage, reported), p50Ms: null, p99Ms: null }
  })
}

/** Accept, store, submit, report, record, and post webhooks, at the same time. Two processes, like Kannel. */
function measureWhole(count: number, { hasWebhooks = false } = {}): Promise<Figures> {
  const services = ['api', hasWebhooks ? 'delivery,webhooks' : 'delivery']
  return withInstallation({ services, smscs: 1 }, async (installation) => {
    await installation.connectSmscs()
    const requests = requestsOf(installation.customers)
    let sent = 0
    const run = async (requestsAtMost: number, perSecond: number | null = null) => {
      const job = { port: installation.port, connections: WHOLE_CONNECTIONS, requests, requestsAtMost, perSecond }
      const { busy } = await sendRequests(job)
      sent += requestsAtMost
      await installation.untilReported(sent)
      if (hasWebhooks) await installation.untilWebhooksPosted()
      return busy
    }
    await run(count)
    const stop = await installation.startMeter()
    const generatorBusy = await run(count)
    const usage = await stop()
    const perSecond = Math.round(count / usage.seconds)
    const since = new Date()
    await run(Math.ceil(count / 2), Math.ceil(perSecond / 2))
    return { perSecond, ...usagePerMessage(usage, count), ...(await readLatency(installation, since)), generatorBusy }
  })
}

/** From the request, whose time is in the id, to the recorded receipt or the last webhook. */
async function readLatency({ db }: Installation, since: Date): Promise<Pick<Figures, 'p50Ms' | 'p99Ms'>> {
  const [row] = await db.query<{ p50Ms: number; p99Ms: number }>(sql`
    with life as (
      select 1000 * extract(epoch from greatest(updated_at, max(ended_at)) - uuid_extract_timestamp(message.id))::float8 as ms
      from message left join webhook_event on message_id = message.id
      where message.created_at >= ${since} group by message.id
    )
    select percentile_disc(0.5) within group (order by ms) as "p50Ms", percentile_disc(0.99) within group (order by ms) as "p99Ms"
    from life`)
  return row ?? { p50Ms: null, p99Ms: null }
}
