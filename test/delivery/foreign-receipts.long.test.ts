// Receipts of a Net::SMPP SMSC for each receipt setting: states, errors, ID formats, text only, few or none, several receivers.
import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { noNetSmpp } from '../smpp/foreign-peer.ts'
import { type ReceivedPdu, scriptedSmsc } from '../smpp/scripted-smsc.ts'
import { sniff } from '../smpp/sniffer.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,upkeep' } })
const sender = await makeSender(service)
const skip = noNetSmpp
let numbers = 0
after(() => service.stop())

const RECEIPT = 4
const receiptText = (id: string, state: string, err = '000') =>
  `id:${id} sub:001 dlvrd:001 submit date:2601020304 done date:2601020305 stat:${state} err:${err} text:Hello`

async function prepare(t: TestContext, settings: Record<string, unknown> = {}) {
  const smsc = await scriptedSmsc(t)
  const record = await sniff(t, smsc.port)
  const carrierId = await addCarrier(service, smsc.port, settings)
  const routeId = await addRoute(service, carrierId)
  const path = `/carriers/${carrierId}`
  t.after(async () => {
    await service.manage('DELETE', `/routes/${routeId}`)
    await service.manage('DELETE', path)
  })
  const statusIs = (id: string, status: string) =>
    until(async () => {
      await service.settle()
      const message = await sender.get(id)
      return message.status === status ? message : null
    })
  return {
    smsc,
    path,
    statusIs,
    /** Sends messages that get these IDs. */
    async send(ids: string[], fields: Record<string, unknown> = {}): Promise<{ id: string; taken: ReceivedPdu[] }> {
      smsc.say({ ids })
      const before = smsc.of('submit_sm').length
      numbers += 1
      const { status, body } = await sender.send({ to: `98420${String(numbers).padStart(5, '0')}`, ...fields })
      assert.equal(status, 200, JSON.stringify(body))
      await statusIs(body.messageId, 'sent')
      return { id: body.messageId, taken: smsc.of('submit_sm').slice(before) }
    },
    judge: () => record?.judge(),
  }
}

/** From the handset to the sender. */
const about = ({ destination_addr, source_addr }: ReceivedPdu) => ({
  source_addr_ton: 1,
  source_addr_npi: 1,
  source_addr: destination_addr,
  destination_addr: source_addr,
})

test('statusOverrides: maps states and errors from text or TLVs', {
  skip,
}, async (t) => {
  const statusOverrides = {
    states: {
      UNDELIV: { status: 'rejected' },
      'UNDELIV:034': { status: 'undelivered', error: 'invalid_number' },
      NACK: { status: 'undelivered' },
      ACCEPTD: { status: 'delivered' },
      'DELIVRD:099': { status: 'pending' },
    },
    reports: { '001': { error: 'network_unavailable' }, '27': { error: 'invalid_number' } },
    answers: {},
  }
  const { smsc, send, statusIs, judge } = await prepare(t, { statusOverrides })
  const hex = (id: string) => Buffer.from(`${id}\0`).toString('hex')
  const byText = (state: string, err?: string) => (id: string) => ({ short_message: receiptText(id, state, err) })
  const byTlvs = (state: string, error?: string) => (id: string) => ({
    short_message: '',
    tlvs: { receipted_message_id: hex(id), message_state: state, ...(error && { network_error_code: error }) },
  })
  const cases = [
    ['state', byText('UNDELIV', '001'), 'rejected', 'carrier_rejected'],
    ['state and err', byText('UNDELIV', '034'), 'undelivered', 'invalid_number'],
    ['a custom state in lower case', byText('nack'), 'undelivered', 'delivery_failed'],
    ['a standard state with another meaning', byText('ACCEPTD'), 'delivered', ''],
    ['err', byText('EXPIRED', '001'), 'undelivered', 'network_unavailable'],
    ['an unknown state', byText('WHATEVR'), 'sent', ''],
    ['state and err without a change', byText('DELIVRD', '099'), 'sent', ''],
    ['the TLV of the state', byTlvs('06'), 'delivered', ''],
    ['the TLVs of state and error', byTlvs('03', '03001b'), 'undelivered', 'invalid_number'],
  ] as const
  for (const [index, [name, said, status, error]] of cases.entries()) {
    const { id, taken } = await send([`S${index}`])
    assert(taken[0])
    const answered = await smsc.deliver({ esm_class: RECEIPT, ...about(taken[0]), ...said(`S${index}`) })
    assert.equal(answered.status, 0, name)
    assert.equal((await statusIs(id, status)).error, error, name)
  }
  await judge()
})

test('statusOverrides: maps custom command statuses', { skip }, async (t) => {
  const answers = { '0x401': { outcome: 'rejected', error: 'invalid_number' }, '0x45': { outcome: 'accepted' } }
  const { smsc, statusIs, judge } = await prepare(t, { statusOverrides: { answers, reports: {}, states: {} } })
  for (const [status, expected, error] of [
    [0x401, 'failed', 'invalid_number'],
    [0x45, 'sent', ''],
    [0x402, 'failed', 'carrier_rejected'],
  ] as const) {
    smsc.say({ status: { submit_sm: status } })
    numbers += 1
    const { body } = await sender.send({ to: `98420${String(numbers).padStart(5, '0')}` })
    assert.equal((await statusIs(body.messageId, expected)).error, error)
  }
  await judge()
})

test('receiptsByText: recognizes receipts by text from their own number only; otherwise they are replies', {
  skip,
}, async (t) => {
  const { smsc, path, send, statusIs, judge } = await prepare(t)
  const { id, taken } = await send(['T1'])
  assert(taken[0])
  const unmarked = { esm_class: 0, ...about(taken[0]), short_message: receiptText('T1', 'DELIVRD') }
  await smsc.deliver(unmarked)
  const replies = async () => (await service.manage('GET', '/inbound')).body.items
  const [reply] = await until(async () => ((await replies()).length === 1 ? replies() : null))
  assert.match(reply.text, /stat:DELIVRD/)
  await statusIs(id, 'sent')

  assert.equal((await service.manage('PATCH', path, { receiptsByText: true })).status, 200)
  await service.settle()
  await smsc.deliver({ ...unmarked, source_addr: '9779842999999' })
  await statusIs(id, 'sent')
  await smsc.deliver({ ...unmarked, short_message: `${receiptText('T1', 'DELIVRD')}.` })
  assert.equal((await statusIs(id, 'delivered')).error, '')
  assert.equal((await replies()).length, 1)
  await judge()
})

test('idFormat: matches IDs of responses and receipts in every format', { skip }, async (t) => {
  const { smsc, path, send, statusIs, judge } = await prepare(t)
  const cases = [
    ['opaque', '00AbC-7', 'abc-7'],
    [{ answers: 'hex', reports: 'decimal' }, '1A2B', '6699'],
    [{ answers: 'hex', reports: 'decimal' }, '0x1A2C', '0000006700'],
    [{ answers: 'decimal', reports: 'hex' }, '0000006701', '00001a2d'],
    ['hex', '0001A2E', '1a2e'],
    [{ answers: 'hex', reports: 'decimal' }, 'FFFFFFFFFFFFFFFF', '18446744073709551615'],
  ] as const
  for (const [idFormat, answered, reported] of cases) {
    assert.equal((await service.manage('PATCH', path, { idFormat })).status, 200)
    await service.settle()
    const { id, taken } = await send([answered])
    assert(taken[0])
    await smsc.deliver({ esm_class: RECEIPT, ...about(taken[0]), short_message: receiptText(reported, 'DELIVRD') })
    await statusIs(id, 'delivered')
  }
  // With the wrong format the receipt stays unmatched, and the cause is shown.
  assert.equal((await service.manage('PATCH', path, { idFormat: 'opaque' })).status, 200)
  await service.settle()
  const { taken } = await send(['1A2F'])
  assert(taken[0])
  await smsc.deliver({ esm_class: RECEIPT, ...about(taken[0]), short_message: receiptText('6703', 'DELIVRD') })
  await service.advance(120)
  const [unmatched] = await until(async () => {
    const { body } = await service.manage('GET', `${path}/receipts`)
    return body.items.length > 0 ? body.items : null
  })
  assert.deepEqual(unmatched.cause, { kind: 'id_format', idFormat: { answers: 'hex', reports: 'decimal' } })
  await judge()
})

test('receipts: per segment, one for all segments, or none', {
  skip,
}, async (t) => {
  const { smsc, path, send, statusIs, judge } = await prepare(t)
  const text = 'x'.repeat(400)
  const asked = (taken: ReceivedPdu[]) => taken.map(({ registered_delivery }) => registered_delivery)
  const report = (taken: ReceivedPdu | undefined, id: string, state = 'DELIVRD') =>
    smsc.deliver({ esm_class: RECEIPT, ...about(taken as ReceivedPdu), short_message: receiptText(id, state) })

  const each = await send(['E1', 'E2', 'E3'], { text })
  assert.deepEqual(asked(each.taken), [1, 1, 1])
  for (const last of [1, 2]) await report(each.taken[0], `E${last}`)
  await statusIs(each.id, 'sent')
  await report(each.taken[0], 'E3')
  await statusIs(each.id, 'delivered')

  assert.equal((await service.manage('PATCH', path, { smpp: { receipts: 'one' } })).status, 200)
  await service.settle()
  const one = await send(['O1', 'O2', 'O3'], { text })
  assert.deepEqual(asked(one.taken), [0, 0, 1])
  await report(one.taken[0], 'O1')
  await statusIs(one.id, 'delivered')

  assert.equal((await service.manage('PATCH', path, { smpp: { receipts: 'none' } })).status, 200)
  await service.settle()
  const none = await send(['N1', 'N2', 'N3'], { text })
  assert.deepEqual(asked(none.taken), [0, 0, 0])
  await report(none.taken[0], 'N1', 'UNDELIV')
  await service.advance(80 * 3600)
  assert.equal((await sender.get(none.id)).status, 'sent')
  await judge()
})

test('receivers: one transmitter submits and several receivers receive; with none, nothing is received', {
  skip,
}, async (t) => {
  const { smsc, path, send, statusIs, judge } = await prepare(t, { bindMode: 'separate', smpp: { receivers: 3 } })
  const receivers = await until(() => (smsc.of('bind_receiver').length === 3 ? smsc.of('bind_receiver') : null))
  const transmitter = await smsc.nth('bind_transmitter', 1)
  for (const [index, { link }] of receivers.entries()) {
    const { id, taken } = await send([`R${index}`])
    assert.deepEqual(
      taken.map((it) => it.link),
      [transmitter.link],
    )
    const receipt = {
      esm_class: RECEIPT,
      ...about(taken[0] as ReceivedPdu),
      short_message: receiptText(`R${index}`, 'DELIVRD'),
    }
    assert.equal((await smsc.deliver(receipt, link)).status, 0)
    await statusIs(id, 'delivered')
  }
  // Reconnected with another setting: only the transmitter remains.
  assert.equal((await service.manage('PATCH', path, { systemType: 'VMA', smpp: { receivers: 0 } })).status, 200)
  await smsc.nth('bind_transmitter', 2)
  await until(async () => {
    await service.settle()
    const { state } = (await service.manage('GET', path)).body
    return state.length === 1 && state[0].state === 'bound'
  })
  assert.equal(smsc.of('bind_receiver').length, 3)
  await judge()
})
