// `npm run bench -- delivery <what> [count]`: how fast messages are claimed, submitted to a minimal SMSC, reported and recorded.
//   throughput [messages]  queued to reported, with CPU time
//   webhooks [messages]    the same, with two webhooks per message over HTTPS
//   processes [messages]   the same, with two processes and two carriers
//   whole [messages]       accepted to reported; alternating with Kannel, if it is installed
//   receipts [messages]    receipts per second with a deliver window of 1, while submissions run at full rate
//   codes [backlog]        how fast OTPs overtake a backlog
//   claims [backlog]       the duration of a claim with a backlog
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startOwnService } from '../scripts/own-service.ts'
import { scratchFolder } from '../scripts/scratch-folder.ts'
import { claimMessages } from '../src/actions/messages/claim-messages.ts'
import { loadKeyring } from '../src/boot/first-start.ts'
import { Room } from '../src/domain/carriers/room.ts'
import { disablePretenuring } from '../src/runtime/collector.ts'
import { createLog } from '../src/runtime/log.ts'
import { systemRandom } from '../src/runtime/random.ts'
import { openBundledPostgres } from '../src/store/database/bundled-postgres.ts'
import { Db } from '../src/store/database/db.ts'
import { migrate } from '../src/store/database/migrate.ts'
import { sql } from '../src/store/database/sql.ts'
import { cpuSeconds, postgresCpuSeconds } from './cpu.ts'
import { requestsOf } from './customers.ts'
import { kannelRequests, kannelVersion, startKannel } from './kannel.ts'
import { LOCAL_RECEIVERS, runLoad, Server } from './processes.ts'
import type { SinkReport } from './sink-smsc.ts'

const OPERATOR_TOKEN = 'operator-token-of-the-bench'
const CODES = 200
const ROUNDS = 4
const ALONE_MS = 3_000
const [what = 'throughput', count] = process.argv.slice(2)
const messages = Number(count ?? 20_000)
const backlog = Number(count ?? 100_000)

interface Bench {
  measure: () => Promise<void>
  roles?: string
  /** The roles of a second process. */
  secondRoles?: string
  sinks?: number
  /** How many receipts the SMSC sends before it waits for responses. */
  deliverWindow?: number
}

const BENCHES: Record<string, Bench> = {
  throughput: { measure: measureThroughput },
  webhooks: { measure: measureThroughput, roles: 'api,delivery,webhooks' },
  processes: { measure: measureThroughput, secondRoles: 'delivery', sinks: 2 },
  // Two processes, like Kannel's smsbox and bearerbox.
  whole: { measure: measureWhole, roles: 'delivery', secondRoles: 'api' },
  receipts: { measure: measureReceipts, deliverWindow: 1 },
  codes: { measure: measureCodes },
  claims: { measure: measureClaims },
}
const bench = BENCHES[what]
if (!bench) throw new Error(`use one of ${Object.keys(BENCHES).join(', ')}`)
const { measure, roles = 'api,delivery', secondRoles, sinks = 1, deliverWindow = 500 } = bench

let workspaceId = ''
let clientId = ''
let apiKey = ''

disablePretenuring()
const folder = scratchFolder('hulaki-bench')
const postgres = await openBundledPostgres(folder)
const db = new Db(postgres.connection, { connections: 20 })
await migrate(db, new Date())
const smscs = Array.from({ length: sinks }, () => startChild('sink-smsc.ts', { BENCH_DELIVER_WINDOW: deliverWindow }))
const [smsc] = smscs as [ChildProcess]
const smscPorts = await Promise.all(smscs.map(async (it) => (await nextMessage<{ port: number }>(it)).port))
const [port = 0] = smscPorts
const receiver = roles.includes('webhooks') ? startChild('postings-receivers.ts', { BENCH_RECEIVERS: 1 }) : null
const [receiverPort] = receiver ? (await nextMessage<{ ports: number[] }>(receiver)).ports : []
const keyring = loadKeyring(join(folder, 'keyring.json'), systemRandom).keyring
const secondEnv = { BENCH_FOLDER: folder, BENCH_OPERATOR_TOKEN: OPERATOR_TOKEN }
const second = secondRoles ? new Server('hulaki.ts', { ...secondEnv, BENCH_ROLES: secondRoles }) : null
const service = await startOwnService(
  roles,
  { db, keyring, operatorToken: OPERATOR_TOKEN, log: createLog('warn'), listen: true },
  LOCAL_RECEIVERS,
)
const url = roles.includes('api') ? service.url : `http://127.0.0.1:${await second?.port}`
try {
  await second?.port
  await prepare()
  await measure()
} finally {
  await second?.stop()
  await service.stop()
  for (const child of smscs) child.disconnect()
  receiver?.kill()
  await db.close()
  await postgres.release()
  rmSync(folder, { recursive: true, force: true })
}

function startChild(file: string, env: Record<string, number>): ChildProcess {
  const texts = Object.entries(env).map(([name, value]) => [name, String(value)])
  return fork(join(import.meta.dirname, file), { env: { ...process.env, ...Object.fromEntries(texts) } })
}

async function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  const [message] = await once(child, 'message')
  return message
}

async function manage(path: string, body: unknown): Promise<{ id: string; apiKey?: string }> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${OPERATOR_TOKEN}` }
  const response = await fetch(`${url}/api/manage/v1${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()) as { id: string; apiKey?: string }
}

async function prepare(): Promise<void> {
  const rate = { transactional: 1, otp: 1, promotional: 1 }
  const workspace = await manage('/workspaces', {
    name: 'Bench',
    country: 'NP',
    status: 'active',
    monthlyCredit: 1e9,
    templatesRequired: false,
    rate,
  })
  workspaceId = workspace.id
  const client = await manage(`/workspaces/${workspaceId}/clients`, {
    name: 'Bench',
    brandName: 'Bench',
    requestsPerSecond: 100_000,
    ...(receiverPort ? { webhookUrl: `https://localhost:${receiverPort}/hook` } : {}),
  })
  clientId = client.id
  apiKey = client.apiKey ?? ''
  // Results must not depend on the time of day.
  await db.query(sql`update country set quiet_from = null, quiet_to = null`)
}

/** Inserts accepted messages, so that only delivery is measured. */
async function fill(count: number, { priority }: { priority: number }): Promise<void> {
  for (let done = 0; done < count; done += 10_000) {
    const now = new Date()
    const ids = Array.from({ length: Math.min(10_000, count - done) }, () => service.ports.ids.next())
    await db.query(sql`
      with made as (
        insert into message (id, workspace_id, client_id, to_number, country, sender, text, type, encoding, segments,
          cost_e4, status, created_at, updated_at)
        select id, ${workspaceId}, ${clientId}, '+97798' || lpad((place % 100000000)::text, 8, '0'), 'NP', 'Bench',
          'Hello from the bench, this is an ordinary text of one segment.', ${priority === 2 ? 'promotional' : 'transactional'}, 'GSM7', 1, 0, 'queued',
          ${now}::timestamptz, ${now}::timestamptz
        from unnest(${ids}::uuid[]) with ordinality as ids (id, place) returning id
      )
      insert into delivery_queue (first_message_id, message_ids, destination, avoid_carrier_id, priority, workspace_id, client_id, due_at)
      select (array_agg(id order by id))[1], array_agg(id order by id), 'NP', '00000000-0000-0000-0000-000000000000', ${priority}, ${workspaceId},
        ${clientId}, ${now}::timestamptz
      -- Twenty messages of a client in a row, as accepted under load.
      from (select id, (row_number() over (order by id) - 1) / 20 as batch from made) as numbered group by batch`)
  }
}

/** Adds one carrier per SMSC, all on one route. */
async function addSinks(settings: Record<string, unknown> = {}): Promise<void> {
  for (const port of smscPorts) {
    const link = { host: '127.0.0.1', port, systemId: 'bench', password: 'bench', binds: 2, window: 250 }
    const carrier = await manage('/carriers', { name: `Sink ${port}`, ...link, ...settings })
    await manage('/routes', { country: 'NP', carrierId: carrier.id })
  }
}

/** The full path at the same time: accept, store, submit, report, record. */
async function measureWhole(): Promise<void> {
  await addSinks()
  const version = kannelVersion()
  if (version === null) console.log('Kannel skipped: bearerbox and smsbox are not installed (Debian: kannel)')
  const ours: FullRun[] = []
  const kannels: FullRun[] = []
  // Alternating, so that other load on the machine affects both. The first round is warm-up.
  for (let round = 0; round <= ROUNDS; round++) {
    ours.push(await runHulaki(round + 1))
    if (version !== null) kannels.push(await runKannel())
  }
  for (const runs of [ours, kannels]) runs.shift()
  console.table([...ours.map(rowOf('Hulaki')), ...kannels.map(rowOf(`Kannel ${version}`))])
  const perSecond = (runs: FullRun[]) => (runs.length * messages) / runs.reduce((sum, { seconds }) => sum + seconds, 0)
  console.log(`accept to report recorded: Hulaki ${Math.round(perSecond(ours))}/s`)
  if (kannels.length === 0) return
  const ratio = (perSecond(ours) / perSecond(kannels)).toFixed(2)
  console.log(`Kannel ${Math.round(perSecond(kannels))}/s: ratio ${ratio}`)
}

async function runHulaki(times: number): Promise<FullRun> {
  const port = Number(new URL(url).port)
  const requests = requestsOf({ apiKeys: [apiKey], workspaceIds: [workspaceId] })
  const measured = startMeasuring(ownCpuMs)
  const acceptP99Ms = await accept({ port, requests, status: '200' })
  await reported(times * messages)
  const run = { acceptP99Ms, ...measured() }
  // Vacuum must not run during Kannel's turn.
  await db.query(sql`vacuum analyze`)
  return run
}

async function runKannel(): Promise<FullRun> {
  const kannel = await startKannel(port)
  try {
    const measured = startMeasuring(() => kannel.pids.reduce((sum, pid) => sum + cpuMs(pid), 0))
    const acceptP99Ms = await accept({ port: kannel.port, requests: kannelRequests(), status: '202' })
    await kannel.reported(messages)
    return { acceptP99Ms, ...measured() }
  } finally {
    await kannel.stop()
  }
}

async function accept({ status, ...job }: { port: number; requests: string[]; status: string }): Promise<number> {
  const load = { connections: 64, warmUpSeconds: 0, seconds: 300, requestsAtMost: messages, perSecond: null }
  const { p99Ms, statuses } = await runLoad({ ...load, ...job })
  if (Object.keys(statuses).join() !== status) throw new Error(`not all were accepted: ${JSON.stringify(statuses)}`)
  return p99Ms
}

type FullRun = { acceptP99Ms: number } & ReturnType<ReturnType<typeof startMeasuring>>

function rowOf(name: string) {
  return ({ acceptP99Ms, seconds, ownMs, smscMs }: FullRun) => ({
    name,
    messages,
    'per second': Math.round(messages / seconds),
    'accept p99 ms': acceptP99Ms,
    'CPU µs each': Math.round((ownMs * 1000) / messages),
    'SMSC µs each': Math.round((smscMs * 1000) / messages),
  })
}

/** From queued to reported, including webhooks if there are any. */
async function measureThroughput(): Promise<void> {
  await fill(messages, { priority: 1 })
  await db.query(sql`analyze message`)
  const measured = startMeasuring(ownCpuMs)
  await addSinks()
  await reported(messages)
  while ((await db.query(sql`select from webhook_queue limit 1`)).length > 0) await sleep(20)
  const { seconds, ownMs, databaseMs, smscMs } = measured()
  const perSecond = Math.round(messages / seconds)
  const [{ count: webhooks = 0 } = {}] = await db.query<{ count: number }>(sql`select count(*) from webhook_attempt`)
  console.log(`${messages} messages, queued to reported: ${seconds.toFixed(1)} s, ${perSecond}/s, ${webhooks} webhooks`)
  const perMessage = (ms: number) => `${((ms * 1000) / messages).toFixed(0)} µs`
  console.log(
    `CPU per message: service and database ${perMessage(ownMs)} (of it the database ${perMessage(databaseMs)}), SMSC ${perMessage(smscMs)}; ` +
      `two dedicated cores would reach ${Math.round((messages * 2000) / (ownMs + smscMs))}/s`,
  )
}

async function reported(count: number): Promise<void> {
  for (;;) {
    await sleep(100)
    const [row] = await db.query<{ n: number }>(sql`
      select sum(delivered)::bigint as n from client_counter where client_id = ${clientId}`)
    if ((row?.n ?? 0) >= count) return
  }
}

/** Returns a function that returns the elapsed time and the CPU time since then. */
function startMeasuring(ownCpuMs: () => number) {
  const smscCpuMs = () => smscs.reduce((sum, { pid = 0 }) => sum + cpuMs(pid), 0)
  const databaseCpuMs = () => postgresCpuSeconds(postgres) * 1000
  const before = { at: performance.now(), ownMs: ownCpuMs(), databaseMs: databaseCpuMs(), smscMs: smscCpuMs() }
  return () => ({
    seconds: (performance.now() - before.at) / 1000,
    ownMs: ownCpuMs() - before.ownMs,
    databaseMs: databaseCpuMs() - before.databaseMs,
    smscMs: smscCpuMs() - before.smscMs,
  })
}

function askSmsc(): Promise<SinkReport> {
  smsc.send('report')
  return nextMessage<SinkReport>(smsc)
}

/**
 * A receipt is acknowledged after it is on disk, and then the next one follows. The rate without submissions is the limit of this machine.
 */
async function measureReceipts(): Promise<void> {
  await fill(messages, { priority: 1 })
  await addSinks({ binds: 1 })
  let report = await askSmsc()
  for (; report.submitted < messages; report = await askSmsc()) await sleep(100)
  await sleep(ALONE_MS)
  const { acknowledged: before } = await askSmsc()
  await sleep(ALONE_MS)
  const { acknowledged } = await askSmsc()
  const perSecond = (count: number, ms: number) => Math.round((count * 1000) / ms)
  const submittingMs = report.lastAt - report.firstAt
  console.log(
    `deliver window ${deliverWindow}: with ${perSecond(messages, submittingMs)} submissions/s ` +
      `${perSecond(report.acknowledgedUntilThen, submittingMs)} receipts/s are acknowledged, without submissions ` +
      `${perSecond(acknowledged - before, ALONE_MS)}/s`,
  )
}

/** OTPs overtake a backlog: from the request to the submit_sm at the SMSC. */
async function measureCodes(): Promise<void> {
  await fill(backlog, { priority: 2 })
  await addSinks({ segmentsPerSecond: 500 })
  await sleep(2_000)
  const startedAt = new Map<string, number>()
  for (let sent = 0; sent < CODES; sent++) {
    const to = `97798${String(50_000_000 + sent)}`
    startedAt.set(to, Date.now())
    const response = await fetch(`${url}/api/sms/v1/sms/send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify({ to: `+${to}`, type: 'otp', text: `${sent} is your verification code` }),
    })
    if (!response.ok) throw new Error(await response.text())
    await response.body?.cancel()
    await sleep(50)
  }
  await sleep(1_000)
  const { codes } = await askSmsc()
  const waits = [...startedAt].map(([to, at]) => (codes[to] ?? Number.POSITIVE_INFINITY) - at).sort((a, b) => a - b)
  const at = (share: number) => waits[Math.min(waits.length - 1, Math.floor(waits.length * share))]
  console.log(
    `${CODES} OTPs past ${backlog} promotional: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, worst ${waits.at(-1)} ms`,
  )
}

/** A claim must cost the same for every backlog. */
async function measureClaims(): Promise<void> {
  for (const waiting of [1_000, backlog]) {
    await fill(waiting, { priority: 2 })
    const times: number[] = []
    for (let claim = 0; claim < 20; claim++) {
      const startedAt = performance.now()
      const claimed = await claimMessages(service.ports, {
        claimId: service.ports.ids.next(),
        carrierId: service.ports.ids.next(),
        places: [0, 1, 2].map((priority) => ({ destination: 'NP', avoidCarrierId: null, priority })),
        behind: null,
        room: new Room({ places: 100, free: 70, tokens: Number.POSITIVE_INFINITY }),
        leaseMs: 3_600_000,
        inOnePiece: false,
        senderRules: { defaultSender: null, senderRewrites: {}, allowedSenders: [] },
        receipts: 'each',
        wantsFields: false,
        prices: undefined,
      })
      if (claimed.messages.length !== 50) throw new Error('incomplete claim')
      times.push(performance.now() - startedAt)
    }
    const median = times.sort((a, b) => a - b)[10] ?? 0
    const memory = Math.round(process.memoryUsage().rss / 2 ** 20)
    console.log(`a claim of 50 with ${waiting} waiting: ${median.toFixed(1)} ms (median), memory ${memory} MB`)
  }
}

function ownCpuMs(): number {
  return cpuMs(process.pid) + (second ? cpuMs(second.pid) : 0) + postgresCpuSeconds(postgres) * 1000
}

function cpuMs(pid: number): number {
  return cpuSeconds(pid) * 1000
}
