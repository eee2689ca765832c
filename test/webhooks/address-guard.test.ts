// The address guard dials only addresses that it has checked (D31).
import assert from 'node:assert/strict'
import { lookup } from 'node:dns/promises'
import { hostname } from 'node:os'
import { type TestContext, test } from 'node:test'
import { AddressGuard, DialError } from '../../src/outbound/address-guard.ts'
import { until } from '../harness/until.ts'
import { startDnsServer, type Zone } from './dns-server.ts'
import { startEndpoint, testCa } from './endpoints.ts'

async function startGuard(t: TestContext, { zone = () => [], allowed = [] }: { zone?: Zone; allowed?: string[] }) {
  const { server, questions } = await startDnsServer(t, zone)
  const isAllowed = (address: string) => allowed.includes(address)
  const guard = new AddressGuard({ isAllowed, nameServers: [server], extraCa: testCa })
  t.after(() => guard.close())
  return { guard, questions }
}

const inTime = () => AbortSignal.timeout(5_000)

test('D31: refuses a literal special address without a DNS query', async (t) => {
  const { guard, questions } = await startGuard(t, {})
  const hosts = [
    '127.0.0.1',
    '0.0.0.0',
    '169.254.169.254',
    '10.1.2.3',
    '::1',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    'fe80::1',
  ]
  for (const host of [...hosts, 'localhost', 'localhost.', 'deep.localhost']) {
    await assert.rejects(guard.vet(host), DialError, host)
  }
  assert.deepEqual(questions, [])
})

test('D31: refuses a name if any of its addresses is special', async (t) => {
  const zone: Record<string, string[]> = {
    'metadata.test': ['169.254.169.254'],
    'home.test': ['127.0.0.1'],
    'mixed.test': ['93.184.215.14', '10.0.0.1'],
    'mixed-too.test': ['10.0.0.1', '93.184.215.14'],
    'mixed-families.test': ['93.184.215.14', '::1'],
    'mapped.test': ['::ffff:5db8:d70e'],
    'nat64.test': ['64:ff9b::a9fe:a9fe'],
    'six-to-four.test': ['2002:7f00:1::'],
    'teredo.test': ['2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    'local.test': ['fd00::1'],
  }
  const { guard } = await startGuard(t, { zone: (name) => zone[name] ?? [] })
  for (const name of Object.keys(zone)) await assert.rejects(guard.vet(name), /special address/, name)
})

test('returns all ordinary addresses of a name, of both families', async (t) => {
  const { guard } = await startGuard(t, {
    zone: () => ['93.184.215.14', '1.1.1.1', '2606:4700::1111', '64:ff9b::101:101'],
  })
  assert.deepEqual(await guard.vet('public.test'), [
    { address: '93.184.215.14', family: 4 },
    { address: '1.1.1.1', family: 4 },
    { address: '2606:4700::1111', family: 6 },
    { address: '64:ff9b::101:101', family: 6 },
  ])
})

test('D31: the error does not reveal the address, which may be in the operator\u2019s network', async (t) => {
  const { guard } = await startGuard(t, { zone: () => ['10.20.30.40'] })
  await assert.rejects(guard.vet('intranet.test'), { message: 'the host has a special address (private)' })
})

test('refuses names that do not exist or are only in the hosts file', async (t) => {
  const { guard, questions } = await startGuard(t, {})
  await assert.rejects(guard.vet('nowhere.test'), /DNS lookup failed/)
  const known = await lookup(hostname()).catch(() => undefined)
  await assert.rejects(guard.vet(hostname()), /DNS lookup failed/, `the system resolves ${known?.address}`)
  assert(questions.includes(`A ${hostname().toLowerCase()}`))
})

test('D31: resolves and checks a name once per dial', async (t) => {
  const { port, connections } = await startEndpoint(t, (response) => response.end())
  // Dialling 0.0.0.0 would reach the endpoint, too.
  const zone: Zone = (_name, questionNumber) => [questionNumber === 1 ? '127.0.0.1' : '0.0.0.0']
  const { guard, questions } = await startGuard(t, { zone, allowed: ['127.0.0.1'] })

  const socket = await guard.dial({ hostname: 'receiver.test', port, signal: inTime() })
  t.after(() => socket.destroy())
  assert.equal(socket.remoteAddress, '127.0.0.1')
  assert.deepEqual(questions.toSorted(), ['A receiver.test', 'AAAA receiver.test'])

  const again = guard.dial({ hostname: 'receiver.test', port, signal: inTime() })
  await assert.rejects(again, /special address \(unspecified\)/)
  assert.equal(connections.total, 1)
})

test('verifies the certificate for a name, a name with a trailing dot, localhost and an address', async (t) => {
  const { port } = await startEndpoint(t, (response) => response.end())
  const { guard } = await startGuard(t, { zone: () => ['127.0.0.1'], allowed: ['127.0.0.1'] })
  for (const host of ['receiver.test', 'receiver.test.', 'localhost', '127.0.0.1']) {
    const socket = await guard.dial({ hostname: host, port, signal: inTime() })
    t.after(() => socket.destroy())
    assert.equal(socket.authorized, true)
    assert.equal(socket.alpnProtocol, 'http/1.1')
  }
})

test('uses the first of several addresses that answers', async (t) => {
  const { port } = await startEndpoint(t, (response) => response.end())
  const addresses = ['127.0.0.3', '127.0.0.1']
  const { guard } = await startGuard(t, { zone: () => addresses, allowed: addresses })
  const socket = await guard.dial({ hostname: 'receiver.test', port, signal: inTime() })
  t.after(() => socket.destroy())
  assert.equal(socket.remoteAddress, '127.0.0.1')
})

test('rejects an untrusted certificate and one for another host', async (t) => {
  const { guard } = await startGuard(t, { zone: () => ['127.0.0.1'], allowed: ['127.0.0.1'] })
  const codes = { 'self-signed': 'DEPTH_ZERO_SELF_SIGNED_CERT', 'other-host': 'ERR_TLS_CERT_ALTNAME_INVALID' }
  for (const certificate of ['self-signed', 'other-host'] as const) {
    const { port, connections } = await startEndpoint(t, (response) => response.end(), { certificate })
    const dialling = guard.dial({ hostname: 'receiver.test', port, signal: inTime() })
    await assert.rejects(dialling, { code: codes[certificate] })
    await until(() => connections.open === 0)
  }
})

test('checks certificates even with NODE_TLS_REJECT_UNAUTHORIZED=0', async (t) => {
  t.mock.method(process, 'emitWarning', () => {})
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  t.after(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED)
  const { port } = await startEndpoint(t, (response) => response.end(), { certificate: 'self-signed' })
  const { guard } = await startGuard(t, { zone: () => ['127.0.0.1'], allowed: ['127.0.0.1'] })
  await assert.rejects(guard.dial({ hostname: 'receiver.test', port, signal: inTime() }), /self-signed/)
})

test('rejects certificates of the extra CA without it', async (t) => {
  const { port } = await startEndpoint(t, (response) => response.end())
  const guard = new AddressGuard({ isAllowed: () => true })
  await assert.rejects(guard.dial({ hostname: 'localhost', port, signal: inTime() }), /unable to verify/)
})
