// Whoever drips a request, or says nothing at all, is answered 408 when the time of a request is up, and hung up on.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { createServer } from '../../src/http/server.ts'
import { systemChance } from '../../src/runtime/chance.ts'
import { SystemClock } from '../../src/runtime/clock.ts'
import { Ids } from '../../src/runtime/ids.ts'
import { createLog } from '../../src/runtime/log.ts'
import { Metrics } from '../../src/runtime/metrics.ts'

const REQUEST_MS = 1_000
/** How much later than that a busy machine may look. */
const SLACK_MS = 2_000
const DRIP_MS = 50
const certificate = (name: string) => fileURLToPath(new URL(`../webhooks/certificates/${name}.pem`, import.meta.url))
const TLS = { certFile: certificate('receiver.cert'), keyFile: certificate('receiver.key') }

const usual = {
  log: createLog('silent'),
  ids: new Ids(new SystemClock(), systemChance),
  metrics: new Metrics(),
  trustedProxies: [],
  gate: { isShutFor: () => false, isCrowded: () => false },
  isOutage: () => false,
}

async function serve(tls: typeof TLS | null): Promise<number> {
  const { app } = createServer({ ...usual, metrics: new Metrics(), tls, requestMs: REQUEST_MS })
  app.post('/', async () => ({}))
  await app.listen({ port: 0, host: '127.0.0.1' })
  after(() => app.close())
  return (app.server.address() as AddressInfo).port
}

/** What it hears, and when it is hung up on. */
async function drip(socket: Socket, said: string): Promise<{ heard: string; ms: number }> {
  const began = performance.now()
  let heard = ''
  socket.on('data', (bytes) => {
    heard += bytes
  })
  // Hung up on with what it said unread, it may hear a reset.
  socket.on('error', () => {})
  socket.write(said)
  const dripping = setInterval(() => said !== '' && socket.write('x'), DRIP_MS)
  await new Promise((resolve) => socket.once('close', resolve))
  clearInterval(dripping)
  return { heard, ms: performance.now() - began }
}

const plainPort = await serve(null)
const tlsPort = await serve(TLS)

for (const [what, said] of [
  ['a head', 'GET / HTTP/1.1\r\nhost: x\r\nx-'],
  ['a body', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 60000\r\n\r\n"'],
  ['nothing', ''],
] as const) {
  for (const scheme of ['http', 'https']) {
    test(`§2.6: over ${scheme} whoever drips ${what} is answered 408 in time`, async () => {
      const options = { host: '127.0.0.1', rejectUnauthorized: false }
      const socket = scheme === 'http' ? connect(plainPort, '127.0.0.1') : connectTls(tlsPort, options)
      await once(socket, scheme === 'http' ? 'connect' : 'secureConnect')
      const { heard, ms } = await drip(socket, said)
      assert.match(heard, /^HTTP\/1\.1 408 Request Timeout\r\n.*"code":"invalid_request"}$/s)
      assert.ok(ms > REQUEST_MS * 0.9 && ms < REQUEST_MS + SLACK_MS, `after ${ms} ms`)
    })
  }
}

test('whoever drips on after the answer is not waited for', async () => {
  const socket = connect({ port: plainPort, host: '127.0.0.1', allowHalfOpen: true })
  const { heard, ms } = await drip(socket, 'GET / HTTP/1.1\r\nx-')
  assert.match(heard, /^HTTP\/1\.1 408 /)
  assert.ok(ms < REQUEST_MS + SLACK_MS, `after ${ms} ms`)
})

test('whoever never comes to an end of the TLS handshake is hung up on as well', async () => {
  const socket = connect(tlsPort, '127.0.0.1')
  const { ms } = await drip(socket, '')
  assert.ok(ms > REQUEST_MS * 0.9 && ms < REQUEST_MS + SLACK_MS, `after ${ms} ms`)
})

test('the usual time of a request is 30 s, of its head and its body together', async () => {
  const { app } = createServer({ ...usual, tls: null })
  assert.deepEqual([app.server.headersTimeout, app.server.requestTimeout], [30_000, 30_000])
  await app.close()
})
