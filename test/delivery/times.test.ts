// The times of a message (D13) increase strictly with its statuses, so that §6.2 rule 4 always decides.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { recordReports } from '../../src/actions/messages/record-reports.ts'
import { normaliseMessageId } from '../../src/smpp/receipt.ts'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
const smsc = await startSmsc()
const sender = await makeSender(service)
const carrierId = await addCarrier(service, smsc.port)
await addRoute(service, carrierId)
let last = 0

beforeEach(() => {
  smsc.plan = () => ({})
  smsc.taken.length = 0
})

async function sendOne(body: Record<string, unknown> = {}): Promise<string> {
  last += 1
  const sent = await sender.send({ to: `98410000${String(last).padStart(2, '0')}`, ...body })
  await service.settle()
  return sent.body.messageId
}

const reported = async (state: string) => {
  for (const taken of smsc.taken) assert.equal(await smsc.reportOn(taken, state), 0)
}

async function eventsOf(id: string): Promise<{ status: string; at: string }[]> {
  const rows = await service.db.query<{ body: Buffer }>({
    text: 'select body from webhook_event where message_id = $1 order by delivery_id',
    values: [id],
    name: undefined,
  })
  return rows.map(({ body }) => JSON.parse(body.toString()))
}

function assertRising(times: (string | undefined)[]): void {
  for (const [index, time] of times.entries()) {
    assert(time !== undefined)
    if (index > 0) assert((times[index - 1] ?? '') < time, `not rising: ${times.join(' ')}`)
  }
}

test('D13: every time of a message is later than the previous one, even with a stopped clock', async () => {
  const id = await sendOne()
  await reported('DELIVRD')
  const { createdAt, submittedAt, sentAt, dlr, deliveredAt, updatedAt } = await sender.get(id)
  assert.equal(submittedAt, sentAt, 'D12: with one segment both are the same instant')
  assertRising([createdAt, sentAt, dlr.at, deliveredAt])
  assert.equal(updatedAt, deliveredAt)
  assert(Date.parse(deliveredAt) - Date.parse(createdAt) < 20, 'by milliseconds only')
  const events = await eventsOf(id)
  assert.deepEqual(
    events.map(({ status, at }) => [status, at]),
    [
      ['sent', sentAt],
      ['delivered', deliveredAt],
    ],
  )
})

test('D13: a receipt before its response is never earlier than submittedAt', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  smsc.plan = () => ({ answer: promise })
  const sending = sendOne()
  await until(() => smsc.taken.length === 1)
  await reported('UNDELIV')
  resolve()
  const id = await sending
  const { status, submittedAt, dlr, updatedAt } = await sender.get(id)
  assert.equal(status, 'undelivered')
  assertRising([submittedAt, dlr.at, updatedAt])
  const [sent, undelivered] = await eventsOf(id)
  assertRising([sent?.at, dlr.at, undelivered?.at])
})

test('§6.2 rule 4: the event with the latest `at` has the right status, also after retries', async () => {
  let tries = 0
  smsc.plan = () => (tries++ === 0 ? { status: 0x08 } : {})
  const id = await sendOne()
  await service.advance(5)
  await reported('REJECTD')
  const events = await eventsOf(id)
  assert.deepEqual(
    events.map(({ status }) => status),
    ['queued', 'sent', 'failed'],
  )
  assertRising(events.map(({ at }) => at))
  assert.equal((await sender.get(id)).failedAt, events[2]?.at)
})

test('D13: a process with a slower clock never turns times back', async () => {
  const id = await sendOne()
  const [taken] = smsc.taken
  assert(taken)
  const behind = new Date(service.clock.now().getTime() - 4_000)
  const ports = { ...service.ports, clock: { now: () => behind } as typeof service.clock }
  const report = {
    id: service.ports.ids.next(),
    carrierId,
    reference: normaliseMessageId(taken.id, 'opaque'),
    to: taken.to,
    status: 'delivered' as const,
    error: '' as const,
    state: 'DELIVRD',
    code: '000',
    raw: '',
    byText: false,
    receivedAt: behind,
  }
  await recordReports(ports, [report])
  const { sentAt, dlr, deliveredAt } = await sender.get(id)
  assertRising([sentAt, dlr.at, deliveredAt])
})

test('D13: a late receipt of a final message changes only dlr and updatedAt', async () => {
  const id = await sendOne()
  await reported('UNDELIV')
  const { dlr, updatedAt, ...ended } = await sender.get(id)
  const timeline = async () => {
    const { body } = await service.manage('GET', `/messages/${id}/timeline`)
    return body.timeline.filter((it: { what: string }) => it.what === 'status')
  }
  const before = { statuses: await timeline(), events: await eventsOf(id) }
  await reported('DELIVRD')
  const { dlr: later, updatedAt: moved, ...same } = await sender.get(id)
  assert.deepEqual(same, ended)
  assert.deepEqual([dlr.status, later.status], ['UNDELIV', 'DELIVRD'])
  assertRising([dlr.at, updatedAt, later.at])
  assert.equal(moved, later.at)
  assert.deepEqual({ statuses: await timeline(), events: await eventsOf(id) }, before)
})

test('D13: an intermediate report has its time, and later times follow', async () => {
  const id = await sendOne()
  await reported('ENROUTE')
  const { sentAt, dlr: onTheWay, updatedAt } = await sender.get(id)
  assert.equal(updatedAt, onTheWay.at)
  await reported('DELIVRD')
  const { dlr, deliveredAt } = await sender.get(id)
  assertRising([sentAt, onTheWay.at, dlr.at, deliveredAt])
})
