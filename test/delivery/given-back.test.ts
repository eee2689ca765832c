// Back to `queued` (§3.1): a deferral by a carrier sends one event (D30); a message that was claimed and not submitted sends none.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/store/database/sql.ts'
import { inLongTransaction } from '../harness/hold-workspace.ts'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { query } from '../harness/server.ts'
import { ownService, systemClock, type TestService } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

const ROLES = { HULAKI_ROLES: 'api,delivery' }
const NOT_BOUND = 0x04
const BIND_FAILED = 0x0d
const THROTTLED = 0x58

/** Queries the database directly, because the service may have stopped. */
async function standingOf({ address }: Pick<TestService, 'address'>, id: string) {
  const rows = (text: string) => query(address, `${text} where message_id = '${id}' order by 1`)
  const [message] = await query(address, `select status, submissions from message where id = '${id}'`)
  const events = await rows(`select delivery_id, told ->> 'status' as status, told ->> 'error' as error
    from webhook_event cross join lateral (select convert_from(body, 'UTF8')::json) as it (told)`)
  const outcomes = await rows('select ordinal, segment, outcome from submission')
  return {
    status: message?.status,
    attempts: message?.submissions,
    told: events.map(({ status, error }) => [status, error].filter(Boolean).join(' ')),
    outcomes: outcomes.map(({ outcome }) => outcome),
  }
}

test('§3.1: a message whose link was lost before writing stays queued without an event', async () => {
  const service = await ownService({ env: ROLES, clock: systemClock() })
  const isRefusing = { binds: false }
  const smsc = await startSmsc({ bindStatus: () => (isRefusing.binds ? BIND_FAILED : 0) })
  const carrierId = await addCarrier(service, smsc.port)
  await addRoute(service, carrierId)
  const stateIs = async (state: string) =>
    (await service.manage('GET', `/carriers/${carrierId}`)).body.state[0]?.state === state
  await until(() => stateIs('bound'))
  const sender = await makeSender(service)
  const id = await inLongTransaction(service, async (tx) => {
    await tx.query(sql`lock table claim in exclusive mode`)
    const { body } = await sender.send({ to: '9841000001' })
    await until(async () => (await tx.query(sql`select 1 from pg_locks where not granted`)).length > 0)
    isRefusing.binds = true
    smsc.disconnect()
    await until(() => stateIs('waiting'))
    return body.messageId as string
  })
  const givenBack = await until(async () => {
    const standing = await standingOf(service, id)
    return standing.status === 'queued' && standing.outcomes.length > 0 && standing
  })
  assert.deepEqual(givenBack, { status: 'queued', attempts: 0, told: [], outcomes: ['unwritten'] })
  isRefusing.binds = false
  await until(async () => (await standingOf(service, id)).status === 'delivered')
  const { attempts, told } = await standingOf(service, id)
  assert.deepEqual({ attempts, told }, { attempts: 1, told: ['sent', 'delivered'] })
})

test('§3.1: a stopping process releases unwritten messages without an event', async () => {
  const first = await ownService({ env: ROLES, clock: systemClock() })
  const { promise, resolve } = Promise.withResolvers<void>()
  // The window is too small for three parts: the first is written when the process stops, the others wait.
  const smsc = await startSmsc({ plan: () => ({ answer: promise, status: NOT_BOUND }) })
  await addRoute(first, await addCarrier(first, smsc.port, { window: 1 }))
  const sender = await makeSender(first)
  const { body } = await sender.send({ to: '9841000001', text: 'x'.repeat(400) })
  const id = body.messageId
  await until(() => smsc.taken.length === 1)
  const stopped = first.stop()
  await until(async () => (await standingOf(first, id)).outcomes.filter((it) => it === 'unwritten').length === 2)
  resolve()
  await stopped
  assert.deepEqual(await standingOf(first, id), {
    status: 'queued',
    attempts: 0,
    told: [],
    outcomes: ['unwritten', 'unwritten', 'unwritten'],
  })
  smsc.plan = () => ({ report: 'DELIVRD' })
  const next = await ownService({ env: ROLES, beside: first })
  await until(async () => (await standingOf(next, id)).status === 'delivered')
  assert.deepEqual((await standingOf(next, id)).told, ['sent', 'delivered'])
})

test('§3.1, D30: a throttled message is deferred and sends one event', async () => {
  const service = await ownService({ env: ROLES })
  let throttled = 0
  const smsc = await startSmsc({ plan: () => (throttled++ < 3 ? { status: THROTTLED } : { report: 'DELIVRD' }) })
  await addRoute(service, await addCarrier(service, smsc.port))
  const sender = await makeSender(service)
  const { body } = await sender.send({ to: '9841000001' })
  await service.settle()
  assert.deepEqual(await standingOf(service, body.messageId), {
    status: 'queued',
    attempts: 0,
    told: ['queued network_unavailable'],
    outcomes: ['throttled'],
  })
  await until(async () => {
    await service.advance(1)
    return (await standingOf(service, body.messageId)).status === 'delivered'
  })
  const { attempts, told, outcomes } = await standingOf(service, body.messageId)
  assert.deepEqual([attempts, outcomes], [1, ['throttled', 'throttled', 'throttled', 'accepted']])
  assert.deepEqual(told, ['queued network_unavailable', 'sent', 'delivered'])
})
