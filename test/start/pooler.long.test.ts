// Behind pgbouncer: pool_mode = session works as DATABASE_URL, pool_mode = transaction as HULAKI_POOLER_URL (D90). Skipped where pgbouncer is not
// installed, or is older than 1.21.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../scripts/free-port.ts'
import { makeClient, type TestClient } from '../harness/client.ts'
import { testDatabaseAddress } from '../harness/database.ts'
import { dataFolder, ServiceProcess, urlOf } from '../harness/process.ts'
import { type Connection, query } from '../harness/server.ts'
import { call } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const PGBOUNCER = ['/usr/local/bin/pgbouncer', '/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find(
  (it) => spawnSync(it, ['--version']).status === 0,
)
const version = PGBOUNCER ? (/\d+\.\d+/.exec(spawnSync(PGBOUNCER, ['--version']).stdout.toString())?.[0] ?? '') : ''
const keepsStatements = Number(version.split('.')[1]) >= 21
const skip = PGBOUNCER === undefined && 'pgbouncer is not installed'
const skipTransactions = skip || (!keepsStatements && `pgbouncer ${version} is older than 1.21`)
const OPERATOR_TOKEN = 'operator-token-of-the-tests-long-enough'
const POOL_SIZE = 6

const children: ChildProcess[] = []
after(() => {
  for (const child of children) child.kill('SIGKILL')
})

test('a start with pool_mode = transaction in DATABASE_URL fails with one sentence', { skip }, async () => {
  const { url } = await startPooler(await testDatabaseAddress(), { mode: 'transaction' })
  const service = new ServiceProcess({ env: { DATABASE_URL: url, HULAKI_DATA_DIR: dataFolder() } })
  const { code } = await service.ended
  assert.equal(code, 1, service.stdout)
  assert.match(service.stderr, /^hulaki: .*pooler.*pool_mode = session.*HULAKI_POOLER_URL.*\.\n$/)
})

test('accepts a message behind pgbouncer with pool_mode = session and default settings', { skip }, async () => {
  const { url: databaseUrl } = await startPooler(await testDatabaseAddress(), { mode: 'session' })
  const env = { DATABASE_URL: databaseUrl, HULAKI_DATA_DIR: dataFolder(), HULAKI_ROLES: 'all', HULAKI_DEMO: 'on' }
  const service = new ServiceProcess({ env })
  const url = await service.url()
  const apiKey = service.shown(/^ {4}live {2}(svc_live_\w+)$/m) ?? ''
  const headers = { 'x-api-key': apiKey }
  const body = { to: '9800000001', text: 'Through the pooler' }
  assert.equal((await call(`${url}/api/sms/v1/sms/send`, { method: 'POST', headers, body })).status, 200)
  const token = service.shown(/^ {4}(hulaki_operator_\w+)$/m)
  const owner = { authorization: `Bearer ${token}` }
  assert.equal((await call(`${url}/api/manage/v1/workspaces`, { method: 'GET', headers: owner })).status, 200)
  assert.equal(await service.stop(), 0)
})

test('a start with a pooler that loses prepared statements fails with one sentence', { skip }, async () => {
  const address = await testDatabaseAddress()
  // Versions before 1.21 do not know the setting.
  const more = keepsStatements ? 'max_prepared_statements = 0' : ''
  const { url } = await startPooler(address, { mode: 'transaction', more })
  const service = new ServiceProcess({ env: pooled(address, url) })
  const { code } = await service.ended
  assert.equal(code, 1, service.stdout)
  assert.match(service.stderr, /^hulaki: The pooler at HULAKI_POOLER_URL loses prepared statements; .*1\.21.*\.\n$/)
})

test('a start with a pooler to another database fails with one sentence', { skip }, async () => {
  const { url } = await startPooler(await testDatabaseAddress(), { mode: 'transaction' })
  const service = new ServiceProcess({ env: pooled(await testDatabaseAddress(), url) })
  const { code } = await service.ended
  assert.equal(code, 1, service.stdout)
  assert.match(
    service.stderr,
    /^hulaki: The pooler at HULAKI_POOLER_URL leads to another database than DATABASE_URL\.\n$/,
  )
})

test(`two processes send over ${POOL_SIZE} connections with pool_mode = transaction, and a restart of pgbouncer loses nothing`, {
  skip: skipTransactions,
  timeout: 180_000,
}, async (t) => {
  const address = await testDatabaseAddress()
  const pooler = await startPooler(address, { mode: 'transaction' })
  const service = new ServiceProcess({ env: { ...pooled(address, pooler.url), HULAKI_PROCESSES: '2' } })
  const url = await service.url()
  const manage = (method: string, path: string, body?: unknown) =>
    call(`${url}/api/manage/v1${path}`, { method, body, headers: { authorization: `Bearer ${OPERATOR_TOKEN}` } })
  const client = await makeClient({ url, manage })
  const statuses: Record<number, number> = {}
  const load = { isOver: false }
  const sent: string[] = []
  const senders = Array.from({ length: 8 }, async () => {
    while (!load.isOver) sent.push(await sendOnce(client, statuses))
  })
  await until(() => sent.length > 200)
  const connections = await query(
    address,
    `select application_name as name, count(*)::int as count from pg_stat_activity
     where datname = current_database() and application_name like 'hulaki%' group by 1 order by 1`,
  )
  const before = sent.length
  await pooler.kill()
  await sleep(1_000)
  await pooler.start()
  await until(() => sent.length > before + 200)
  load.isOver = true
  await Promise.all(senders)
  t.diagnostic(JSON.stringify({ sent: sent.length, statuses, connections }))
  assert.deepEqual(
    Object.keys(statuses).filter((status) => !['200', '500', '503'].includes(status)),
    [],
  )
  assert.equal(connections.length, 2)
  const [listening, through] = connections.map(({ count }) => Number(count))
  assert.ok(Number(listening) <= 5, `${listening} connections without the pooler`)
  assert.ok(Number(through) <= POOL_SIZE, `${through} connections of the pooler`)
  assert.equal(new Set(sent).size, sent.length)
  await until(async () => {
    const [row] = await query(address, `select count(*)::int as count from message where status <> 'delivered'`)
    return row?.count === 0
  })
  const [stored] = await query(address, 'select count(*)::int as count from message')
  assert.equal(stored?.count, sent.length)
  const [money] = await query(address, `select sum(cost_e4)::int as cost from message`)
  const { balance } = (await client.get('/sms/balance')).body
  assert.equal(Math.round((1000 - balance) * 10_000), money?.cost)
  assert.equal(await service.stop(), 0)
})

/** Repeats a request with its key until the response is 200, and returns the id of the message. */
async function sendOnce(client: TestClient, statuses: Record<number, number>): Promise<string> {
  const key = { 'idempotency-key': randomUUID() }
  for (;;) {
    const { status, body } = await client.send({ to: '+9779800000001' }, key)
    statuses[status] = (statuses[status] ?? 0) + 1
    if (status === 200) return body.messageId
    await sleep(100)
  }
}

function pooled(address: Connection, poolerUrl: string): Record<string, string> {
  return {
    DATABASE_URL: urlOf(address),
    HULAKI_POOLER_URL: poolerUrl,
    HULAKI_DATA_DIR: dataFolder(),
    HULAKI_OPERATOR_TOKEN: OPERATOR_TOKEN,
    HULAKI_ROLES: 'all,simulator',
  }
}

interface PoolerOptions {
  mode: 'session' | 'transaction'
  /** A line of pgbouncer.ini. */
  more?: string
}

/** pgbouncer in front of this database. */
async function startPooler({ host, port, user, password, database }: Connection, { mode, more = '' }: PoolerOptions) {
  const folder = mkdtempSync(join(tmpdir(), 'hulaki-pgbouncer-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const listening = await freePort()
  writeFileSync(join(folder, 'users'), `"${user}" "${password}"\n`)
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]
${database} = host=${host} port=${port} user=${user} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listening}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users')}
pool_mode = ${mode}
default_pool_size = ${mode === 'session' ? 100 : POOL_SIZE}
${more}
`,
  )
  // pgbouncer refuses to run as root; the owner of the server's socket can connect. The folder must be readable for that user.
  chmodSync(folder, 0o755)
  const { uid, gid } = statSync(host.startsWith('/') ? host : folder)
  const asOwner = process.getuid?.() === 0 && uid !== 0 ? { uid, gid } : {}
  const through = { host: '127.0.0.1', port: listening, user, password, database }
  let child: ChildProcess | null = null
  const start = async () => {
    child = spawn(PGBOUNCER ?? '', [join(folder, 'pgbouncer.ini')], { stdio: 'ignore', ...asOwner })
    children.push(child)
    await until(() =>
      query(through, 'select 1').then(
        () => true,
        () => false,
      ),
    )
  }
  const kill = async () => {
    const ended = new Promise((resolve) => child?.once('exit', resolve))
    child?.kill('SIGKILL')
    await ended
  }
  await start()
  const url = `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${listening}/${database}`
  return { url, start, kill }
}
