// Settings of the link: TLS with a CA and a client certificate, and all timeouts.
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { acceptSession } from '../../src/smpp/open-session.ts'
import { assertRefused } from '../harness/refused.ts'
import { addCarrier } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
const smscPem = { cert: read('../smpp/fixtures/smsc.test.crt'), key: read('../smpp/fixtures/smsc.test.key') }
const certificates = '../webhooks/certificates'
const own = { cert: read(`${certificates}/receiver.cert.pem`), key: read(`${certificates}/receiver.key.pem`) }
const ca = read(`${certificates}/ca.cert.pem`)

async function listening(server: Server): Promise<number> {
  after(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const bindOf = async (id: string) => (await service.manage('GET', `/carriers/${id}`)).body.state[0]

/** The first error of a bind, or null when it is bound. */
async function faultOf(id: string): Promise<string | null> {
  const bind = await until(async () => {
    await service.settle()
    const it = await bindOf(id)
    return it?.state === 'bound' || it?.lastError ? it : null
  })
  return bind.state === 'bound' ? null : bind.lastError
}

test('TLS: binds only with the configured CA and client certificate', async () => {
  const shown: string[] = []
  const server = createTlsServer(
    { ...smscPem, ca, requestCert: true, rejectUnauthorized: true },
    (socket: TLSSocket) => {
      shown.push(socket.getPeerCertificate().fingerprint256)
      acceptSession(socket, { onBind: () => ({}) }).catch(() => {})
    },
  )
  server.on('tlsClientError', () => {})
  const port = await listening(server)
  const smpp = { tlsCa: smscPem.cert, tlsServerName: 'smsc.test', tlsCertificate: own.cert }
  const id = await addCarrier(service, port, { tls: true, smpp, tlsKey: own.key })
  assert.equal(await faultOf(id), null)
  assert.deepEqual([...new Set(shown)], [new X509Certificate(own.cert).fingerprint256])

  const shows = await service.manage('GET', `/carriers/${id}`)
  assert.equal(shows.body.hasTlsKey, true)
  assert.equal(shows.body.smpp.tlsCertificate, own.cert)
  assert(!JSON.stringify(shows.body).includes('PRIVATE KEY'), 'the API never returns the key')
  const audit = await service.manage('GET', '/audit-log')
  assert(!JSON.stringify(audit.body).includes('PRIVATE KEY'), 'the audit log has no key')

  const path = `/carriers/${id}`
  const wrong = await service.manage('PATCH', path, { tlsKey: smscPem.key })
  assertRefused(wrong, 400, 'invalid_request', ['tlsKey'])
  assertRefused(await service.manage('PATCH', path, { tlsKey: null }), 400, 'invalid_request', ['tlsKey'])
  assertRefused(await service.manage('PATCH', path, { smpp: { tlsCertificate: null } }), 400, 'invalid_request', [
    'tlsKey',
  ])
  // Without our certificate the carrier closes the connection.
  await service.manage('PATCH', path, { tlsKey: null, smpp: { tlsCertificate: null } })
  await until(async () => (await bindOf(id))?.state !== 'bound' || null)
  assert.notEqual(await faultOf(id), null)
  await service.manage('DELETE', path)
})

test('TLS: no environment variable disables verification', async (t) => {
  const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  t.after(() => {
    if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
  })
  const server = createTlsServer(
    smscPem,
    (socket) => void acceptSession(socket, { onBind: () => ({}) }).catch(() => {}),
  )
  server.on('tlsClientError', () => {})
  const id = await addCarrier(service, await listening(server), { tls: true, smpp: { tlsServerName: 'smsc.test' } })
  assert.match((await faultOf(id)) ?? '', /self.signed/i)
  await service.manage('DELETE', `/carriers/${id}`)
})

/** A server that handles connections as the test says. */
async function rawSmsc(take: (socket: Socket) => void): Promise<number> {
  const open = new Set<Socket>()
  after(() => {
    for (const socket of open) socket.destroy()
  })
  return listening(
    createServer((socket) => {
      open.add(socket)
      socket.on('error', () => {})
      take(socket)
    }),
  )
}

test('connectSeconds and bindSeconds limit the connection and the bind', async () => {
  const deaf = await rawSmsc((socket) => socket.resume())
  const connecting = await addCarrier(service, deaf, { name: 'A', tls: true, smpp: { connectSeconds: 1 } })
  assert.match((await faultOf(connecting)) ?? '', /no connection within 1000 ms/)
  const binding = await addCarrier(service, deaf, { name: 'B', smpp: { bindSeconds: 1 } })
  assert.match((await faultOf(binding)) ?? '', /bind_timeout/)
  for (const id of [connecting, binding]) await service.manage('DELETE', `/carriers/${id}`)
})

test('sends enquire_link after enquireSeconds and closes after enquireAnswerSeconds', async () => {
  const commands: number[] = []
  const port = await rawSmsc((socket) => {
    socket.on('data', (frame: Buffer) => {
      commands.push(frame.readUInt32BE(4))
      if (commands.length > 1) return
      // A bind_transceiver_resp with an empty system_id, then silence.
      const answer = Buffer.alloc(17)
      answer.writeUInt32BE(17, 0)
      answer.writeUInt32BE(0x80000009, 4)
      frame.copy(answer, 12, 12, 16)
      socket.write(answer)
    })
  })
  const smpp = { enquireSeconds: 1, enquireAnswerSeconds: 1 }
  const id = await addCarrier(service, port, { smpp })
  await until(() => commands.includes(0x15))
  await until(async () => /silent/.test((await bindOf(id))?.lastError ?? '') || null)
  await service.manage('DELETE', `/carriers/${id}`)
})

test('a change of other settings keeps the connection and the secrets', async () => {
  const smsc = await startSmsc()
  const id = await addCarrier(service, smsc.port, { name: 'Kept' })
  await until(() => smsc.sessions.size === 1)
  const [session] = smsc.sessions
  const changed = await service.manage('PATCH', `/carriers/${id}`, { name: 'Still kept', segmentsPerSecond: 7 })
  assert.equal(changed.status, 200)
  await service.settle()
  assert.deepEqual([...smsc.sessions], [session])
  assert.equal(session?.state, 'bound')
  const { items } = (await service.manage('GET', '/audit-log')).body
  const { details } = items.find(
    (it: { action: string; subject: string }) => it.action === 'carrier.changed' && it.subject === id,
  )
  assert.deepEqual(Object.keys(details).sort(), ['name', 'segmentsPerSecond'])
})

test('two concurrent changes of one carrier are both kept', async () => {
  const id = await addCarrier(service, 9, { name: 'Twice' })
  const rounds = Array.from({ length: 10 }, (_, round) => round)
  for (const round of rounds) {
    const [serviceType, systemType] = [`s${round}`, `t${round}`]
    const answers = await Promise.all([
      service.manage('PATCH', `/carriers/${id}`, { smpp: { serviceType } }),
      service.manage('PATCH', `/carriers/${id}`, { systemType }),
    ])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    )
    const { body } = await service.manage('GET', `/carriers/${id}`)
    assert.deepEqual([body.smpp.serviceType, body.systemType], [serviceType, systemType])
  }
})
