// A start waits for the database at DATABASE_URL and logs the reason.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { testDatabaseAddress } from '../harness/database.ts'
import { freePort } from '../harness/free-port.ts'
import { dataFolder, ServiceProcess, statusOf, urlOf } from '../harness/process.ts'
import type { Connection } from '../harness/server.ts'
import { until } from '../harness/until.ts'

const address = await testDatabaseAddress()

/** The error of PostgreSQL during recovery. */
const STARTING_UP = (() => {
  const fields = ['SFATAL', 'VFATAL', 'C57P03', 'Mthe database system is starting up'].map((it) => `${it}\0`).join('')
  const body = Buffer.from(`${fields}\0`)
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
})()

function relayTo({ host, port }: Connection, near: Socket): void {
  const far = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  near.pipe(far).pipe(near)
  for (const socket of [near, far]) socket.on('error', () => near.destroy() && far.destroy())
}

const start = (port: number) =>
  new ServiceProcess({
    env: { DATABASE_URL: urlOf({ ...address, host: '127.0.0.1', port }), HULAKI_DATA_DIR: dataFolder() },
  })
const loggedReasons = ({ stdout }: ServiceProcess) =>
  stdout
    .split('\n')
    .filter((line) => line.includes('database not reachable'))
    .map((line) => JSON.parse(line).reason)

test('waits for a database that is not listening, then recovering, then ready', async (t) => {
  const port = await freePort()
  const service = start(port)
  await until(() => loggedReasons(service).length > 1)
  assert.match(loggedReasons(service)[0], /ECONNREFUSED/)
  let isRecovering = true
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    sockets.add(near)
    if (!isRecovering) return relayTo(address, near)
    near.once('data', () => near.end(STARTING_UP))
    near.on('error', () => {})
  }).listen(port, '127.0.0.1')
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  await until(() => loggedReasons(service).some((it) => it.includes('starting up')))
  isRecovering = false
  assert.equal(await statusOf(`${await service.url()}/readyz`), 200)
  assert.doesNotMatch(service.stdout, /secret|password/i)
  assert.equal(await service.stop(), 0)
})

test('waits for a database that does not respond, and stops on a signal meanwhile', async (t) => {
  // The socket must read to notice that the peer closed.
  const silent = createServer((socket) => socket.on('error', () => {}).resume()).listen(0, '127.0.0.1')
  t.after(() => silent.close())
  await once(silent, 'listening')
  const service = start((silent.address() as AddressInfo).port)
  await until(() => loggedReasons(service).length > 0)
  assert.equal(await service.stop(), 0)
})
