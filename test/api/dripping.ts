// Callers that send slowly or not at all, against a real server with a request timeout of one second.
import { readFileSync } from 'node:fs'
import type { AddressInfo, Socket } from 'node:net'
import { after } from 'node:test'
import { createServer } from '../../src/http/server.ts'
import { SystemClock } from '../../src/runtime/clock.ts'
import { Ids } from '../../src/runtime/ids.ts'
import { createLog } from '../../src/runtime/log.ts'
import { Metrics } from '../../src/runtime/metrics.ts'
import { systemRandom } from '../../src/runtime/random.ts'

export const REQUEST_MS = 1_000
const DRIP_MS = 50
const certificate = (name: string) =>
  readFileSync(new URL(`../webhooks/certificates/${name}.pem`, import.meta.url), 'utf8')
export const TLS = { cert: certificate('receiver.cert'), key: certificate('receiver.key') }

export const usual = {
  log: createLog('silent'),
  ids: new Ids(new SystemClock(), systemRandom),
  metrics: new Metrics(),
  trustedProxies: [],
  gate: { isShutFor: () => false, isCrowded: () => false },
  isOutage: () => false,
}

export async function serve(tls: typeof TLS | null): Promise<number> {
  const { app } = createServer({ ...usual, metrics: new Metrics(), tls, requestMs: REQUEST_MS })
  app.post('/', async () => ({}))
  await app.listen({ port: 0, host: '127.0.0.1' })
  after(() => app.close())
  return (app.server.address() as AddressInfo).port
}

/** Returns what the caller received, and when the connection was closed. */
export async function drip(socket: Socket, sent: string): Promise<{ heard: string; ms: number }> {
  const began = performance.now()
  let heard = ''
  socket.on('data', (bytes) => {
    heard += bytes
  })
  // With unread input, the close can arrive as a reset.
  socket.on('error', () => {})
  socket.write(sent)
  const dripping = setInterval(() => sent !== '' && socket.write('x'), DRIP_MS)
  await new Promise((resolve) => socket.once('close', resolve))
  clearInterval(dripping)
  return { heard, ms: performance.now() - began }
}
