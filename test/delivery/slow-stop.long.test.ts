// A process stops in time although a carrier does not respond, and records unknown outcomes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/store/database/sql.ts'
import { ALLOWED, addHttpCarrier, startProvider } from '../harness/http-carrier.ts'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

test('D15: a stop records submissions without a response as unknown, over SMPP and HTTP', async (t) => {
  const service = await ownService({ env: { ...ALLOWED, HULAKI_ROLES: 'api' } })
  const worker = await ownService({ env: { ...ALLOWED, HULAKI_ROLES: 'delivery' }, beside: service })
  const sender = await makeSender(service)
  const [smsc, provider] = [await startSmsc({ plan: () => ({ answer: 'never' }) }), await startProvider()]
  t.after(() => provider.close())
  provider.does(() => {})
  const overSmpp = await addCarrier(service, smsc.port, { answerSeconds: 60 })
  const overHttp = await addHttpCarrier(service, provider.url, { answerSeconds: 60 })
  await addRoute(service, overSmpp, { prefixes: ['+977984'] })
  await addRoute(service, overHttp, { prefixes: ['+977985'] })
  await sender.send({ to: '9841000001' })
  await sender.send({ to: '9851000001' })
  await until(async () => {
    await service.settle()
    return smsc.taken.length === 1 && provider.got.length === 1
  })
  await worker.stop()
  assert(!worker.logged.some((line) => line.includes('did not stop in time')))
  const outcomes = await service.db.query(sql`select outcome from submission`)
  assert.deepEqual(outcomes, [{ outcome: 'unknown' }, { outcome: 'unknown' }])
})
