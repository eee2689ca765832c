// Whoever drips a request, or says nothing at all, is answered 408 when the time of a request is up, and hung up on.
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
    test(`§2.6: over ${scheme} whoever drips ${what} is answered 408 when its time is up`, async () => {
      const options = { host: '127.0.0.1', rejectUnauthorized: false }
      const socket = scheme === 'http' ? connect(plainPort, '127.0.0.1') : connectTls(tlsPort, options)
      await once(socket, scheme === 'http' ? 'connect' : 'secureConnect')
      const { heard, ms } = await drip(socket, said)
      assert.match(heard, /^HTTP\/1\.1 408 Request Timeout\r\n.*"code":"invalid_request"}$/s)
      assert.ok(ms > REQUEST_MS * 0.9, `after ${ms} ms`)
    })
  }
}

test('whoever drips on after the answer is not waited for', async () => {
  const socket = connect({ port: plainPort, host: '127.0.0.1', allowHalfOpen: true })
  // It is hung up on, though it drips for as long as it is not.
  const { heard } = await drip(socket, 'GET / HTTP/1.1\r\nx-')
  assert.match(heard, /^HTTP\/1\.1 408 /)
})

test('whoever never comes to an end of the TLS handshake is hung up on as well', async () => {
  const socket = connect(tlsPort, '127.0.0.1')
  const { ms } = await drip(socket, '')
  assert.ok(ms > REQUEST_MS * 0.9, `after ${ms} ms`)
})

test('the usual time of a request is 30 s, of its head and its body together', async () => {
  const { app } = createServer({ ...usual, tls: null })
  assert.deepEqual([app.server.headersTimeout, app.server.requestTimeout], [30_000, 30_000])
  await app.close()
})
