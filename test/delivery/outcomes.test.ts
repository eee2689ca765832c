import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
const smsc = await startSmsc()
const sender = await makeSender(service)
await addRoute(service, await addCarrier(service, smsc.port, { answerSeconds: 1 }))
let last = 0

beforeEach(() => {
  smsc.plan = () => ({ report: 'DELIVRD' })
  smsc.taken.length = 0
})

const nextNumber = () => `98${String(41_000_000 + ++last).padStart(8, '0')}`

async function sendOne(body: Record<string, unknown> = {}): Promise<string> {
  const sent = await sender.send({ to: nextNumber(), ...body })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  await service.settle()
  return sent.body.messageId
}

const reaches = (id: string, status: string) =>
  until(async () => {
    const message = await sender.get(id)
    return message.status === status && message
  })

const eventsOf = async (id: string) => {
  const rows = await service.db.query<{ body: Buffer }>({
    text: 'select body from webhook_event where message_id = $1 order by delivery_id',
    values: [id],
    name: undefined,
  })
  return rows.map((row) => JSON.parse(row.body.toString()))
}

const refundsOf = async (id: string) => {
  const rows = await service.db.query<{ n: number }>({
    text: "select count(*) as n from ledger_entry where message_id = $1 and kind = 'refund'",
    values: [id],
    name: undefined,
  })
  return rows[0]?.n
}

test('D14: retries a temporary rejection after 5, 15, 60, 300 and 900 s, then fails and refunds', async () => {
  smsc.plan = () => ({ status: 0x08 })
  const { balance } = await sender.balance()
  const id = await sendOne()
  const waits = [5, 15, 60, 300, 900]
  for (const [index, seconds] of waits.entries()) {
    const waiting = await reaches(id, 'queued')
    assert.equal(waiting.attempts, index + 1)
    assert.equal(waiting.error, 'network_unavailable')
    await service.advance(seconds - 1)
    assert.equal(smsc.taken.length, index + 1, `no retry before ${seconds} s`)
    await service.advance(1)
    assert.equal(smsc.taken.length, index + 2)
  }
  const failed = await reaches(id, 'failed')
  assert.equal(failed.error, 'network_unavailable')
  assert.equal(failed.attempts, 6)
  assert(failed.failedAt)
  assert.equal(await refundsOf(id), 1)
  assert.equal((await sender.balance()).balance, balance)
  assert.deepEqual(
    (await eventsOf(id)).map((event) => [event.status, event.error]),
    [
      ['queued', 'network_unavailable'],
      ['failed', 'network_unavailable'],
    ],
  )
})

test('D14: a temporary rejection sends queued, then sent and delivered, each once', async () => {
  let refusals = 0
  smsc.plan = () => (refusals++ === 0 ? { status: 0x64 } : { report: 'DELIVRD' })
  const id = await sendOne()
  await service.advance(5)
  const message = await reaches(id, 'delivered')
  assert.equal(message.attempts, 2)
  assert.equal(message.error, '')
  assert.deepEqual(
    (await eventsOf(id)).map((event) => event.status),
    ['queued', 'sent', 'delivered'],
  )
})

test('D11: a permanent rejection fails at once with its code and is refunded', async () => {
  for (const [status, error] of [
    [0x0b, 'invalid_number'],
    [0x65, 'carrier_rejected'],
    [0x401, 'carrier_rejected'],
    [0xc4, 'delivery_failed'],
  ] as const) {
    smsc.plan = () => ({ status })
    const id = await sendOne()
    const message = await reaches(id, 'failed')
    assert.equal(message.error, error)
    assert.equal(message.attempts, 1)
    assert.equal(await refundsOf(id), 1)
  }
})

test('0x45 is retried twice, then fails', async () => {
  smsc.plan = () => ({ status: 0x45 })
  const id = await sendOne()
  await service.advance(5)
  await service.advance(15)
  const message = await reaches(id, 'failed')
  assert.equal(message.error, 'delivery_failed')
  assert.equal(message.attempts, 3)
})

test('D14: throttling is not an attempt, and the message is sent after the pause', async () => {
  let throttled = 0
  smsc.plan = () => (throttled++ < 3 ? { status: 0x58 } : { report: 'DELIVRD' })
  const id = await sendOne()
  await until(
    async () => {
      await service.advance(1)
      return smsc.taken.length === 4
    },
    { ms: 20_000 },
  )
  const message = await reaches(id, 'delivered')
  assert.equal(message.attempts, 1)
})

test('D13: undelivered, expired and rejected are final without a refund; rejected sends a failed event', async () => {
  for (const [state, status, error, told] of [
    ['UNDELIV', 'undelivered', 'delivery_failed', 'undelivered'],
    ['EXPIRED', 'undelivered', 'delivery_timeout', 'undelivered'],
    ['REJECTD', 'rejected', 'carrier_rejected', 'failed'],
  ] as const) {
    smsc.plan = () => ({ report: state })
    const id = await sendOne()
    const message = await reaches(id, status)
    assert.equal(message.error, error)
    assert.equal(await refundsOf(id), 0)
    const events = await eventsOf(id)
    assert.deepEqual(
      events.map((event) => event.status),
      ['sent', told],
    )
    assert.equal(events[1].error, error)
  }
})

test('an intermediate report changes nothing', async () => {
  smsc.plan = () => ({ report: 'ENROUTE' })
  const id = await sendOne()
  const message = await until(async () => {
    const it = await sender.get(id)
    return it.dlr && it
  })
  assert.equal(message.status, 'sent')
  assert.equal(message.dlr.status, 'ENROUTE')
})

test('D13: a message without a report is undelivered after 48 + 24 h', async () => {
  smsc.plan = () => ({})
  const id = await sendOne()
  await reaches(id, 'sent')
  await service.advance(72 * 3600 - 60)
  assert.equal((await sender.get(id)).status, 'sent')
  await service.advance(120)
  const message = await sender.get(id)
  assert.equal(message.status, 'undelivered')
  assert.equal(message.error, 'delivery_timeout')
  assert.equal(await refundsOf(id), 0)
})

test('D15: a message without a response is not resent; it fails at its deadline and is refunded', async () => {
  smsc.plan = () => ({ answer: 'never' })
  const id = await sendOne()
  assert.equal((await sender.get(id)).status, 'submitting')
  await service.advance(71 * 3600)
  assert.equal((await sender.get(id)).status, 'submitting')
  await service.advance(3700)
  const message = await sender.get(id)
  assert.equal(message.status, 'failed')
  assert.equal(message.error, 'delivery_timeout')
  assert.equal(message.attempts, 1)
  assert.equal(await refundsOf(id), 1)
  assert.equal(smsc.taken.length, 1)
})

test('D15: a late response and its report still count', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  smsc.plan = () => ({ answer: promise, report: 'DELIVRD' })
  const id = await sendOne()
  assert.equal((await sender.get(id)).status, 'submitting')
  resolve()
  await reaches(id, 'delivered')
})

test('D15: a late temporary rejection returns the message to the queue', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  smsc.plan = () => ({ answer: promise, status: 0x08 })
  const id = await sendOne()
  assert.equal((await sender.get(id)).status, 'submitting')
  resolve()
  await reaches(id, 'queued')
  smsc.plan = () => ({ report: 'DELIVRD' })
  await service.advance(5)
  assert.equal((await reaches(id, 'delivered')).attempts, 2)
})

test('D15: a report with an unknown ID completes a submission to that number without a response', async () => {
  smsc.plan = () => ({ answer: 'never' })
  const id = await sendOne()
  const [submission] = smsc.taken
  assert(submission)
  assert.equal(await smsc.reportOn(submission, 'DELIVRD', { id: 'NOBODY-KNOWS-IT' }), 0)
  assert.equal((await sender.get(id)).status, 'submitting')
  await service.advance(2)
  const message = await sender.get(id)
  assert.equal(message.status, 'delivered')
  assert.deepEqual(
    (await eventsOf(id)).map((event) => event.status),
    ['sent', 'delivered'],
  )
})

test('D14, D21: retries an OTP after 2, 4, 8, 16, 32 s and erases its text when it fails', async () => {
  smsc.plan = () => ({ status: 0x08 })
  const sent = await sender.sendCode(nextNumber())
  await service.settle()
  for (const seconds of [2, 4, 8, 16, 32]) await service.advance(seconds)
  assert.equal(smsc.taken.length, 6)
  const message = await reaches(sent.body.messageId, 'failed')
  assert.equal(message.error, 'network_unavailable')
  assert.equal(message.text, '(OTP hidden)')
  assert.equal(await refundsOf(sent.body.messageId), 1)
  assert.equal(await sealedTexts(sent.body.messageId), 0)
})

test('D15, D21: resubmits an OTP without a response and erases its text when it is accepted', async () => {
  let tries = 0
  smsc.plan = () => (tries++ === 0 ? { answer: 'never' } : {})
  const sent = await sender.sendCode(nextNumber())
  await service.settle()
  assert.equal(await sealedTexts(sent.body.messageId), 1)
  await service.advance(2)
  const message = await reaches(sent.body.messageId, 'sent')
  assert.equal(message.attempts, 2)
  assert.match(smsc.taken[1]?.text ?? '', /^Brand: \d{6} is your verification code/)
  assert.equal(smsc.taken[0]?.text, smsc.taken[1]?.text)
  assert.match(smsc.taken[1]?.pdu.validity_period ?? '', /^00000000045[78]000R$|^0000000004\d\d000R$/)
  assert.equal(await sealedTexts(sent.body.messageId), 0)
})

async function sealedTexts(id: string): Promise<number | undefined> {
  const rows = await service.db.query<{ n: number }>({
    text: 'select count(*) as n from sealed_text where message_id = $1',
    values: [id],
    name: undefined,
  })
  return rows[0]?.n
}
