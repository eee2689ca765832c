// A caller that sends a request too slowly, or sends nothing, gets a 408, and the connection is closed.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { createServer } from '../../src/http/server.ts'
import { drip, REQUEST_MS, serve, TLS, usual } from './dripping.ts'

const plainPort = await serve(null)
const tlsPort = await serve(TLS)

for (const [what, said] of [
  ['a head', 'GET / HTTP/1.1\r\nhost: x\r\nx-'],
  ['a body', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 60000\r\n\r\n"'],
  ['nothing', ''],
] as const) {
  for (const scheme of ['http', 'https']) {
    test(`answers 408 to ${what} that arrives too slowly over ${scheme} (§2.6)`, async () => {
      const options = { host: '127.0.0.1', rejectUnauthorized: false }
      const socket = scheme === 'http' ? connect(plainPort, '127.0.0.1') : connectTls(tlsPort, options)
      await once(socket, scheme === 'http' ? 'connect' : 'secureConnect')
      const { heard, ms } = await drip(socket, said)
      assert.match(heard, /^HTTP\/1\.1 408 Request Timeout\r\n.*"code":"invalid_request"}$/s)
      assert.ok(ms > REQUEST_MS * 0.9, `after ${ms} ms`)
    })
  }
}

test('closes the connection of a caller that keeps sending slowly after the response', async () => {
  const socket = connect({ port: plainPort, host: '127.0.0.1', allowHalfOpen: true })
  // The connection is closed although the caller keeps sending.
  const { heard } = await drip(socket, 'GET / HTTP/1.1\r\nx-')
  assert.match(heard, /^HTTP\/1\.1 408 /)
})

test('closes a connection whose TLS handshake does not end', async () => {
  const socket = connect(tlsPort, '127.0.0.1')
  const { ms } = await drip(socket, '')
  assert.ok(ms > REQUEST_MS * 0.9, `after ${ms} ms`)
})

test('has a timeout of 30 s for headers and body together', async () => {
  const { app } = createServer({ ...usual, tls: null })
  assert.deepEqual([app.server.headersTimeout, app.server.requestTimeout], [30_000, 30_000])
  await app.close()
})
