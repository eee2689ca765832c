// Behind pgbouncer: pool_mode = session works, pool_mode = transaction fails the start. Skipped where pgbouncer is not installed.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { freePort } from '../../scripts/free-port.ts'
import { testDatabaseAddress } from '../harness/database.ts'
import { dataFolder, ServiceProcess } from '../harness/process.ts'
import { query } from '../harness/server.ts'
import { call } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const PGBOUNCER = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((it) => spawnSync(it, ['--version']).status === 0)
const skip = PGBOUNCER === undefined && 'pgbouncer is not installed'
const children: ChildProcess[] = []
after(() => {
  for (const child of children) child.kill('SIGKILL')
})

test('a start behind pgbouncer with pool_mode = transaction fails with one sentence', { skip }, async () => {
  const service = new ServiceProcess({ env: await behind('transaction') })
  const { code } = await service.ended
  assert.equal(code, 1, service.stdout)
  assert.match(service.stderr, /^hulaki: .*pooler.*pool_mode = session.*\.\n$/)
})

test('accepts a message behind pgbouncer with pool_mode = session and default settings', {
  skip,
}, async () => {
  const env = { ...(await behind('session')), HULAKI_ROLES: 'all', HULAKI_DEMO: 'on' }
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

/** The settings of a service that connects through pgbouncer. */
async function behind(mode: 'session' | 'transaction'): Promise<Record<string, string>> {
  const { host, port, user, password, database } = await testDatabaseAddress()
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
default_pool_size = 100
`,
  )
  // pgbouncer refuses to run as root; the owner of the server's socket can connect. The folder must be readable for that user.
  chmodSync(folder, 0o755)
  const { uid, gid } = statSync(host.startsWith('/') ? host : folder)
  const asOwner = process.getuid?.() === 0 && uid !== 0 ? { uid, gid } : {}
  const child = spawn(PGBOUNCER ?? '', [join(folder, 'pgbouncer.ini')], { stdio: 'ignore', ...asOwner })
  children.push(child)
  const through = { host: '127.0.0.1', port: listening, user, password, database }
  await until(() =>
    query(through, 'select 1').then(
      () => true,
      () => false,
    ),
  )
  const url = `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${listening}/${database}`
  return { DATABASE_URL: url, HULAKI_DATA_DIR: dataFolder() }
}
