import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
const smsc = await startSmsc()
const sender = await makeSender(service)
await addRoute(service, await addCarrier(service, smsc.port))

test('§3.1: an accepted message is submitted, reported and delivered, and its events are in the outbox', async () => {
  const { body } = await sender.send({ to: '9841234501', text: 'Hello' })
  await service.settle()
  const message = await until(async () => {
    const it = await sender.get(body.messageId)
    return it.status === 'delivered' && it
  })
  assert.equal(smsc.taken[0]?.text, 'Hello')
  assert.equal(smsc.taken[0]?.to, '+9779841234501')
  assert.equal(message.attempts, 1)
  assert.equal(message.error, '')
  assert.equal(message.dlr.status, 'DELIVRD')
  assert(message.submittedAt && message.sentAt && message.deliveredAt)
  assert.equal(message.failedAt, null)
  const { counters, balance } = await sender.balance()
  assert.deepEqual(counters, { sent: 1, delivered: 1, failed: 0 })
  assert.equal(balance, 999)
})
