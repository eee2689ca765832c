// `npm run bench -- delivery [kind [count]]`: how fast messages are claimed, submitted to a minimal SMSC, reported and recorded.
//   throughput [messages]  queued to reported, with CPU time
//   webhooks [messages]    the same, with two webhooks per message over HTTPS
//   processes [messages]   the same, with two processes and two carriers
//   whole [messages]       accepted to reported; alternating with Kannel, if it is installed
//   receipts [messages]    receipts per second with a deliver window of 1, while submissions run at full rate
//   codes [backlog]        how fast OTPs overtake a backlog
//   claims [backlog]       the duration of a claim with a backlog
import { setTimeout as sleep } from 'node:timers/promises'
import { startOwnService } from '../scripts/own-service.ts'
import { claimMessages } from '../src/actions/messages/claim-messages.ts'
import { Room } from '../src/domain/carriers/room.ts'
import { createLog } from '../src/runtime/log.ts'
import { sql } from '../src/store/database/sql.ts'
import { cpuSeconds, startMeter, type Usage } from './cpu.ts'
import { OPERATOR_TOKEN, requestsOf } from './customers.ts'
import { type Installation, withInstallation } from './installation.ts'
import { kannelRequests, kannelVersion, startKannel } from './kannel.ts'
import { percentileOf } from './percentile.ts'
import { generateAcceptedLoad } from './processes.ts'
import type { DeliveryKind } from './usage.ts'

const CODES = 200
const ROUNDS = 4
const ALONE_MS = 3_000
const [kind = 'throughput', count] = process.argv.slice(2)
const messages = Number(count ?? 20_000)
const backlog = Number(count ?? 100_000)

interface Bench {
  measure: (installation: Installation) => Promise<void>
  /** The roles of each process. */
  services?: string[]
  smscs?: number
  deliverWindow?: number
}

const BENCHES: Record<DeliveryKind, Bench> = {
  throughput: { measure: measureThroughput },
  webhooks: { measure: measureThroughput, services: ['api,delivery,webhooks'] },
  processes: { measure: measureThroughput, services: ['api,delivery', 'delivery'], smscs: 2 },
  // Two processes, like Kannel's smsbox and bearerbox.
  whole: { measure: measureWhole, services: ['delivery', 'api'] },
  receipts: { measure: measureReceipts, deliverWindow: 1 },
  codes: { measure: measureCodes },
  claims: { measure: measureClaims },
}
const bench: Bench = BENCHES[kind as DeliveryKind]
const { measure, services = ['api,delivery'], smscs = 1, deliverWindow = 500 } = bench
const customers = { workspaces: 1, clientsPerWorkspace: 1, templatesRequired: false }
await withInstallation({ services, smscs, deliverWindow, customers }, measure)

/** The full path at the same time: accept, store, submit, report, record. */
async function measureWhole(installation: Installation): Promise<void> {
  await installation.connectSmscs()
  const version = kannelVersion()
  if (version === null) console.log('Kannel skipped: bearerbox and smsbox are not installed (Debian: kannel)')
  const ours: FullRun[] = []
  const kannels: FullRun[] = []
  // Alternating, so that other load on the machine affects both. The first round is warm-up.
  for (let round = 0; round <= ROUNDS; round++) {
    ours.push(await runHulaki(installation, round + 1))
    if (version !== null) kannels.push(await runKannel(installation))
  }
  for (const runs of [ours, kannels]) runs.shift()
  console.table([...ours.map(rowOf('Hulaki')), ...kannels.map(rowOf(`Kannel ${version}`))])
  const perSecond = (runs: FullRun[]) => (runs.length * messages) / runs.reduce((sum, { seconds }) => sum + seconds, 0)
  console.log(`accept to report recorded: Hulaki ${Math.round(perSecond(ours))}/s`)
  if (kannels.length === 0) return
  const ratio = (perSecond(ours) / perSecond(kannels)).toFixed(2)
  console.log(`Kannel ${Math.round(perSecond(kannels))}/s: ratio ${ratio}`)
}

async function runHulaki(installation: Installation, times: number): Promise<FullRun> {
  const smscMs = startSmscMeter(installation)
  const stop = await installation.startMeter()
  const acceptP99Ms = await accept({ port: installation.port, requests: requestsOf(installation.customers) })
  await installation.untilReported(times * messages)
  const run = { acceptP99Ms, ...(await stop()), smscMs: smscMs() }
  // Vacuum must not run during Kannel's turn.
  await installation.db.query(sql`vacuum analyze`)
  return run
}

async function runKannel(installation: Installation): Promise<FullRun> {
  const kannel = await startKannel(installation.smscs[0]?.port ?? 0)
  try {
    const smscMs = startSmscMeter(installation)
    const stop = await startMeter(kannel.pids)
    const acceptP99Ms = await accept({ port: kannel.port, requests: kannelRequests(), status: '202' })
    await kannel.reported(messages)
    return { acceptP99Ms, ...(await stop()), smscMs: smscMs() }
  } finally {
    await kannel.stop()
  }
}

async function accept({ status, ...job }: { port: number; requests: string[]; status?: string }): Promise<number> {
  const load = { connections: 64, warmUpSeconds: 0, seconds: 300, requestsAtMost: messages, perSecond: null }
  return (await generateAcceptedLoad({ ...load, ...job }, status)).p99Ms
}

type FullRun = Usage & { acceptP99Ms: number; smscMs: number }

function rowOf(name: string) {
  return ({ acceptP99Ms, seconds, serviceMs, postgresMs, smscMs }: FullRun) => ({
    name,
    messages,
    'per second': Math.round(messages / seconds),
    'accept p99 ms': acceptP99Ms,
    'CPU µs each': Math.round(((serviceMs + postgresMs) * 1000) / messages),
    'SMSC µs each': Math.round((smscMs * 1000) / messages),
  })
}

/** From queued to reported, including webhooks if there are any. */
async function measureThroughput(installation: Installation): Promise<void> {
  await installation.fill(messages, { priority: 1 })
  const smscCpuMs = startSmscMeter(installation)
  const stop = await installation.startMeter()
  await installation.connectSmscs()
  await installation.untilReported(messages)
  await installation.untilWebhooksPosted()
  const { seconds, serviceMs, postgresMs } = await stop()
  const smscMs = smscCpuMs()
  const perSecond = Math.round(messages / seconds)
  const [{ count: webhooks = 0 } = {}] = await installation.db.query<{ count: number }>(sql`
    select count(*) from webhook_attempt`)
  console.log(`${messages} messages, queued to reported: ${seconds.toFixed(1)} s, ${perSecond}/s, ${webhooks} webhooks`)
  const perMessage = (ms: number) => `${((ms * 1000) / messages).toFixed(0)} µs`
  const ownMs = serviceMs + postgresMs
  console.log(
    `CPU per message: service and database ${perMessage(ownMs)} (of it the database ${perMessage(postgresMs)}), SMSC ${perMessage(smscMs)}; ` +
      `two dedicated cores would reach ${Math.round((messages * 2000) / (ownMs + smscMs))}/s`,
  )
}

/** Returns a function that returns the CPU time of the SMSCs since then. */
function startSmscMeter({ smscs }: Installation): () => number {
  const read = () => smscs.reduce((sum, { child }) => sum + cpuSeconds(child.pid ?? 0), 0) * 1000
  const before = read()
  return () => read() - before
}

/**
 * A receipt is acknowledged after it is on disk, and then the next one follows. The rate without submissions is the limit of this machine.
 */
async function measureReceipts(installation: Installation): Promise<void> {
  await installation.fill(messages, { priority: 1 })
  await installation.connectSmscs({ binds: 1 })
  let report = await installation.askSmsc()
  for (; report.submitted < messages; report = await installation.askSmsc()) await sleep(100)
  await sleep(ALONE_MS)
  const { acknowledged: before } = await installation.askSmsc()
  await sleep(ALONE_MS)
  const { acknowledged } = await installation.askSmsc()
  const perSecond = (count: number, ms: number) => Math.round((count * 1000) / ms)
  const submittingMs = report.lastAt - report.firstAt
  console.log(
    `deliver window ${deliverWindow}: with ${perSecond(messages, submittingMs)} submissions/s ` +
      `${perSecond(report.acknowledgedUntilThen, submittingMs)} receipts/s are acknowledged, without submissions ` +
      `${perSecond(acknowledged - before, ALONE_MS)}/s`,
  )
}

/** OTPs overtake a backlog: from the request to the submit_sm at the SMSC. */
async function measureCodes(installation: Installation): Promise<void> {
  const { port, customers } = installation
  await installation.fill(backlog, { priority: 2 })
  await installation.connectSmscs({ segmentsPerSecond: 500 })
  await sleep(2_000)
  const startedAt = new Map<string, number>()
  for (let sent = 0; sent < CODES; sent++) {
    const to = `97798${String(50_000_000 + sent)}`
    startedAt.set(to, Date.now())
    const response = await fetch(`http://127.0.0.1:${port}/api/sms/v1/sms/send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': customers.apiKeys[0] ?? '' },
      body: JSON.stringify({ to: `+${to}`, type: 'otp', text: `${sent} is your verification code` }),
    })
    if (!response.ok) throw new Error(await response.text())
    await response.body?.cancel()
    await sleep(50)
  }
  await sleep(1_000)
  const { codes } = await installation.askSmsc()
  const waits = [...startedAt].map(([to, at]) => (codes[to] ?? Number.POSITIVE_INFINITY) - at)
  const at = (percent: number) => percentileOf(waits, percent)
  console.log(`${CODES} OTPs past ${backlog} promotional: p50 ${at(50)} ms, p99 ${at(99)} ms, worst ${at(100)} ms`)
}

/** A claim must cost the same for every backlog. */
async function measureClaims(installation: Installation): Promise<void> {
  const { db, keyring } = installation
  const log = createLog('warn')
  const service = await startOwnService('api', { db, keyring, operatorToken: OPERATOR_TOKEN, log, listen: true })
  try {
    for (const waiting of [1_000, backlog]) {
      await installation.fill(waiting, { priority: 2 })
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
  } finally {
    await service.stop()
  }
}
