import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { readUserData } from '../../src/smpp/udh.ts'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { startSmsc, type Taken } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
const smsc = await startSmsc()
const sender = await makeSender(service)
const carrierId = await addCarrier(service, smsc.port, { answerSeconds: 1 })
await addRoute(service, carrierId)
let last = 0

beforeEach(async () => {
  smsc.plan = () => ({})
  smsc.taken.length = 0
})

const THREE = 'x'.repeat(400)

async function sendLong(text = THREE): Promise<string> {
  last += 1
  // Changes apply after the next refresh of the carriers.
  await service.settle()
  const sent = await sender.send({ to: `98420000${String(last).padStart(2, '0')}`, text })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  await service.settle()
  return sent.body.messageId
}

const partOf = (taken: Taken) => readUserData(taken.pdu).part?.number ?? 1
const segment = (number: number) => {
  const found = smsc.taken.findLast((it) => partOf(it) === number)
  assert(found, `segment ${number} was submitted`)
  return found
}

test('D3: a long text is sent in the charged segments with one reference', async () => {
  const text = 'नमस्ते '.repeat(25)
  const id = await sendLong(text)
  const message = await sender.get(id)
  assert.equal(message.status, 'sent')
  assert.equal(smsc.taken.length, message.segments)
  const inOrder = smsc.taken.toSorted((one, other) => partOf(one) - partOf(other))
  assert.equal(inOrder.map((it) => it.text).join(''), text)
  assert.equal(new Set(smsc.taken.map((it) => readUserData(it.pdu).part?.reference)).size, 1)
  for (const { pdu } of smsc.taken) assert.equal(pdu.registered_delivery, 1)
})

test('D13: delivered when every segment is, in any order of reports', async () => {
  const id = await sendLong()
  for (const number of [3, 1]) {
    await smsc.reportOn(segment(number), 'DELIVRD')
    assert.equal((await sender.get(id)).status, 'sent')
  }
  await smsc.reportOn(segment(2), 'DELIVRD')
  assert.equal((await sender.get(id)).status, 'delivered')
})

test('D13: one undelivered segment decides for all, and a final status never changes', async () => {
  const id = await sendLong()
  await smsc.reportOn(segment(1), 'DELIVRD')
  await smsc.reportOn(segment(2), 'UNDELIV', { err: '034' })
  const ended = await sender.get(id)
  assert.equal(ended.status, 'undelivered')
  assert.equal(ended.dlr.code, '034')
  await smsc.reportOn(segment(2), 'DELIVRD')
  await smsc.reportOn(segment(3), 'DELIVRD')
  const later = await sender.get(id)
  assert.equal(later.status, 'undelivered')
  assert(later.updatedAt > ended.updatedAt)
  assert.equal(later.dlr.status, 'DELIVRD', 'the late report is shown')
})

test('§6.2 rule 3: a duplicate report changes the status and sends the event once', async () => {
  const id = await sendLong('short')
  await smsc.reportOn(segment(1), 'DELIVRD')
  await smsc.reportOn(segment(1), 'DELIVRD')
  assert.equal((await sender.get(id)).status, 'delivered')
  const [row] = await service.db.query<{ n: number }>({
    text: `select count(*) as n from webhook_event where message_id = $1 and webhook_status = 'delivered'`,
    values: [id],
    name: undefined,
  })
  assert.equal(row?.n, 1)
  const { counters } = await sender.balance()
  assert.equal(counters.delivered, 2)
})

test('a report may arrive before the submission response', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  smsc.plan = () => ({ answer: promise })
  const sending = sendLong('early')
  await until(() => smsc.taken.length === 1)
  assert.equal(await smsc.reportOn(segment(1), 'DELIVRD'), 0)
  resolve()
  const message = await sender.get(await sending)
  assert.equal(message.status, 'delivered')
  assert(message.sentAt && message.deliveredAt)
  const [row] = await service.db.query<{ n: number }>({
    text: 'select count(*) as n from pending_report',
    values: [],
    name: undefined,
  })
  assert.equal(row?.n, 0)
})

test('D12: a partly accepted message is submitted, and only missing segments are retried', async () => {
  smsc.plan = (it) => (partOf(it) === 2 ? { status: 0x08 } : {})
  const id = await sendLong()
  const partly = await sender.get(id)
  assert.equal(partly.status, 'submitted')
  assert(partly.submittedAt)
  assert.equal(partly.sentAt, null)
  smsc.plan = () => ({})
  await service.advance(4)
  await smsc.reportOn(segment(1), 'DELIVRD')
  await service.advance(1)
  const whole = await sender.get(id)
  assert.equal(whole.status, 'sent')
  assert.deepEqual(smsc.taken.map(partOf).sort(), [1, 2, 2, 3])
  assert.equal(whole.attempts, 2)
})

test('D15: after a lost link only unwritten parts are sent', async () => {
  await service.manage('PATCH', `/carriers/${carrierId}`, { window: 1 })
  await service.settle()
  smsc.plan = (it) => {
    if (partOf(it) !== 2) return {}
    smsc.disconnect()
    return { answer: 'never' }
  }
  const id = await sendLong('y'.repeat(600))
  assert.deepEqual(smsc.taken.map(partOf), [1, 2])
  assert.equal((await sender.get(id)).status, 'submitted')
  await until(
    async () => {
      await service.advance(1)
      return smsc.taken.length > 2 && (await service.advance(30))
    },
    { ms: 30_000 },
  )
  await service.advance(3600)
  assert.deepEqual(smsc.taken.map(partOf), [1, 2, 3, 4])
  for (const number of [1, 3, 4]) await smsc.reportOn(segment(number), 'DELIVRD')
  assert.equal((await sender.get(id)).status, 'submitted')
  // D15: the report on the part without a response is its missing answer.
  assert.equal(await smsc.reportOn(segment(2), 'DELIVRD'), 0)
  await service.advance(15)
  assert.equal((await sender.get(id)).status, 'delivered')
  await service.manage('PATCH', `/carriers/${carrierId}`, { window: 10 })
})

test('hex IDs in responses match decimal IDs in reports', async () => {
  const ids = { idFormat: { answers: 'hex', reports: 'decimal' } }
  assert.equal((await service.manage('PATCH', `/carriers/${carrierId}`, ids)).status, 200)
  smsc.plan = () => ({ id: '00AF1C' })
  const id = await sendLong('hex')
  await smsc.reportOn(segment(1), 'DELIVRD', { id: String(0xaf1c) })
  assert.equal((await sender.get(id)).status, 'delivered')
  await service.manage('PATCH', `/carriers/${carrierId}`, { idFormat: 'opaque' })
})

test('repeated IDs: the number, then the newest submission decides', async () => {
  smsc.plan = () => ({ id: 'SAME' })
  const first = await sendLong('one')
  const second = await sendLong('two')
  const [one, two] = smsc.taken
  assert(one && two)
  await smsc.reportOn(one, 'UNDELIV')
  await smsc.reportOn(two, 'DELIVRD')
  assert.equal((await sender.get(first)).status, 'undelivered')
  assert.equal((await sender.get(second)).status, 'delivered')
})

test('supports sar_* and message_payload instead of a header', async () => {
  await service.manage('PATCH', `/carriers/${carrierId}`, { longMessages: 'sar' })
  await sendLong()
  assert.deepEqual(smsc.taken.map((it) => it.pdu.tlvs.sar_segment_seqnum).sort(), [1, 2, 3])
  smsc.taken.length = 0
  await service.manage('PATCH', `/carriers/${carrierId}`, { longMessages: 'payload' })
  const id = await sendLong()
  assert.equal(smsc.taken.length, 1)
  assert.equal(smsc.taken[0]?.pdu.tlvs.message_payload?.length, 400)
  await smsc.reportOn(segment(1), 'DELIVRD')
  assert.equal((await sender.get(id)).status, 'delivered')
})
