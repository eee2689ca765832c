// D56: carriers with one receipt per message, or none.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,upkeep' } })
const smsc = await startSmsc({ plan: () => ({}) })
const sender = await makeSender(service)
const carrierId = await addCarrier(service, smsc.port, { smpp: { receipts: 'none' } })
await addRoute(service, carrierId)
const HOURS = 3600

async function send(fields: Record<string, unknown>) {
  await service.settle()
  smsc.taken.length = 0
  const { status, body } = await sender.send(fields)
  assert.equal(status, 200, JSON.stringify(body))
  await service.settle()
  return { id: body.messageId as string, taken: [...smsc.taken] }
}

async function toldOf(messageId: string): Promise<string[]> {
  const rows = await service.db.query<{ status: string }>({
    text: 'select webhook_status as status from webhook_event where message_id = $1',
    values: [messageId],
    name: undefined,
  })
  return rows.map((row) => row.status)
}

test('D56: without requested receipts, sent is final, sends one event and is never refunded', async () => {
  const { id } = await send({ to: '9841000001', text: 'x'.repeat(400) })
  const { status: codeStatus, body: code } = await sender.sendCode('9841000002')
  assert.equal(codeStatus, 200)
  await service.settle()
  const balance = (await sender.balance()).balance
  await service.advance(80 * HOURS)
  for (const messageId of [id, code.messageId]) {
    const message = await sender.get(messageId)
    assert.deepEqual([message.status, message.error, message.dlr], ['sent', '', undefined])
    assert.deepEqual(await toldOf(messageId), ['sent'])
  }
  assert.equal((await sender.balance()).balance, balance)
})

test('D56: sent stays final if receipts are requested later, and an unexpected receipt is shown', async () => {
  const { id, taken } = await send({ to: '9841000003' })
  await service.manage('PATCH', `/carriers/${carrierId}`, { smpp: { receipts: 'each' } })
  await service.settle()
  const [only] = taken
  assert(only)
  await smsc.reportOn(only, 'UNDELIV')
  const late = await sender.get(id)
  assert.deepEqual([late.status, late.dlr.status], ['sent', 'UNDELIV'])
  await service.advance(80 * HOURS)
  assert.equal((await sender.get(id)).status, 'sent')
  assert.deepEqual(await toldOf(id), ['sent'])
})

test('D56: one receipt counts for all segments', async () => {
  await service.manage('PATCH', `/carriers/${carrierId}`, { smpp: { receipts: 'one' } })
  for (const [index, segment] of [2, 0].entries()) {
    const { id, taken } = await send({ to: `984100001${index}`, text: 'x'.repeat(400) })
    assert.deepEqual(
      taken.map(({ pdu }) => pdu.registered_delivery),
      [0, 0, 1],
    )
    assert.equal((await sender.get(id)).status, 'sent')
    const named = taken[segment]
    assert(named)
    await smsc.reportOn(named, 'DELIVRD')
    assert.equal((await sender.get(id)).status, 'delivered')
  }
  const { id, taken } = await send({ to: '9841000013', text: 'x'.repeat(400) })
  assert(taken[2])
  await smsc.reportOn(taken[2], 'EXPIRED')
  assert.deepEqual((({ status, error }) => [status, error])(await sender.get(id)), ['undelivered', 'delivery_timeout'])
  const silent = await send({ to: '9841000014' })
  await service.advance(80 * HOURS)
  assert.equal((await sender.get(silent.id)).status, 'undelivered', 'a requested receipt did not arrive')
})
