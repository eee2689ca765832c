// Every accepted message becomes final, also after a clock jump forward and back (D13 to D15).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../src/runtime/clock.ts'
import { clientAt, makeClient } from '../harness/client.ts'
import { addCarrier, addRoute } from '../harness/sending.ts'
import { ownService, START } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

const DAY_SECONDS = 86_400
const env = { HULAKI_ROLES: 'api,delivery' }

test('after a clock jump forward and back, deadlines and refunds are kept', async () => {
  const smsc = await startSmsc()
  // OTPs get no report; other messages get no response.
  smsc.plan = ({ text }) => (text.startsWith('Himal') ? {} : { answer: 'never' as const })
  const ahead = await ownService({
    env,
    clock: new ManualClock(new Date(START.getTime() + 30 * DAY_SECONDS * 1000)),
  })
  const client = await makeClient(ahead)
  await addRoute(ahead, await addCarrier(ahead, smsc.port, { answerSeconds: 1 }))
  await client.otp({ to: '+9779841000001' })
  await client.send({ to: '+9779841000002' })
  await ahead.settle()
  await ahead.advance(4 * DAY_SECONDS)
  await ahead.stop()

  const back = await ownService({ env, beside: { ...ahead, clock: new ManualClock(START) } })
  const here = clientAt(back.url, client)
  const before = (await here.get('/sms/balance')).body.balance
  const code = (await here.otp({ to: '+9779841000003' })).body.messageId
  const silent = (await here.send({ to: '+9779841000004' })).body.messageId
  await back.settle()
  const read = async (id: string) => (await here.get(`/sms/messages/${id}`)).body
  await until(async () => (await read(code)).status === 'sent')
  await until(() => smsc.taken.length >= 4)
  await back.advance(4 * DAY_SECONDS)
  assert.deepEqual(await read(code).then(({ status, error }) => [status, error]), ['undelivered', 'delivery_timeout'])
  assert.deepEqual(await read(silent).then(({ status, error }) => [status, error]), ['failed', 'delivery_timeout'])
  assert.equal(Math.round((before - (await here.get('/sms/balance')).body.balance) * 10), 12)
})
