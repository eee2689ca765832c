// A start that finds no database at DATABASE_URL waits for it, and the log says for what: it may be recovering, or start later.
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

/** What PostgreSQL says while it recovers. */
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
const waits = ({ stdout }: ServiceProcess) =>
  stdout
    .split('\n')
    .filter((line) => line.includes('waiting for it'))
    .map((line) => JSON.parse(line).reason)

test('nobody listens, then it recovers, then it is there', async (t) => {
  const port = await freePort()
  const service = start(port)
  await until(() => waits(service).length > 1)
  assert.match(waits(service)[0], /ECONNREFUSED/)
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
  await until(() => waits(service).some((it) => it.includes('starting up')))
  isRecovering = false
  assert.equal(await statusOf(`${await service.url()}/readyz`), 200)
  assert.doesNotMatch(service.stdout, /secret|password/i)
  assert.equal(await service.stop(), 0)
})

test('one that takes connections and says nothing is waited for, and a stop is heard meanwhile', async (t) => {
  // It reads, or it would not see that the other end has gone.
  const silent = createServer((socket) => socket.on('error', () => {}).resume()).listen(0, '127.0.0.1')
  t.after(() => silent.close())
  await once(silent, 'listening')
  const service = start((silent.address() as AddressInfo).port)
  await until(() => waits(service).length > 0)
  assert.equal(await service.stop(), 0)
})
