// What counts as a receipt; no invalid receipt blocks later ones.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import type { Body } from '../../src/smpp/commands.ts'
import { normaliseMessageId } from '../../src/smpp/receipt.ts'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { query } from '../harness/server.ts'
import { call, ownService } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'

const RECEIPT = 0x04
const TRY_AGAIN = 0x64
const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
const smsc = await startSmsc({ plan: () => ({}) })
const sender = await makeSender(service)
const carrierId = await addCarrier(service, smsc.port)
await addRoute(service, carrierId)
let last = 0

beforeEach(() => {
  smsc.plan = () => ({})
  smsc.taken.length = 0
})

const change = async (settings: Record<string, unknown>) => {
  assert.equal((await service.manage('PATCH', `/carriers/${carrierId}`, settings)).status, 200)
  await service.settle()
}

async function sendOne() {
  last += 1
  const { body } = await sender.send({ to: `98430000${String(last).padStart(2, '0')}` })
  await service.settle()
  const taken = smsc.taken.at(-1)
  assert(taken)
  return { id: body.messageId as string, taken, number: taken.to.slice(1) }
}

const say = (words: string, { from, ...body }: Body<'deliver_sm'> & { from: string }) =>
  smsc.send({ source_addr: from, destination_addr: 'Brand', short_message: Buffer.from(words, 'latin1'), ...body })
const statusOf = async (id: string) => (await sender.get(id)).status
const logged = (words: string) => service.logged.filter((line) => line.includes(words))

test('a receipt with codes like JavaScript property names is read normally', async () => {
  for (const err of ['constructor', '__proto__', 'toString']) {
    const { id, taken } = await sendOne()
    assert.equal(await smsc.reportOn(taken, 'UNDELIV', { err }), 0)
    const { status, error, dlr } = await sender.get(id)
    assert.deepEqual([status, error, dlr.code], ['undelivered', 'delivery_failed', err])
  }
  const { id, number, taken } = await sendOne()
  assert.equal(await say(`id:${taken.id} stat:constructor`, { from: number, esm_class: RECEIPT }), 0)
  assert.equal(await statusOf(id), 'sent')
})

test('accepts a receipt with very long ID and code; the first 65 characters of the ID count', async () => {
  const { id, taken, number } = await sendOne()
  const endless = randomBytes(3000).toString('hex')
  const receipt = Buffer.from(`id:${endless} stat:DELIVRD err:${endless}`)
  const asPayload = { esm_class: RECEIPT, short_message: Buffer.alloc(0), tlvs: { message_payload: receipt } }
  assert.equal(await say('', { from: number, ...asPayload }), 0)
  assert.equal(await statusOf(id), 'sent')
  assert.equal(await smsc.reportOn(taken, 'DELIVRD'), 0)
  assert.equal(await statusOf(id), 'delivered')
  assert.equal(normaliseMessageId(endless, 'opaque'), normaliseMessageId(endless.slice(0, 65), 'opaque'))
})

test('a receipt that cannot be stored is retried once and dropped; others are stored', async () => {
  const { id, taken, number } = await sendOne()
  await query(service.address, `alter table pending_report add constraint no_poison check (reference <> 'poison')`)
  const poison = () => say('id:poison stat:DELIVRD', { from: number, esm_class: RECEIPT })
  assert.deepEqual(await Promise.all([poison(), smsc.reportOn(taken, 'DELIVRD')]), [TRY_AGAIN, 0])
  assert.equal(await statusOf(id), 'delivered')
  assert.deepEqual(await Promise.all([poison(), smsc.reportOn(taken, 'DELIVRD')]), [0, 0])
  await query(service.address, 'alter table pending_report drop constraint no_poison')
  assert.equal(logged('dropped after two failures').length, 1)
  const { body: metrics } = await call(`${service.url}/metrics`, { method: 'GET' })
  assert.match(metrics, /^hulaki_delivery_dropped_inbound_total 1$/m)
})

test('a handset text that looks like a receipt is a reply', async () => {
  const { id, taken, number } = await sendOne()
  const forged = `id:${taken.id} sub:001 dlvrd:001 stat:DELIVRD err:000`
  assert.equal(await say(forged, { from: number }), 0)
  assert.equal(await statusOf(id), 'sent')
  const replies = await query(service.address, 'select text from inbound_message order by id desc limit 1')
  assert.deepEqual(replies, [{ text: forged }])
})

test('receiptsByText accepts receipts from their own number only', async () => {
  await change({ receiptsByText: true })
  const { id, taken, number } = await sendOne()
  const words = `id:${taken.id} stat:DELIVRD`
  // Same last digits, but an unknown number type: a receipt by its fields would still match.
  for (const from of [`19${number.slice(-8)}`, 'Shop', '9779843999999']) assert.equal(await say(words, { from }), 0)
  await service.advance(700)
  assert.equal(await statusOf(id), 'sent')
  assert.equal(await say(words, { from: number }), 0)
  assert.equal(await statusOf(id), 'delivered')
  assert.equal(await say('id of my order: 5', { from: number }), 0)
  const replies = await query(service.address, 'select text from inbound_message order by id desc limit 1')
  assert.deepEqual(replies, [{ text: 'id of my order: 5' }])
  await change({ receiptsByText: false })
})

test('IDs with and without 0x match in every idFormat', async () => {
  const spellings: [Record<string, unknown>, string, string][] = [
    [{ idFormat: 'opaque' }, '0x1A2B', '1a2b'],
    [{ idFormat: 'hex' }, '1A2B', '0x001a2b'],
    [{ idFormat: { answers: 'hex', reports: 'decimal' } }, '0X1A2B', '6699'],
    [{ idFormat: 'decimal' }, '6699', '0x1A2B'],
  ]
  for (const [settings, answered, reported] of spellings) {
    await change(settings)
    smsc.plan = () => ({ id: answered })
    const { id, taken } = await sendOne()
    assert.equal(await smsc.reportOn(taken, 'DELIVRD', { id: reported }), 0)
    assert.equal(await statusOf(id), 'delivered', `${answered} and ${reported} as ${JSON.stringify(settings)}`)
  }
  await change({ idFormat: 'opaque' })
})

test('D13: recognizes spelled-out states in any case', async () => {
  for (const [state, status, error] of [
    ['Delivered', 'delivered', ''],
    ['delivrd', 'delivered', ''],
    ['UNDELIVERED', 'undelivered', 'delivery_failed'],
    ['UNDELIVERABLE', 'undelivered', 'delivery_failed'],
    ['EXPIRE', 'undelivered', 'delivery_timeout'],
    ['REJECTED', 'rejected', 'carrier_rejected'],
    ['DELIVERD', 'delivered', ''],
    ['DELIVRED', 'delivered', ''],
    ['UNDELIVRD', 'undelivered', 'delivery_failed'],
    ['UNDELIVERD', 'undelivered', 'delivery_failed'],
    ['NOT_DELIVERED', 'undelivered', 'delivery_failed'],
    ['EXPIRD', 'undelivered', 'delivery_timeout'],
    ['REJECT', 'rejected', 'carrier_rejected'],
  ] as const) {
    const { id, taken, number } = await sendOne()
    assert.equal(await say(`id:${taken.id} stat:${state} err:000`, { from: number, esm_class: RECEIPT }), 0)
    const message = await sender.get(id)
    assert.deepEqual([message.status, message.error], [status, error], state)
  }
})

test('logs an unknown state once per carrier', async () => {
  const { id, taken, number } = await sendOne()
  for (const state of ['ODD', 'odd', 'ENROUTE', 'ODDER', 'ODD']) {
    assert.equal(await say(`id:${taken.id} stat:${state}`, { from: number, esm_class: RECEIPT }), 0)
  }
  assert.equal(await statusOf(id), 'sent')
  const states = logged('unknown receipt state').map((line) => JSON.parse(line).state)
  assert.deepEqual(
    states.filter((state) => state.startsWith('ODD')),
    ['ODD', 'ODDER'],
  )
})
