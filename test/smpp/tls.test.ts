import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createServer } from 'node:tls'
import { acceptSession, connectSession } from '../../src/smpp/open-session.ts'

const fixture = (name: string) => readFileSync(new URL(name, import.meta.url))
const ca = fixture('fixtures/smsc.test.crt')
const named = { key: fixture('fixtures/smsc.test.key'), cert: ca }

async function tlsSmsc(t: TestContext, certificate = named) {
  const server = createServer(certificate, (socket) => {
    const handlers = { submit_sm: () => ({ message_id: 'over TLS' }) }
    acceptSession(socket, { onBind: () => ({}), handlers }).catch(() => {})
  })
  server.on('tlsClientError', () => {}) // expected: the client rejects the certificate
  t.after(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { host: '127.0.0.1', port, bindName: 'bind_transceiver', bind: {} } as const
}

test('opens a TLS session verified by servername and a given CA', async (t) => {
  const target = await tlsSmsc(t)
  const session = await connectSession({ ...target, tls: { servername: 'smsc.test', ca } })
  const outcome = await session.submit({ short_message: Buffer.alloc(254) })
  assert(outcome.kind === 'answered' && outcome.messageId === 'over TLS')
  assert.deepEqual(await session.drain(), { reason: 'unbound' })
})

test('rejects a certificate without a trusted CA', async (t) => {
  const target = await tlsSmsc(t)
  const connecting = connectSession({ ...target, tls: { servername: 'smsc.test' } })
  await assert.rejects(connecting, { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
})

for (const tls of [{ servername: 'other.test', ca }, { ca }]) {
  test(`rejects a certificate for another name than ${tls.servername ?? 'the address'}`, async (t) => {
    const target = await tlsSmsc(t)
    await assert.rejects(connectSession({ ...target, tls }), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
  })
}

test('verifies a carrier at an IP address by that address, without a servername (RFC 6066 §3)', async (t) => {
  const certificates = '../webhooks/certificates'
  const [key, cert, own] = ['receiver.key.pem', 'receiver.cert.pem', 'ca.cert.pem'].map((file) =>
    fixture(`${certificates}/${file}`),
  )
  assert(key && cert && own)
  const target = await tlsSmsc(t, { key, cert })
  for (const tls of [{ ca: own }, { servername: target.host, ca: own }]) {
    const session = await connectSession({ ...target, tls })
    assert.deepEqual(await session.drain(), { reason: 'unbound' })
  }
})
