// A slow request holds a connection no longer than its timeout, because Node checks often enough.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { drip, REQUEST_MS, serve, TLS } from './dripping.ts'

/** How late the server may notice the timeout on a busy machine. */
const SLACK_MS = 2_000

for (const { what, tls, said, allowHalfOpen } of [
  { what: 'drips a head', tls: null, said: 'GET / HTTP/1.1\r\nhost: x\r\nx-', allowHalfOpen: false },
  { what: 'drips on after the answer', tls: null, said: 'GET / HTTP/1.1\r\nx-', allowHalfOpen: true },
  { what: 'says nothing', tls: null, said: '', allowHalfOpen: false },
  { what: 'never ends its TLS handshake', tls: TLS, said: '', allowHalfOpen: false },
]) {
  test(`closes the connection soon after the timeout when a caller ${what} (§2.6)`, async () => {
    const port = await serve(tls)
    const { ms } = await drip(connect({ port, host: '127.0.0.1', allowHalfOpen }), said)
    assert.ok(ms < REQUEST_MS + SLACK_MS, `after ${ms} ms`)
  })
}
