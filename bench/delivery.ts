// How fast messages are delivered: claimed, submitted to a bare SMSC, answered, reported, recorded; everything on one machine.
// `node bench/delivery.ts [messages] [backlog]`
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../src/config.ts'
import { systemChance } from '../src/runtime/chance.ts'
import { SystemClock } from '../src/runtime/clock.ts'
import { newKeyringText, parseKeyring } from '../src/runtime/keyring.ts'
import { createLog } from '../src/runtime/log.ts'
import { Metrics } from '../src/runtime/metrics.ts'
import { Switchboard } from '../src/runtime/switchboard.ts'
import { startService } from '../src/service.ts'
import { openBundledPostgres } from '../src/store/bundled-postgres.ts'
import { Db } from '../src/store/db.ts'
import { migrate } from '../src/store/migrate.ts'
import { sql } from '../src/store/sql.ts'

const OPERATOR_TOKEN = 'operator-token-of-the-bench'
const messages = Number(process.argv[2] ?? 20_000)
const backlog = Number(process.argv[3] ?? 0)

let workspaceId = ''
let clientId = ''

const folder = mkdtempSync(join(tmpdir(), 'hulaki-bench-'))
const postgres = await openBundledPostgres(folder)
const db = new Db(postgres.connection, { connections: 20 })
await migrate(db, new Date())
const smsc = fork(join(import.meta.dirname, 'sink-smsc.ts'))
const [{ port }] = (await once(smsc, 'message')) as [{ port: number }]
const service = await start()
try {
  await prepare()
  await measure()
} finally {
  await service.stop()
  smsc.disconnect()
  await db.close()
  await postgres.release()
  rmSync(folder, { recursive: true, force: true })
}

async function start() {
  const read = readConfig({ PORT: '0', DATABASE_URL: 'postgres://bench', HULAKI_ROLES: 'api,delivery' })
  if ('faults' in read) throw new Error(read.faults.join('\n'))
  const metrics = new Metrics()
  return startService({
    config: read.config,
    db,
    clock: new SystemClock(),
    chance: systemChance,
    keyring: parseKeyring(newKeyringText(systemChance), systemChance),
    operatorToken: OPERATOR_TOKEN,
    log: createLog('warn'),
    metrics,
    board: new Switchboard(),
    listen: true,
    readMetrics: () => metrics.text(),
  })
}

async function manage(path: string, body: unknown): Promise<{ id: string }> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${OPERATOR_TOKEN}` }
  const response = await fetch(`${service.url}/api/manage/v1${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()) as { id: string }
}

async function prepare(): Promise<void> {
  const rate = { transactional: 1, otp: 1, promotional: 1 }
  const workspace = await manage('/workspaces', {
    name: 'Bench',
    country: 'NP',
    status: 'active',
    monthlyCredit: 1e9,
    rate,
  })
  workspaceId = workspace.id
  clientId = (await manage(`/workspaces/${workspaceId}/clients`, { name: 'Bench', brandName: 'Bench' })).id
  if (backlog > 0) await fill(backlog, { destination: 'IN', lane: 2 })
}

/** Messages as accepting leaves them, so that delivery alone is measured. */
async function fill(count: number, { destination, lane }: { destination: string; lane: number }): Promise<void> {
  for (let done = 0; done < count; done += 10_000) {
    const now = new Date()
    const ids = Array.from({ length: Math.min(10_000, count - done) }, () => service.house.ids.next())
    await db.query(sql`
      with made as (
        insert into message (id, workspace_id, client_id, to_number, country, sender, text, type, encoding, segments,
          cost_e4, status, created_at, updated_at)
        select id, ${workspaceId}, ${clientId}, '+97798' || lpad((place % 100000000)::text, 8, '0'), 'NP', 'Bench',
          'Hello from the bench, this is an ordinary text of one segment.', 'transactional', 'GSM7', 1, 0, 'queued',
          ${now}::timestamptz, ${now}::timestamptz
        from unnest(${ids}::uuid[]) with ordinality as ids (id, place) returning id
      )
      insert into delivery_queue (message_id, destination, lane, due_at)
      select id, ${destination}, ${lane}, ${now}::timestamptz from made`)
  }
}

async function measure(): Promise<void> {
  await fill(messages, { destination: 'NP', lane: 1 })
  await db.query(sql`analyze message`)
  const carrier = await manage('/carriers', {
    name: 'Sink',
    host: '127.0.0.1',
    port,
    systemId: 'bench',
    password: 'bench',
    binds: 2,
    window: 250,
  })
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  await manage('/routes', { country: 'NP', carrierId: carrier.id })
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    const [row] = await db.query<{ n: number }>(
      sql`select delivered as n from client_counter where client_id = ${clientId}`,
    )
    if ((row?.n ?? 0) >= messages) break
  }
  const seconds = (performance.now() - startedAt) / 1000
  const cpu = process.cpuUsage(cpuBefore)
  const perSecond = Math.round(messages / seconds)
  const load = Math.round((cpu.user + cpu.system) / 10_000 / seconds)
  console.log(
    `${messages} messages from queued to delivered in ${seconds.toFixed(2)} s: ${perSecond}/s, service at ${load} % of a core`,
  )
}
