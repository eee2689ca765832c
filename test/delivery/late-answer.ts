// A carrier's window changes while a submit_sm waits for its response: the connection stays until the response.
import assert from 'node:assert/strict'
import { sql } from '../../src/store/database/sql.ts'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

type Service = Awaited<ReturnType<typeof ownService>>

/** `wait` passes between the change and the response. */
export async function changeWindowBeforeAnswer(
  options: Parameters<typeof ownService>[0],
  wait: (service: Service) => Promise<unknown>,
): Promise<void> {
  const service = await ownService({ ...options, env: { HULAKI_ROLES: 'api' } })
  await ownService({ beside: service, env: { HULAKI_ROLES: 'delivery' } })
  const sender = await makeSender(service)
  const answer = Promise.withResolvers<void>()
  const smsc = await startSmsc({ plan: ({ text }) => (text === 'Slow' ? { answer: answer.promise } : {}) })
  const carrierId = await addCarrier(service, smsc.port, { window: 10, answerSeconds: 40 })
  await addRoute(service, carrierId)
  const slow = (await sender.send({ to: '9841000001', text: 'Slow' })).body.messageId
  await until(() => smsc.taken.length === 1)
  const session = smsc.taken[0]?.session
  assert.equal((await service.manage('PATCH', `/carriers/${carrierId}`, { window: 5 })).status, 200)
  // The changed carrier accepts no more messages on the old connection.
  await until(async () => (await service.manage('GET', `/carriers/${carrierId}`)).body.health.state === 'down')
  const next = (await sender.send({ to: '9841000002', text: 'Next' })).body.messageId
  await wait(service)
  assert.equal(session?.state, 'bound', 'the connection stays')
  assert.deepEqual([smsc.binds.length, smsc.taken.length], [1, 1])
  answer.resolve()
  await until(() => smsc.taken.length === 2)
  assert.deepEqual(await session?.closed, { reason: 'unbound' })
  assert.deepEqual([smsc.binds.length, smsc.taken[1]?.text], [2, 'Next'])
  await until(async () => (await sender.get(next)).status === 'sent')
  assert.equal((await sender.get(slow)).status, 'sent')
  const submissions = await service.db.query(sql`select outcome from submission order by message_id`)
  assert.deepEqual(submissions, [{ outcome: 'accepted' }, { outcome: 'accepted' }])
}
