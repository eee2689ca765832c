// Packet captures of real connections (D60), decoded and as a file for Wireshark, without OTPs and passwords.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sweepRecords } from '../../../src/actions/service/sweeps.ts'
import { assertRefused } from '../../harness/refused.ts'
import { addCarrier, addRoute, makeSender } from '../../harness/sending.ts'
import { ownService } from '../../harness/service.ts'
import { startSmsc } from '../../harness/smsc.ts'
import { until } from '../../harness/until.ts'
import { hasWireshark } from '../../smpp/wireshark.ts'
import { ABSENT } from '../fixtures.ts'

const PASSWORD = 'Tr0ub4d0r'
const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
const { manage } = service
const smsc = await startSmsc()
const carrierId = await addCarrier(service, smsc.port, { password: PASSWORD })
await addRoute(service, carrierId)
const sender = await makeSender(service)
await service.settle()

type Shown = { at: string; bind: number; outgoing: boolean; decoded: Record<string, unknown> }

test('records decoded PDUs that Wireshark opens, without OTPs and passwords', async (t) => {
  const begun = await manage('POST', `/carriers/${carrierId}/captures`, { seconds: 60 })
  assert.equal(begun.status, 201, JSON.stringify(begun.body))
  const { id } = begun.body
  const at = `/carriers/${carrierId}/captures/${id}`
  const second = await manage('POST', `/carriers/${carrierId}/captures`)
  assertRefused(second, 409, 'conflict')
  assert.match(second.body.error, /already running until 2026-/)
  await service.settle()
  // A new connection binds with the password.
  await manage('PATCH', `/carriers/${carrierId}`, { systemType: 'X' })
  await service.settle()
  const code = await sender.sendCode('9841000001')
  assert.equal(code.status, 200, JSON.stringify(code.body))
  const words = await sender.send({ to: '9841000002', text: 'कोड ४५६७८९' })
  await service.settle()
  for (const sent of [code, words])
    await until(async () => (await sender.get(sent.body.messageId)).status === 'delivered')
  const secret = /\d{6}/.exec(smsc.taken[0]?.text ?? '')?.[0] ?? assert.fail()
  await service.advance(60)
  await service.settle()
  const { body } = await manage('GET', at)
  const shown: Shown[] = body.exchanged
  assert.equal(body.frames, shown.length)
  const commands = shown.map(({ outgoing, decoded }) => `${outgoing ? '>' : '<'} ${decoded.command}`)
  for (const one of [
    '> bind_transceiver',
    '< bind_transceiver_resp',
    '> submit_sm',
    '< submit_sm_resp',
    '< deliver_sm',
    '> deliver_sm_resp',
  ])
    assert.ok(commands.includes(one), `${one} in ${commands.join(', ')}`)
  const submitted = shown.filter(({ decoded }) => decoded.command === 'submit_sm').map(({ decoded }) => decoded)
  assert.deepEqual(
    submitted.map((it) => it.destination_addr),
    ['9779841000001', '9779841000002'],
  )
  assert.match(String(submitted[0]?.text), /######/)
  assert.equal(submitted[1]?.text, 'कोड ######')
  const { pcap } = (await manage('GET', `${at}/pcap`)).body
  const file = Buffer.from(pcap, 'base64')
  const ucs2 = (text: string) => Buffer.from(text, 'utf16le').swap16()
  for (const hidden of [secret, PASSWORD, '४५६७८९']) {
    assert.ok(!JSON.stringify(body).includes(hidden), hidden)
    assert.ok(!file.includes(hidden) && !file.includes(ucs2(hidden)), hidden)
    assert.ok(!JSON.stringify(body).includes(Buffer.from(hidden).toString('hex')), hidden)
  }
  const line = (await manage('GET', '/audit-log')).body.items.find(
    (it: { action: string }) => it.action === 'carrier.captured',
  )
  assert.deepEqual([line.subject, line.details], [carrierId, { seconds: 60 }])
  if (!hasWireshark) return t.diagnostic('Wireshark is missing, so that nobody else read the file')
  const folder = mkdtempSync(join(tmpdir(), 'capture-'))
  try {
    const name = join(folder, 'wire.pcap')
    writeFileSync(name, file)
    const tshark = (...args: string[]) => spawnSync('tshark', ['-r', name, ...args], { encoding: 'utf8' }).stdout.trim()
    assert.equal(tshark('-Y', 'smpp', '-T', 'fields', '-e', 'smpp.command_id').split('\n').length, shown.length)
    assert.equal(tshark('-Y', '_ws.malformed || _ws.expert.severity == error || tcp.analysis.lost_segment'), '')
    const to = tshark('-Y', 'smpp.command_id == 4', '-T', 'fields', '-e', 'smpp.destination_addr')
    assert.deepEqual(to.split('\n'), ['9779841000001', '9779841000002'])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('ends by itself, is deleted after an hour, and belongs to its carrier', async () => {
  const { id } = (await manage('POST', `/carriers/${carrierId}/captures`, { seconds: 1 })).body
  await service.settle()
  await service.advance(1)
  await sender.send({ to: '9841000003' })
  await service.settle()
  const { items } = (await manage('GET', `/carriers/${carrierId}/captures`)).body
  assert.equal(items[0].id, id)
  const { exchanged } = (await manage('GET', `/carriers/${carrierId}/captures/${id}`)).body
  const commands = exchanged.map((it: Shown) => it.decoded.command)
  assert.ok(!commands.includes('submit_sm'), 'what came after its end is not in it')
  for (const path of [`/carriers/${ABSENT}/captures/${id}`, `/carriers/${carrierId}/captures/${ABSENT}`])
    assertRefused(await manage('GET', path), 404, 'not_found')
  assertRefused(await manage('POST', `/carriers/${ABSENT}/captures`), 404, 'not_found')
  for (const seconds of [0, 601])
    assertRefused(await manage('POST', `/carriers/${carrierId}/captures`, { seconds }), 400, 'invalid_request', [
      'seconds',
    ])
  await service.advance(3600)
  await sweepRecords(service.ports)
  assert.deepEqual((await manage('GET', `/carriers/${carrierId}/captures`)).body.items, [])
})

test('logs and counts an unexpected response, and keeps the connection', async () => {
  smsc.answerUnasked(4711)
  await until(async () =>
    /hulaki_delivery_unexpected_responses_total 1/.test(await (await fetch(`${service.url}/metrics`)).text()),
  )
  const sent = await sender.send({ to: '9841000004' })
  await service.settle()
  await until(async () => (await sender.get(sent.body.messageId)).status === 'delivered')
})
