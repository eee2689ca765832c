// After the promotion of a standby, the service continues without a restart. Requires installed PostgreSQL programs; otherwise skipped.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chownSync, globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { freePort } from '../../scripts/free-port.ts'
import { dataFolder, ServiceProcess, statusOf } from '../harness/process.ts'
import { call } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const programs = globSync('/usr/lib/postgresql/*/bin').find((it) => Number(it.split('/')[4]) >= 15)
const skip = programs === undefined && 'PostgreSQL is not installed on this system'

test('a DATABASE_URL with several hosts finds the primary at the start, and the new one after a promotion', {
  skip,
}, async () => {
  const folder = scratch()
  const primary = await makePrimary(folder)
  const standby = await makeStandby(folder, primary)
  const hosts = [await freePort(), standby.port, primary.port].map((port) => `127.0.0.1:${port}`)
  const { send, url, accepted, find, service } = await startDemo(
    `postgres://hulaki@${hosts.join(',')}/postgres?target_session_attrs=read-write`,
  )
  for (let sent = 0; sent < 5; sent++) assert.equal(await send(), 200)

  primary.stop()
  await until(async () => (await statusOf(`${url}/readyz`)) === 503)
  assert.equal(await send(), 503)
  standby.promote()
  await until(async () => (await statusOf(`${url}/readyz`)) === 200)
  await until(async () => (await send()) === 200)
  for (const id of accepted) assert.equal(await find(id), 200, id)
  assert.equal(await service.stop(), 0)
})

test('without a primary sends get 503; after the promotion every message that got 200 is there', {
  skip,
}, async () => {
  const folder = scratch()
  const primary = await makePrimary(folder)
  const standby = await makeStandby(folder, primary)
  const relay = await startRelay(standby.port)
  relay.pointTo(primary.port)
  const { send, url, accepted, find, service } = await startDemo(`postgres://hulaki@127.0.0.1:${relay.port}/postgres`)
  for (let sent = 0; sent < 5; sent++) assert.equal(await send(), 200)

  // Like a virtual IP, the relay may point to the standby before its promotion, while the standby is read-only.
  primary.stop()
  relay.pointTo(standby.port)
  await until(async () => (await statusOf(`${url}/readyz`)) === 503)
  assert.equal(await send(), 503)
  standby.promote()
  await until(async () => (await statusOf(`${url}/readyz`)) === 200)
  await until(async () => (await send()) === 200)
  for (const id of accepted) assert.equal(await find(id), 200, id)
  assert.equal(await service.stop(), 0)
})

/** A service with the workspace Demo, and calls with its live key. */
async function startDemo(databaseUrl: string) {
  const service = new ServiceProcess({
    env: { DATABASE_URL: databaseUrl, HULAKI_DATA_DIR: dataFolder(), HULAKI_DEMO: 'on', HULAKI_ROLES: 'all' },
  })
  const url = await service.url()
  const headers = { 'x-api-key': service.shown(/^ {4}live {2}(svc_live_\w+)$/m) ?? '' }
  const accepted: string[] = []
  const send = async () => {
    const body = { to: '9800000001', text: `Message ${accepted.length}` }
    const answer = await call(`${url}/api/sms/v1/sms/send`, { method: 'POST', headers, body })
    if (answer.status === 200) accepted.push(answer.body.messageId)
    return answer.status
  }
  const find = async (id: string) =>
    (await call(`${url}/api/sms/v1/sms/messages/${id}`, { method: 'GET', headers })).status
  return { service, url, accepted, send, find }
}

interface Cluster {
  directory: string
  port: number
  stop(): void
  promote(): void
}

async function makePrimary(folder: string): Promise<Cluster> {
  const directory = join(folder, 'primary')
  run('initdb', ['-D', directory, '-U', 'hulaki', '--auth=trust', '--no-sync'])
  return start(directory, folder)
}

/** Synchronous replication: no message gets 200 before the standby has it. */
async function makeStandby(folder: string, primary: Cluster): Promise<Cluster> {
  const directory = join(folder, 'standby')
  const from = `host=127.0.0.1 port=${primary.port} user=hulaki application_name=standby`
  run('pg_basebackup', ['-D', directory, '-d', from, '-R', '-c', 'fast', '--no-sync'])
  const standby = await start(directory, folder)
  const ask = (sql: string) =>
    run('psql', ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'hulaki', '-d', 'postgres', '-c', sql])
  ask("alter system set synchronous_standby_names = 'standby'")
  ask('select pg_reload_conf()')
  return standby
}

async function start(directory: string, folder: string): Promise<Cluster> {
  const port = await freePort()
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -c max_connections=100`
  run('pg_ctl', ['-D', directory, '-w', '-o', options, '-l', `${directory}.log`, 'start'])
  const stop = () => {
    spawnSync(join(programs ?? '', 'pg_ctl'), ['-D', directory, '-m', 'immediate', 'stop'], asOwner())
  }
  after(stop)
  const promote = () => run('pg_ctl', ['-D', directory, '-w', 'promote'])
  return { directory, port, stop, promote }
}

/** PostgreSQL refuses to run as root. */
function asOwner(): { uid?: number; gid?: number } {
  return userInfo().uid === 0 ? { uid: 65534, gid: 65534 } : {}
}

function run(program: string, options: string[]): void {
  execFileSync(join(programs ?? '', program), options, { stdio: 'ignore', cwd: tmpdir(), ...asOwner() })
}

function scratch(): string {
  const parent = mkdtempSync(join(tmpdir(), 'hulaki-failover-'))
  after(() => rmSync(parent, { recursive: true, force: true }))
  const folder = join(parent, 'clusters')
  mkdirSync(folder)
  const { uid, gid } = asOwner()
  for (const it of [parent, folder]) if (uid !== undefined && gid !== undefined) chownSync(it, uid, gid)
  return folder
}

/** A TCP relay with a fixed port, like a virtual IP in front of the database servers. */
async function startRelay(first: number) {
  let target = first
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const pointTo = (next: number) => {
    target = next
  }
  return { port, pointTo }
}
