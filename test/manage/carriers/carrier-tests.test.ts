// Tests of a carrier over its real connections, in whichever process holds them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addCarrier, makeSender } from '../../harness/sending.ts'
import { ownService } from '../../harness/service.ts'
import { startSmsc } from '../../harness/smsc.ts'
import { until } from '../../harness/until.ts'
import { ABSENT } from '../fixtures.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
const { manage } = service
const smsc = await startSmsc({ plan: () => ({ report: 'DELIVRD' }) })
const carrierId = await addCarrier(service, smsc.port, { bindMode: 'separate' })
await service.settle()

const tests = async () => (await manage('GET', `/carriers/${carrierId}/tests`)).body.items

test('sends an enquire_link on every connection, and returns its response time', async () => {
  const { status, body } = await manage('POST', `/carriers/${carrierId}/test`)
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(
    body.binds.map(({ mode, state, fault }: Record<string, unknown>) => [mode, state, fault]),
    [
      ['transmitter', 'bound', null],
      ['receiver', 'bound', null],
    ],
  )
  for (const { milliseconds, boundAt } of body.binds) {
    // The answer was in time, so there is no fault.
    assert.ok(milliseconds >= 0)
    assert.ok(boundAt)
  }
  assert.equal(body.message, null)
  assert.deepEqual(await tests(), [body])
})

test('sends a message over the real connection, past the queue and free of charge, tracks its receipt, and keeps its number out of the audit log', async () => {
  const to = '+9779841000001'
  const { body } = await manage('POST', `/carriers/${carrierId}/test`, { to, text: 'Is this on?' })
  assert.deepEqual([body.message.outcome, body.message.report], ['accepted', null])
  assert.ok(body.message.carrierMessageId && body.message.milliseconds >= 0)
  assert.deepEqual(
    smsc.taken.map((it) => [it.to, it.text]),
    [[to, 'Is this on?']],
  )
  await until(() => smsc.answersToReports.length === 1)
  await service.advance(2)
  const [followed] = await tests()
  assert.deepEqual([followed.id, followed.message.report.state], [body.id, 'DELIVRD'])
  await service.advance(80)
  assert.deepEqual((await manage('GET', `/carriers/${carrierId}/receipts`)).body.items, [], 'it belongs to the test')
  const { items } = (await manage('GET', '/audit-log')).body
  const entry = items.find((it: { action: string }) => it.action === 'carrier.tested')
  assert.deepEqual([entry.subject, entry.details], [carrierId, { to: '+97798••••001' }])
})

test('waits for the receipt on request', async () => {
  const answered = manage('POST', `/carriers/${carrierId}/test`, { to: '+9779841000003', receiptSeconds: 50 })
  await until(() => smsc.answersToReports.length === 2)
  // The receipt is matched again when no message of a customer matches.
  await service.advance(2)
  const { body } = await answered
  assert.deepEqual([body.message.outcome, body.message.report.state], ['accepted', 'DELIVRD'])
})

test('does not use the receipt of a test as the missing answer of another message (D15)', async () => {
  const to = '+9779841000002'
  const sender = await makeSender(service)
  await manage('POST', '/routes', { country: 'NP', carrierId })
  smsc.plan = () => ({ answer: 'never' })
  await manage('PATCH', `/carriers/${carrierId}`, { answerSeconds: 1 })
  await service.settle()
  const { messageId } = (await sender.send({ to })).body
  await service.settle()
  assert.equal((await sender.get(messageId)).status, 'submitting')
  smsc.plan = () => ({ id: 'OF-THE-TEST', report: 'UNDELIV' })
  await manage('POST', `/carriers/${carrierId}/test`, { to })
  await until(() => smsc.answersToReports.length === 3)
  await service.advance(2)
  const [test] = await tests()
  assert.equal(test.message.report.state, 'UNDELIV')
  assert.equal((await sender.get(messageId)).status, 'submitting')
})

test('reports immediately why a carrier cannot be reached; a test message is 409', async () => {
  const down = await addCarrier(service, 9, { name: 'Down' })
  await service.settle()
  const { body } = await manage('POST', `/carriers/${down}/test`)
  assert.equal(body.binds.length, 1)
  assert.match(body.binds[0].fault, /ECONNREFUSED/)
  const refused = await manage('POST', `/carriers/${down}/test`, { to: '+9779841000001' })
  assert.deepEqual([refused.status, refused.body.code], [409, 'conflict'])
  assert.match(refused.body.error, /^No connection of this carrier can submit a message now: .*ECONNREFUSED/)
})

test('answers immediately for a carrier whose connections no process holds', async () => {
  const idle = await addCarrier(service, 9, { name: 'Off', enabled: false })
  const { body } = await manage('POST', `/carriers/${idle}/test`, {})
  assert.deepEqual(
    body.binds.map(({ state, fault }: Record<string, unknown>) => [state, fault]),
    [['idle', 'no worker holds this connection']],
  )
  const refused = await manage('POST', `/carriers/${idle}/test`, { to: '+9779841000001' })
  assert.equal(refused.body.error, 'No connection of this carrier can submit a message now: it is disabled')
})

test('rejects an invalid number and a long text with 400, and a missing carrier with 404', async () => {
  const wrong = [{ to: '9841000001' }, { to: '+9779841000001', text: 'x'.repeat(161) }, { to: '+9779841000001', x: 1 }]
  for (const body of wrong) assert.equal((await manage('POST', `/carriers/${carrierId}/test`, body)).status, 400)
  for (const path of ['tests', 'test'])
    assert.equal((await manage(path === 'test' ? 'POST' : 'GET', `/carriers/${ABSENT}/${path}`)).status, 404)
})
