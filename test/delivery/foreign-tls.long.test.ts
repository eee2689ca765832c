// TLS to a carrier: OpenSSL terminates TLS, Net::SMPP handles SMPP, and Wireshark decrypts the traffic.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { cutIntoFrames, judgeByWireshark, noNetSmpp } from '../smpp/foreign-peer.ts'
import { noOpenssl, opensslEnd } from '../smpp/openssl-end.ts'
import { scriptedSmsc } from '../smpp/scripted-smsc.ts'
import { type Sniffer, sniff } from '../smpp/sniffer.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
const sender = await makeSender(service)
const skip = noNetSmpp || noOpenssl
const SUBMIT_SM = 0x04

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const pem = (name: string) => readFileSync(file(name), 'utf8')
const SMSC = '../smpp/fixtures/smsc.test'
const FOLDER = '../webhooks/certificates'
/** The self-signed certificate of `smsc.test`. */
const smscPem = ['-cert', file(`${SMSC}.crt`), '-key', file(`${SMSC}.key`)]
/** A certificate for `localhost`, `receiver.test` and 127.0.0.1 by the test CA. */
const receiverPem = ['-cert', file(`${FOLDER}/receiver.cert.pem`), '-key', file(`${FOLDER}/receiver.key.pem`)]
const ca = pem(`${FOLDER}/ca.cert.pem`)
/** Requires a client certificate of that CA. */
const wantsCertificate = ['-Verify', '2', '-CAfile', file(`${FOLDER}/ca.cert.pem`)]
const own = {
  tlsKey: pem(`${FOLDER}/receiver.key.pem`),
  smpp: { tlsCertificate: pem(`${FOLDER}/receiver.cert.pem`) },
}

async function begin(t: TestContext, args: readonly string[]) {
  const smsc = await scriptedSmsc(t)
  const folder = mkdtempSync(join(tmpdir(), 'smpp-tls-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const keys = join(folder, 'secrets')
  const end = await opensslEnd(t, smsc.port, [...args, '-keylogfile', keys])
  return { smsc, end, record: await sniff(t, end.port, { keys }) }
}

/** The error of the first attempt; null if bound. */
async function firstTry(t: TestContext, port: number, settings: Record<string, unknown>) {
  const id = await addCarrier(service, port, { tls: true, ...settings })
  t.after(() => service.manage('DELETE', `/carriers/${id}`))
  const bind = await until(async () => {
    await service.settle()
    const [it] = (await service.manage('GET', `/carriers/${id}`)).body.state
    return it?.state === 'bound' || it?.lastError ? it : null
  })
  return { id, fault: bind.state === 'bound' ? null : (bind.lastError as string) }
}

/** The requested server names, once there are enough hellos. */
const namesAsked = (record: Sniffer, count: number) =>
  until(() => {
    const hellos = record.rows('tls.handshake.type == 1', 'tcp.srcport', 'tls.handshake.extensions_server_name')
    return hellos.length >= count ? hellos.map(([, name = '']) => name) : null
  })

const hasBound = (smsc: Awaited<ReturnType<typeof scriptedSmsc>>) => smsc.of('bind_transceiver').length > 0

for (const version of ['-tls1_3', '-tls1_2']) {
  test(`tlsCa, tlsCertificate and tlsServerName: OpenSSL accepts our certificate, and a message is sent (${version})`, {
    skip,
  }, async (t) => {
    const { smsc, end, record } = await begin(t, [...smscPem, ...wantsCertificate, version])
    const smpp = { ...own.smpp, tlsCa: pem(`${SMSC}.crt`), tlsServerName: 'smsc.test' }
    const { id, fault } = await firstTry(t, end.port, { ...own, smpp })
    assert.equal(fault, null, end.said())
    assert.match(end.said(), /CN = receiver\.test/, 'OpenSSL read our certificate')
    const routeId = await addRoute(service, id)
    t.after(() => service.manage('DELETE', `/routes/${routeId}`))
    await sender.send({ to: '9841000001' })
    await service.settle()
    assert.equal((await smsc.nth('submit_sm', 1)).destination_addr, '9779841000001')
    if (!record) return
    const frames = await until(() => {
      const some = record.insideTls().flatMap((bytes) => cutIntoFrames([bytes]))
      return some.some((frame) => frame.readUInt32BE(4) === SUBMIT_SM) ? some : null
    })
    judgeByWireshark(t, frames)
    assert.deepEqual(await namesAsked(record, 1), ['smsc.test'])
    const shown = record.rows(`tls.handshake.type == 11 && tcp.dstport == ${end.port}`, 'x509sat.uTF8String')
    assert.match(String(shown), /receiver\.test/)
  })
}

test('tlsCa: no bind to a carrier with an untrusted certificate', { skip }, async (t) => {
  const { smsc, end } = await begin(t, smscPem)
  const system = await firstTry(t, end.port, { smpp: { tlsServerName: 'smsc.test' } })
  assert.match(system.fault ?? '', /self.signed/i)
  const other = await firstTry(t, end.port, { name: 'Other', smpp: { tlsServerName: 'smsc.test', tlsCa: ca } })
  assert.match(other.fault ?? '', /self.signed|unable to verify/i)
  assert.equal(hasBound(smsc), false)
})

test('tlsCertificate: the carrier rejects a missing or foreign certificate', { skip }, async (t) => {
  const { smsc, end } = await begin(t, [...smscPem, ...wantsCertificate])
  const smpp = { tlsCa: pem(`${SMSC}.crt`), tlsServerName: 'smsc.test' }
  const none = await firstTry(t, end.port, { smpp })
  assert.match(none.fault ?? '', /certificate required|handshake failure|alert/i)
  const strange = { tlsKey: pem(`${SMSC}.key`), smpp: { ...smpp, tlsCertificate: pem(`${SMSC}.crt`) } }
  const other = await firstTry(t, end.port, { name: 'Strange', ...strange })
  assert.match(other.fault ?? '', /unknown ca|alert/i)
  assert.match(end.said(), /peer did not return a certificate/)
  assert.equal(hasBound(smsc), false)
})

test('tlsServerName: the certificate must match it, or the host, or the address', { skip }, async (t) => {
  const { smsc, end, record } = await begin(t, receiverPem)
  const wrong = await firstTry(t, end.port, { smpp: { tlsCa: ca, tlsServerName: 'smsc.test' } })
  assert.match(wrong.fault ?? '', /does not match certificate's altnames/)
  assert.equal(hasBound(smsc), false)
  const byAddress = await firstTry(t, end.port, { name: 'Address', smpp: { tlsCa: ca } })
  assert.equal(byAddress.fault, null)
  assert.equal(hasBound(smsc), true)
  if (!record) return
  const names = await namesAsked(record, 2)
  assert.deepEqual([names[0], names.at(-1)], ['smsc.test', ''], 'no server name for an address (RFC 6066)')
})

test('tlsServerName: defaults to the host name', { skip }, async (t) => {
  const { end, record } = await begin(t, receiverPem)
  const { fault } = await firstTry(t, end.port, { host: 'localhost', smpp: { tlsCa: ca } })
  assert.equal(fault, null)
  if (!record) return
  assert.deepEqual(await namesAsked(record, 1), ['localhost'])
})
