// Every SMPP setting, set over the management API and observed by our SMSC.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tlvs as TLVS } from '../../src/smpp/commands.ts'
import { assertRefused } from '../harness/refused.ts'
import { addCarrier, addRoute } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { startSmsc, type Taken } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'
import { type Seen, USUAL_CARRIER } from './carrier-settings.ts'
import { prepareSender, runCases } from './carrier-settings-run.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
const smsc = await startSmsc()
const sender = await prepareSender(service)
const carrierId = await addCarrier(service, smsc.port)
await addRoute(service, carrierId)
const path = `/carriers/${carrierId}`
const carrierNow = async () => (await service.manage('GET', path)).body

const TAGS = new Map<string, { tag: number; bytes: number | undefined }>(
  Object.entries(TLVS).map(([name, { tag, field }]) => [name, { tag, bytes: field.fixedBytes }]),
)

function seen({ pdu }: Taken): Seen {
  const { tlvs, short_message, ...fields } = pdu
  const { unknown = [], ...known } = tlvs
  const named = Object.entries(known).map(([name, value]) => {
    const { tag = 0, bytes = 0 } = TAGS.get(name) ?? {}
    return [
      tag,
      Buffer.isBuffer(value)
        ? value.toString('hex')
        : Number(value)
            .toString(16)
            .padStart(2 * bytes, '0'),
    ]
  })
  const all = [...named, ...unknown.map(({ tag, value }) => [tag, value.toString('hex')])]
  const byTag = all.map(([tag, value]) => [Number(tag).toString(16).padStart(4, '0'), value])
  return { ...fields, short_message: short_message.toString('hex'), tlvs: Object.fromEntries(byTag) }
}

/** Grouped by the end of the number; parts of a long message in order. */
const seenBy = (end: string) => smsc.taken.filter(({ pdu }) => pdu.destination_addr.endsWith(end)).map(seen)

test('the SMSC reads each setting of a submission as configured', async () => {
  await runCases(service, { sender, carrierId, seenBy })
  assert.equal((await service.manage('PATCH', path, USUAL_CARRIER)).status, 200)
})

test('a bind has the configured fields, and separate binds can have several receivers', async () => {
  const bind = { addressTon: 1, addressNpi: 1, addressRange: '^9779', receivers: 2 }
  const set = await service.manage('PATCH', path, { systemType: 'VMA', bindMode: 'separate', binds: 1, smpp: bind })
  assert.equal(set.status, 200, JSON.stringify(set.body))
  await service.settle()
  const bound = await until(async () => {
    const { state } = await carrierNow()
    return state.length === 3 && state.every((it: { state: string }) => it.state === 'bound') ? state : null
  })
  assert.deepEqual(
    bound.map((it: { mode: string; peer: string }) => [it.mode, it.peer]),
    ['transmitter', 'receiver', 'receiver'].map((mode) => [mode, `127.0.0.1:${smsc.port}`]),
  )
  const said = smsc.binds.slice(-3).map(({ command, system_type, addr_ton, addr_npi, address_range }) => ({
    ...{ command, system_type, addr_ton, addr_npi, address_range },
  }))
  const fields = { system_type: 'VMA', addr_ton: 1, addr_npi: 1, address_range: '^9779' }
  assert.deepEqual(
    said.toSorted((one, other) => one.command.localeCompare(other.command)),
    ['bind_receiver', 'bind_receiver', 'bind_transmitter'].map((command) => ({ command, ...fields })),
  )
  await service.manage('PATCH', path, { systemType: '', bindMode: 'transceiver', smpp: USUAL_CARRIER.smpp })
})

test('tries hosts in order, and the bind shows the connected host', async () => {
  const { port: second, binds } = await startSmsc()
  const otherHosts = [
    { host: '127.0.0.1', port: 1 },
    { host: '127.0.0.1', port: second },
  ]
  await service.manage('PATCH', path, { port: 2, smpp: { otherHosts } })
  await service.settle()
  const [bind] = (await until(async () => ((await carrierNow()).state[0]?.state === 'bound' ? carrierNow() : null)))
    .state
  assert.equal(bind.peer, `127.0.0.1:${second}`)
  assert.equal(binds.length, 1)
  await service.manage('PATCH', path, { port: 2, smpp: { otherHosts: otherHosts.slice(0, 1) } })
  const failed = await until(async () => {
    await service.settle()
    const [it] = (await carrierNow()).state
    return it.state === 'waiting' ? it : null
  })
  assert.match(failed.lastError, /127\.0\.0\.1:2: .*ECONNREFUSED.*; 127\.0\.0\.1:1: .*ECONNREFUSED/)
  assert.equal(failed.peer, null)
  await service.manage('PATCH', path, { port: smsc.port, smpp: { otherHosts: [] } })
  await service.settle()
})

test('rejects invalid settings with every error and changes nothing', async () => {
  const before = await carrierNow()
  const refused = await service.manage('PATCH', path, {
    smpp: {
      otherHosts: [{ host: 'no host!', port: 0 }],
      tlsCa: 'no certificate',
      enquireSeconds: 0,
      addressRange: 'é',
      serviceType: 'TOO LONG',
      destinationFormat: 'roman',
      allowedSenders: ['नमस्ते'],
      senderRewrites: { Brand: 'Far too long a name' },
      dataCodings: { gsm: 256, latin1: 3, ascii: 1, ucs2: 8 },
      referenceBits: 12,
      validityMaxSeconds: 1,
      receipts: 'some',
      priorities: { otp: 4, transactional: 0, promotional: 0 },
      receivers: 11,
      tlvs: [{ tag: '0x0424', value: 'x' }, { tag: '0x1400' }, { tag: '0x1401', form: 'uint8', value: '256' }],
      unheardOf: true,
    },
    statusOverrides: { states: { 'A B': { status: 'delivered' } } },
    tlsKey: 'no key',
  })
  assertRefused(refused, 400, 'invalid_request')
  const paths = refused.body.details.map((fault: { path: string[] }) => fault.path.join('.'))
  const named = 'otherHosts.0.host otherHosts.0.port tlsCa enquireSeconds addressRange serviceType destinationFormat'
  const more =
    'allowedSenders.0 senderRewrites.Brand dataCodings.gsm referenceBits validityMaxSeconds receipts receivers'
  const last = 'priorities.otp tlvs.0.tag tlvs.1 tlvs.2.value'
  for (const one of `${named} ${more} ${last}`.split(' ')) assert(paths.includes(`smpp.${one}`), `${one} in ${paths}`)
  assert(paths.includes('tlsKey') && paths.includes('statusOverrides.states.A B'), String(paths))
  assert.deepEqual({ ...(await carrierNow()), state: [] }, { ...before, state: [] })
})

test('rejects status overrides with one status or state in two notations', async () => {
  const row = { outcome: 'throttled' }
  for (const [statusOverrides, at] of [
    [{ answers: { '0x401': row, 1025: row } }, 'statusOverrides.answers'],
    [{ answers: { '0x58': row, '0X058': row } }, 'statusOverrides.answers'],
    [{ states: { undeliv: { status: 'rejected' }, UNDELIV: { status: 'pending' } } }, 'statusOverrides.states'],
  ] as const) {
    const refused = await service.manage('PATCH', path, { statusOverrides })
    assertRefused(refused, 400, 'invalid_request')
    const [fault] = refused.body.details
    assert.equal(fault.path.join('.'), at)
    assert.match(fault.message, /^Must not have the same (command status|state) twice/)
  }
  const states = { 'UNDELIV:ab': { status: 'rejected' }, 'UNDELIV:AB': { status: 'pending' } }
  const taken = await service.manage('PATCH', path, { statusOverrides: { answers: { '0x401': row }, states } })
  assert.deepEqual(taken.body.statusOverrides.answers, { 1025: row })
  assert.equal(Object.keys(taken.body.statusOverrides.states).length, 2)
})

test('status overrides: state with err comes before the state alone', async () => {
  const states = {
    undeliv: { status: 'rejected' },
    'UNDELIV:034': { status: 'undelivered', error: 'invalid_number' },
    NACK: { status: 'undelivered' },
    'DELIVRD:099': { status: 'pending' },
  }
  const set = await service.manage('PATCH', path, { statusOverrides: { answers: {}, reports: {}, states } })
  assert.deepEqual(Object.keys(set.body.statusOverrides.states), ['UNDELIV', 'UNDELIV:034', 'NACK', 'DELIVRD:099'])
  smsc.plan = () => ({})
  for (const [index, [state, err, status, error]] of (
    [
      ['UNDELIV', '001', 'rejected', 'carrier_rejected'],
      ['UNDELIV', '034', 'undelivered', 'invalid_number'],
      ['nack', '000', 'undelivered', 'delivery_failed'],
      ['DELIVRD', '099', 'sent', ''],
      ['DELIVRD', '000', 'delivered', ''],
    ] as const
  ).entries()) {
    await service.settle()
    const { body } = await sender.send({ to: `984200010${index}` })
    await service.settle()
    const taken = smsc.taken.at(-1)
    assert(taken)
    await smsc.reportOn(taken, state, { err })
    const message = await sender.get(body.messageId)
    assert.deepEqual([message.status, message.error], [status, error], `${state} ${err}`)
  }
  await service.manage('PATCH', path, { statusOverrides: { answers: {}, reports: {} } })
})
