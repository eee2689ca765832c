// `npm run bench -- postings`: webhooks posted per second over HTTPS, their CPU time, and whether an endpoint that never responds slows the
// others (§6.4). Takes about two minutes.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { scratchFolder } from '../scripts/scratch-folder.ts'
import { THE_SERVICE } from '../src/actions/ports.ts'
import { createClient } from '../src/actions/workspaces/manage-clients.ts'
import { createWorkspace } from '../src/actions/workspaces/manage-workspaces.ts'
import { openPools } from '../src/boot/pools.ts'
import { Refusal } from '../src/domain/refusals.ts'
import { statusEvent } from '../src/domain/webhooks/webhook-event.ts'
import { SystemClock } from '../src/runtime/clock.ts'
import { Ids } from '../src/runtime/ids.ts'
import { newKeyringText, parseKeyring } from '../src/runtime/keyring.ts'
import { createLog } from '../src/runtime/log.ts'
import { Metrics } from '../src/runtime/metrics.ts'
import { Passwords } from '../src/runtime/passwords.ts'
import { systemRandom } from '../src/runtime/random.ts'
import { ChangeFeed } from '../src/store/change-feed.ts'
import { openBundledPostgres } from '../src/store/database/bundled-postgres.ts'
import { Db } from '../src/store/database/db.ts'
import { migrate } from '../src/store/database/migrate.ts'
import { Notifications } from '../src/store/database/notifications.ts'
import { sql } from '../src/store/database/sql.ts'
import { insertWebhookEvents } from '../src/store/webhooks/webhook-events.ts'
import { measureWebhookQueue } from '../src/store/webhooks/webhook-queue.ts'
import { postgresCpuSeconds } from './cpu.ts'
import type { ReceiversMessage, ReceiversReport } from './postings-receivers.ts'
import { nextMessage } from './processes.ts'

const RECEIVERS = 50
const WARM_UP = 4_000
const BURST = 40_000
const BACKLOG = 100_000
const STEADY_PER_SECOND = 200
const STEADY_SECONDS = 20

const folder = scratchFolder('hulaki-bench')
const postgres = await openBundledPostgres(folder)
const db = new Db(postgres.connection, { connections: 16 })
const clock = new SystemClock()
const keyringFile = join(folder, 'keyring.json')
writeFileSync(keyringFile, newKeyringText(systemRandom), { mode: 0o600 })
const { close: closePools, ...pools } = openPools(db, new Metrics())
const notifications = new Notifications(pools, createLog('warn'))
const ports = {
  ...pools,
  clock,
  notifications,
  changeFeed: new ChangeFeed(notifications, 'bench'),
  random: systemRandom,
  ids: new Ids(clock, systemRandom),
  keyring: parseKeyring(readFileSync(keyringFile, 'utf8'), systemRandom),
  passwords: new Passwords(systemRandom),
  tracer: null,
  vendor: 'svc',
}
const receivers = fork(join(import.meta.dirname, 'postings-receivers.ts'), {
  env: { ...process.env, BENCH_RECEIVERS: String(RECEIVERS) },
})
try {
  await migrate(db, clock.now())
  await measure()
} finally {
  receivers.kill()
  await closePools()
  await db.close()
  await postgres.release()
  rmSync(folder, { recursive: true, force: true })
}

async function measure(): Promise<void> {
  const { ports: receiverPorts, blackHolePort } =
    await nextMessage<Extract<ReceiversMessage, { ports: number[] }>>(receivers)
  const clientIds = await makeClients(receiverPorts)
  const [blackHole = ''] = await makeClients([blackHolePort])
  console.log(`${cpus().length} × ${cpus()[0]?.model}; PostgreSQL, sender and ${RECEIVERS} receivers on this machine\n`)
  const burst = await measureBurst(clientIds)
  console.log(`A burst of ${BURST} events to ${RECEIVERS} receivers over HTTPS keep-alive`)
  console.log(`  ${Math.round(BURST / burst.seconds)} postings per second, ${burst.seconds.toFixed(1)} s in all`)
  console.log(`  ${Math.round(BURST / burst.senderCpu)} postings per CPU second of the sender`)
  if (burst.postgresCpu > 0) {
    console.log(`  ${Math.round(BURST / (burst.senderCpu + burst.postgresCpu))} including PostgreSQL's CPU time`)
  }
  const alone = await measureSteady(clientIds, [])
  show(`${STEADY_PER_SECOND} events per second, from the change of status to the 2xx`, alone)
  const beside = await measureSteady(
    clientIds,
    Array.from({ length: BACKLOG }, () => blackHole),
  )
  show(`The same with an endpoint that never responds and a backlog of ${BACKLOG}`, beside)
  console.log(`  p99 is ${(beside.p99Ms / alone.p99Ms).toFixed(2)} times the p99 without it`)
}

function show(title: string, { received, p50Ms, p99Ms, longestMs }: ReceiversReport): void {
  console.log(`\n${title}\n  ${received} events: p50 ${p50Ms} ms, p99 ${p99Ms} ms, longest ${longestMs} ms`)
}

/** The clients are disabled until all events are due, so that the sender is never idle. */
async function measureBurst(clientIds: string[]) {
  return withSender(async (sender) => {
    // Warms up connections and compiled code.
    await addEvents(inTurn(clientIds, WARM_UP))
    await untilRecorded(0)
    await db.query(sql`update client set disabled_at = created_at, disabled_by = 'operator'`)
    await addEvents(inTurn(clientIds, BURST))
    const cpuBefore = await cpuSecondsOf(sender)
    const postgresBefore = postgresCpuSeconds(postgres)
    const startedAt = performance.now()
    await db.query(sql`update client set disabled_at = null, disabled_by = null`)
    ports.notifications.notify('webhooks')
    await untilRecorded(0)
    return {
      seconds: (performance.now() - startedAt) / 1000,
      senderCpu: (await cpuSecondsOf(sender)) - cpuBefore,
      postgresCpu: postgresCpuSeconds(postgres) - postgresBefore,
    }
  })
}

/** Events at a constant rate, each in its own transaction. */
async function measureSteady(clientIds: string[], backlog: string[]): Promise<ReceiversReport> {
  await addEvents(backlog)
  return withSender(async () => {
    await addEvents(inTurn(clientIds, WARM_UP))
    await untilRecorded(backlog.length)
    await ask(receivers, 'reset')
    const startedAt = performance.now()
    const writing: Promise<void>[] = []
    for (let number = 0; number < STEADY_PER_SECOND * STEADY_SECONDS; number += 1) {
      await sleep(Math.max(0, startedAt + (number * 1000) / STEADY_PER_SECOND - performance.now()))
      writing.push(addEvents([clientIds[number % clientIds.length] ?? '']))
    }
    await Promise.all(writing)
    await untilRecorded(backlog.length)
    return ask<ReceiversReport>(receivers, 'report')
  })
}

async function makeClients(receiverPorts: number[]): Promise<string[]> {
  const priceE4 = { transactional: 1, otp: 1, promotional: 1 }
  const workspace = await createWorkspace(ports, THE_SERVICE, {
    ...{
      name: 'Bench',
      country: 'NP',
      currency: 'NPR',
      timeZone: 'Asia/Kathmandu',
      plan: 'standard',
      status: 'active',
    },
    ...{
      monthlyCreditE4: 0,
      priceE4,
      allowedTypes: ['otp'],
      allowedCountries: null,
      templatesRequired: false,
      maxClients: 1000,
      carrierFields: {},
    },
  })
  const clients = receiverPorts.map(async (port) => {
    const settings = {
      ...{ name: 'Bench', brandName: 'Bench', defaultSender: 'Bench', requestsPerSecond: 20 },
      ...{ onlyTypes: null, onlyNetworks: null, onlyPrefixes: null, dailyCap: null, hourlyCapPerNumber: null },
      pumpingAllowlist: null,
      setByOperator: {},
      ...{ pumpingGuard: 'off' as const, webhookUrl: `https://localhost:${port}/hook` },
    }
    const request = { workspaceId: workspace.id, mode: 'live' as const, settings, testOtpCode: null }
    const made = await createClient(ports, THE_SERVICE, request)
    if (made instanceof Refusal) throw new Error(made.error)
    return made.client.id
  })
  return Promise.all(clients)
}

function inTurn(clientIds: string[], count: number): string[] {
  return Array.from({ length: count }, (_, index) => clientIds[index % clientIds.length] ?? '')
}

/** One event per client, like a status change writes it. */
async function addEvents(clientIds: string[]): Promise<void> {
  for (let from = 0; from < clientIds.length; from += 1_000) {
    const now = clock.now()
    const events = clientIds.slice(from, from + 1_000).map((clientId) => {
      const messageId = ports.ids.next()
      const news = { messageId, status: 'delivered', to: '+9779841234567', at: now, messageType: 'otp' } as const
      const event = statusEvent({ ...news, segments: 1, error: '' })
      return { deliveryId: ports.ids.next(), clientId, about: { messageId, status: news.status }, event }
    })
    await db.transaction((tx) => insertWebhookEvents(tx, events, now))
    ports.notifications.notify('webhooks')
  }
}

async function untilRecorded(left: number): Promise<void> {
  while ((await measureWebhookQueue(db, clock.now())).waiting > left) await sleep(200)
}

/** The unmodified service with the webhooks role only. */
async function withSender<Result>(work: (sender: ChildProcess) => Promise<Result>): Promise<Result> {
  const { host, port, user, password, database } = postgres.connection
  const sender = fork(join(import.meta.dirname, '..', 'src', 'main.ts'), {
    execArgv: ['--import', join(import.meta.dirname, 'report-cpu.ts')],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: {
      ...process.env,
      DATABASE_URL: `postgres://${user}:${encodeURIComponent(password)}@${encodeURIComponent(host)}:${port}/${database}`,
      PORT: '0',
      HULAKI_ROLES: 'webhooks',
      HULAKI_PROCESSES: '1',
      HULAKI_DATA_DIR: folder,
      HULAKI_KEYRING_FILE: keyringFile,
      HULAKI_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1',
      HULAKI_WEBHOOK_CA_FILE: join(import.meta.dirname, '..', 'test', 'webhooks', 'certificates', 'ca.cert.pem'),
      HULAKI_LOG_LEVEL: 'warn',
    },
  })
  // A warning would invalidate the results.
  sender.stdout
    ?.setEncoding('utf8')
    .on('data', (text: string) => text.includes('"level"') && process.stderr.write(text))
  const ended = once(sender, 'exit')
  try {
    return await Promise.race([work(sender), ended.then(() => Promise.reject(new Error('the sender exited')))])
  } finally {
    sender.kill('SIGKILL')
    await ended
  }
}

async function cpuSecondsOf(sender: ChildProcess): Promise<number> {
  return (await ask<{ cpuSeconds: number }>(sender, 'cpu')).cpuSeconds
}

function ask<Answer>(child: ChildProcess, question: string): Promise<Answer> {
  const answer = nextMessage<Answer>(child)
  child.send(question)
  return answer
}
