// Rate limits of receipt callbacks (D52): each limit applies, and other callers are served meanwhile.
import assert from 'node:assert/strict'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { Captures } from '../../src/actions/carriers/captures.ts'
import { tallyReceipts } from '../../src/actions/carriers/receipt-tally.ts'
import { CallBounds } from '../../src/callbacks/bounds.ts'
import { mountCallbacks } from '../../src/callbacks/routes.ts'
import { createServer } from '../../src/http/server.ts'
import { createLog } from '../../src/runtime/log.ts'
import { Metrics } from '../../src/runtime/metrics.ts'
import { Db, isOutage } from '../../src/store/database/db.ts'
import { listReports } from '../../src/store/messages/reports.ts'
import { ALLOWED, addHttpCarrier, describe, startProvider } from '../harness/http-carrier.ts'
import { startProxy } from '../harness/proxy.ts'
import { addRoute, makeSender } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const PUBLIC = 'http://127.0.0.1:9'
const service = await ownService({ env: { ...ALLOWED, HULAKI_PUBLIC_URL: PUBLIC } })
const sender = await makeSender(service)
const provider = await startProvider()
after(() => provider.close())
const proxy = await startProxy(service)

const reading = { id: '/id', state: '/state' }
const http = { ...describe(provider.url), receipts: { kind: 'callback', reading } }
const carriers = [
  await addHttpCarrier(service, provider.url, { name: 'Busy', http }),
  await addHttpCarrier(service, provider.url, { name: 'Quiet', http }),
]
await addRoute(service, carriers[0] ?? '')
const pathOf = async (carrierId: string) =>
  new URL((await service.manage('POST', `/carriers/${carrierId}/callback`, { renew: false })).body.callbackUrl).pathname
const [busy, quiet] = [await pathOf(carriers[0] ?? ''), await pathOf(carriers[1] ?? '')]
const unknown = (nth: number) => `/carriers/${String(nth).padStart(43, 'x')}/receipts`

/** A server with only the callback routes; its database is behind a proxy that can break. */
async function openServer({ requestMs = 30_000 } = {}) {
  const db = new Db(proxy.address, { connections: 20 })
  const { log, logged } = logging()
  const metrics = new Metrics()
  const gate = { isShutFor: () => false, isCrowded: () => false }
  const { app } = createServer({
    log,
    ids: service.ports.ids,
    metrics,
    trustedProxies: [],
    tls: null,
    gate,
    isOutage,
    requestMs,
  })
  const receipts = tallyReceipts(service.clock, { metrics, log })
  const captures = new Captures(service.ports, log)
  mountCallbacks(app, { ...service.ports, db }, { log, metrics, publicUrl: null, receipts, captures })
  await app.listen({ port: 0, host: '127.0.0.1' })
  after(async () => {
    await app.close()
    await captures.stop()
    await db.close()
  })
  const { port } = app.server.address() as AddressInfo
  const call = (path: string, body: unknown = { id: 'nobody’s', state: 'DELIVRD' }) =>
    fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: JSON.stringify(body) })
  return { port, call, logged, metrics: () => metrics.text() }
}

function logging() {
  const logged: string[] = []
  return { logged, log: createLog('debug', { write: (line) => logged.push(line) }) }
}

/** Starts a request and never finishes its body. */
function drip(port: number, path: string) {
  const socket: Socket = connect(port, '127.0.0.1')
  const it = { received: '', isOver: false, close: () => socket.destroy() }
  socket.on('data', (bytes) => {
    it.received += bytes
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    it.isOver = true
  })
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n{"id`)
  return it
}

test('D52: a carrier may have 50 calls open; the next is 429 before its body is read, and other callers are served', async () => {
  const server = await openServer()
  assert.equal((await server.call(busy)).status, 200)
  const drips = Array.from({ length: 60 }, () => drip(server.port, busy))
  await until(() => drips.filter((it) => it.received.startsWith('HTTP/1.1 429 ')).length === 10)
  for (let times = 0; times < 3; times++) {
    const more = await server.call(busy, { id: 'x'.repeat(50_000), state: 'DELIVRD' })
    assert.deepEqual([more.status, more.headers.get('retry-after')], [429, '1'])
    assert.equal((await server.call(quiet)).status, 200, 'another carrier')
    assert.equal((await server.call(unknown(0))).status, 404, 'an unknown address')
  }
  assert.equal(drips.filter((it) => it.received === '').length, 50)
  assert.match(await server.metrics(), /^hulaki_carrier_callbacks_total\{outcome="too_many"\} 13$/m)
  assert.equal(server.logged.filter((line) => line.includes('too_many')).length, 1, 'logged once')
  // A closed connection makes room at once.
  for (const it of drips) it.close()
  await until(async () => (await server.call(busy)).status === 200)
})

test('a slow body gets 408 after the time limit, and makes room', async () => {
  const server = await openServer({ requestMs: 1_000 })
  assert.equal((await server.call(busy)).status, 200)
  const drips = Array.from({ length: 50 }, () => drip(server.port, busy))
  await until(() => drips.every((it) => it.isOver))
  for (const { received } of drips) assert.match(received, /^HTTP\/1\.1 408 /)
  assert.equal((await server.call(busy)).status, 200)
})

test('D52: limits calls per second and carrier; refused calls hold nothing', () => {
  const bounds = new CallBounds()
  let refused = 0
  for (let nth = 0; nth < 20_000; nth++) {
    const leave = bounds.enter('one')
    if (leave) leave()
    else refused += 1
  }
  assert(refused > 10_000, `${refused}`)
  assert(bounds.enter('other'), 'by carrier')
  const held = Array.from({ length: 51 }, () => bounds.enter('third'))
  assert.deepEqual([held.filter(Boolean).length, held.at(-1)], [50, null])
})

test('D52: looks up ten unknown addresses at a time, and refuses more without a query', async () => {
  const bounds = new CallBounds()
  const found = Promise.withResolvers<string>()
  let asked = 0
  const look = () => {
    asked += 1
    return found.promise
  }
  const ten = Array.from({ length: 10 }, () => bounds.lookUpUnknown(look))
  for (let times = 0; times < 100; times++) assert.equal(await bounds.lookUpUnknown(look), 'busy')
  assert.equal(asked, 10)
  found.resolve('found')
  assert.deepEqual(new Set(await Promise.all(ten)), new Set(['found']))
  assert.equal(await bounds.lookUpUnknown(look), 'found')
})

test('looks up a wrong address once', async () => {
  const server = await openServer()
  assert.equal((await server.call(unknown(1))).status, 404)
  const before = proxy.trips()
  for (let times = 0; times < 50; times++) assert.equal((await server.call(unknown(1))).status, 404)
  assert.equal(proxy.trips(), before, 'no further query')
})

test('D53: during a database outage a receipt gets 503, and its repetition is stored', async () => {
  const server = await openServer()
  const sent = await sender.send({ to: '9841000042' })
  await until(async () => {
    await service.settle()
    return (await sender.get(sent.body.messageId)).status === 'sent'
  })
  const receipt = { id: `id-${provider.got.length}`, state: 'DELIVRD' }
  proxy.close()
  for (let times = 0; times < 2; times++) {
    const response = await server.call(busy, receipt)
    assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '1'])
  }
  await proxy.open()
  // The address is found again; the first attempt to store the receipt fails.
  await until(async () => (await server.call(quiet)).status === 200)
  proxy.cutAtNext('begin', { refuseMs: 500 })
  await until(async () => (await server.call(busy, receipt)).status === 200)
  assert(proxy.wasCut())
  assert.equal((await sender.get(sent.body.messageId)).status, 'delivered')
  assert.equal((await listReports(service.db, sent.body.messageId)).length, 1)
})
