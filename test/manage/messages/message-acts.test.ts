// Cancels, fails and resends messages (D59) while delivery runs.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { makeClient, makeOwner } from '../../harness/client.ts'
import { assertRefused } from '../../harness/refused.ts'
import { addCarrier, addRoute, makeSender } from '../../harness/sending.ts'
import { ownService } from '../../harness/service.ts'
import { startSmsc } from '../../harness/smsc.ts'
import { until } from '../../harness/until.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
const smsc = await startSmsc()
const sender = await makeSender(service)
const carrierId = await addCarrier(service, smsc.port, { answerSeconds: 1 })
await addRoute(service, carrierId)
const owner = await makeOwner(service, sender.workspaceId)
const { manage } = service
const at = `/workspaces/${sender.workspaceId}/messages`
let last = 0

beforeEach(() => {
  smsc.plan = () => ({ report: 'DELIVRD' })
  smsc.taken.length = 0
})

const rows = <Row>(text: string, ...values: unknown[]) => service.db.query<Row>({ text, values, name: undefined })

async function sendOne(body: Record<string, unknown> = {}): Promise<string> {
  const sent = await sender.send({ to: `98${String(41_000_000 + ++last)}`, ...body })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  await service.settle()
  return sent.body.messageId
}

const reaches = (id: string, status: string) =>
  until(async () => {
    const message = await sender.get(id)
    return message.status === status && message
  })

/** Waits in the queue after a temporary rejection. */
async function sendWaiting(body: Record<string, unknown> = {}): Promise<string> {
  smsc.plan = () => ({ status: 0x08 })
  const id = await sendOne(body)
  await until(async () => (await sender.get(id)).attempts === 1)
  return id
}

/** D15: submitted, without an answer. */
async function sendUnknown(): Promise<string> {
  smsc.plan = () => ({ answer: 'never' })
  const id = await sendOne()
  await until(async () => (await sender.get(id)).attempts === 1)
  assert.equal((await sender.get(id)).status, 'submitting')
  return id
}

async function lastLine() {
  const { items } = (await manage('GET', `/workspaces/${sender.workspaceId}/audit-log?limit=1`)).body
  return items[0]
}

const linksOf = async (id: string) => {
  const { resentAs, resentFrom } = (await manage('GET', `/messages/${id}/timeline`)).body.message
  return { resentAs, resentFrom }
}

const entriesOf = async (id: string) =>
  (await rows<{ kind: string }>('select kind from ledger_entry where message_id = $1', id)).map((it) => it.kind)

const eventsOf = async (id: string) =>
  (await rows<{ body: Buffer }>('select body from webhook_event where message_id = $1 order by delivery_id', id)).map(
    (it) => JSON.parse(it.body.toString()),
  )

test('cancels a queued message for an owner: failed without an error, refunded, webhook sent, audited', async () => {
  const { balance } = await sender.balance()
  const id = await sendWaiting()
  const { status, body } = await manage('POST', `/messages/${id}/cancel`, undefined, owner.token)
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual([body.id, body.status, body.error, body.charged], [id, 'failed', '', 0])
  assert.equal((await sender.get(id)).status, 'failed')
  assert.equal((await sender.get(id)).error, '')
  assert.equal((await sender.balance()).balance, balance)
  assert.deepEqual(await entriesOf(id), ['refund'])
  const event = (await eventsOf(id)).at(-1)
  assert.deepEqual([event.id, event.status, 'error' in event], [id, 'failed', false])
  const line = await lastLine()
  assert.deepEqual(
    [line.action, line.subject, line.actor, line.details],
    ['message.cancelled', id, `owner:${owner.id}`, { was: 'queued' }],
  )
  smsc.plan = () => ({ report: 'DELIVRD' })
  smsc.taken.length = 0
  await service.advance(3600)
  assert.deepEqual(smsc.taken, [], 'nothing of it goes out any more')
  assertRefused(await manage('POST', `/messages/${id}/cancel`, undefined, owner.token), 409, 'conflict')
  assertRefused(await manage('POST', `/messages/${id}/resend`), 409, 'conflict')
})

test('does not cancel a message that a carrier may have; other roles can neither fail nor resend', async () => {
  const delivered = await sendOne()
  await reaches(delivered, 'delivered')
  for (const id of [delivered, await sendUnknown()])
    assertRefused(await manage('POST', `/messages/${id}/cancel`), 409, 'conflict')
  const developer = await manage('POST', `/workspaces/${sender.workspaceId}/owner-tokens`, {
    name: 'Deploy',
    role: 'developer',
  })
  for (const [act, token] of [
    ['cancel', developer.body.token],
    ['fail', owner.token],
    ['resend', owner.token],
  ]) {
    assert.equal((await manage('POST', `/messages/${delivered}/${act}`, undefined, token)).status, 404)
    assert.equal((await manage('POST', `${at}/${act}`, {}, token)).status, 404)
  }
})

test('fails an accepted message without a receipt; a late receipt changes nothing', async () => {
  smsc.plan = () => ({})
  const { balance } = await sender.balance()
  const id = await sendOne()
  await reaches(id, 'sent')
  const { body } = await manage('POST', `/messages/${id}/fail`)
  assert.deepEqual([body.status, body.error, body.charged], ['failed', 'delivery_failed', 0])
  assert.equal((await sender.balance()).balance, balance)
  const [taken] = smsc.taken
  assert(taken)
  assert.equal(await smsc.reportOn(taken, 'DELIVRD'), 0)
  await service.settle()
  const late = await sender.get(id)
  assert.deepEqual([late.status, late.dlr.status], ['failed', 'DELIVRD'])
  assert.deepEqual(
    (await eventsOf(id)).map((it) => it.status),
    ['sent', 'failed'],
  )
  assert.deepEqual(await entriesOf(id), ['refund'])
  assert.deepEqual([(await lastLine()).action, (await lastLine()).details], ['message.failed', { was: 'sent' }])
  assertRefused(await manage('POST', `/messages/${id}/fail`), 409, 'conflict')
})

test('resends a message that a carrier may have without a new charge (D15, D59)', async () => {
  const id = await sendUnknown()
  const { balance } = await sender.balance()
  smsc.plan = () => ({ report: 'DELIVRD' })
  const { status, body } = await manage('POST', `/messages/${id}/resend`)
  assert.deepEqual([status, body.id, body.status], [202, id, 'queued'])
  await service.settle()
  await reaches(id, 'delivered')
  assert.equal(smsc.taken.length, 2)
  assert.equal((await sender.balance()).balance, balance)
  const action = (await lastLine()).action
  assert.equal(action, 'message.resent')
})

test('retries a rejected resend as usual, and does not submit a third time without an answer (D59)', async () => {
  const id = await sendUnknown()
  smsc.plan = () => ({ status: 0x08 })
  assert.equal((await manage('POST', `/messages/${id}/resend`)).status, 202)
  await service.settle()
  await until(async () => (await sender.get(id)).attempts === 2)
  smsc.plan = () => ({ answer: 'never' })
  await service.advance(15)
  await until(async () => (await sender.get(id)).attempts === 3)
  await service.advance(3600)
  assert.equal((await sender.get(id)).status, 'submitting')
  assert.equal(smsc.taken.length, 3)
})

test('resends a failed message once as a new charged message, also for concurrent calls (D59)', async () => {
  smsc.plan = () => ({ status: 0x0b })
  const id = await sendOne({ text: 'Your order is on its way' })
  await reaches(id, 'failed')
  const { balance } = await sender.balance()
  smsc.plan = () => ({ report: 'DELIVRD' })
  const both = await Promise.all([1, 2].map(() => manage('POST', `/messages/${id}/resend`)))
  assert.deepEqual(both.map((it) => it.status).sort(), [202, 409])
  const { body } = both.find((it) => it.status === 202) ?? assert.fail()
  assert.notEqual(body.id, id)
  const again = both.find((it) => it.status === 409) ?? assert.fail()
  assert.ok(again.body.error.endsWith(body.id), again.body.error)
  await service.settle()
  const anew = await reaches(body.id, 'delivered')
  assert.equal(anew.text, 'Your order is on its way')
  assert.equal((await sender.get(id)).status, 'failed')
  assert.equal((await sender.balance()).balance, balance - 1)
  assert.deepEqual((await lastLine()).details, { was: 'failed', as: body.id })
  assert.deepEqual([body.resentAs, body.resentFrom], [null, id])
  assert.deepEqual(await linksOf(id), { resentAs: body.id, resentFrom: null })
  assert.deepEqual(await linksOf(body.id), { resentAs: null, resentFrom: id })
  const listed = (await manage('GET', `${at}?limit=200`)).body.items
  assert.equal(listed.find((it: { id: string }) => it.id === id).resentAs, body.id)
  assert.deepEqual(
    Object.keys(await sender.get(id)).filter((name) => name.startsWith('resent')),
    [],
    'not in the v1 API',
  )
  const usage = await rows<{ sent: number; used: number }>(
    `
    select (select count(*) from message where client_id = $1) as sent,
      (select sum(messages)::bigint from usage_day where client_id = $1) as used`,
    sender.clientId,
  )
  assert.equal(usage[0]?.sent, usage[0]?.used)
})

test('a chain of resends keeps each link, also if one of its messages is deleted', async () => {
  smsc.plan = () => ({ status: 0x0b })
  const first = await sendOne()
  await reaches(first, 'failed')
  const resend = async (id: string): Promise<string> => {
    const { status, body } = await manage('POST', `/messages/${id}/resend`)
    assert.equal(status, 202, JSON.stringify(body))
    await service.settle()
    await reaches(body.id, 'failed')
    return body.id
  }
  const second = await resend(first)
  const third = await resend(second)
  assert.deepEqual(await linksOf(second), { resentAs: third, resentFrom: first })
  const again = await manage('POST', `/messages/${second}/resend`)
  assertRefused(again, 409, 'conflict')
  assert.ok(again.body.error.endsWith(third), again.body.error)
  await rows('delete from message where id = $1', second)
  assert.deepEqual(await linksOf(first), { resentAs: second, resentFrom: null })
  assert.deepEqual(await linksOf(third), { resentAs: null, resentFrom: second })
  assertRefused(await manage('POST', `/messages/${first}/resend`), 409, 'conflict')
})

test('resends and charges nothing without credit, for an OTP, or after expiry (D59)', async () => {
  const poor = await makeSender(service, { monthlyCredit: 1.5 })
  smsc.plan = () => ({ status: 0x0b })
  const sent = await poor.send({ to: '9841999001' })
  await service.settle()
  await until(async () => (await poor.get(sent.body.messageId)).status === 'failed')
  await manage('PATCH', `/workspaces/${poor.workspaceId}`, { rate: { transactional: 2 } })
  const refused = await manage('POST', `/messages/${sent.body.messageId}/resend`)
  assertRefused(refused, 402, 'insufficient_balance')
  assert.equal((await poor.balance()).balance, 1.5)
  const code = await sender.sendCode('9841999002')
  await service.settle()
  await reaches(code.body.messageId, 'failed')
  assertRefused(await manage('POST', `/messages/${code.body.messageId}/resend`), 409, 'conflict')
  const old = await sendOne()
  await reaches(old, 'failed')
  await rows(`update message set created_at = created_at - interval '48 h' where id = $1`, old)
  assertRefused(await manage('POST', `/messages/${old}/resend`), 409, 'conflict')
})

test('cancels by client, age and carrier, refunds each message once, and audits them', async () => {
  const other = await makeClient(service, { workspaceId: sender.workspaceId })
  const early = await sendWaiting()
  await service.advance(2)
  const late = await sendWaiting()
  const others = await other.send({ to: '9841999010' })
  await service.settle()
  await until(async () => (await other.get(`/sms/messages/${others.body.messageId}`)).body.attempts === 1)
  const cancel = async (body: object, token?: string) => (await manage('POST', `${at}/cancel`, body, token)).body
  const nobody = { changed: 0, refused: 0, left: 0, next: null }
  assert.deepEqual(await cancel({ olderThanSeconds: 3600 }), nobody)
  const elsewhere = await addCarrier(service, 9, { name: 'Elsewhere' })
  assert.deepEqual(await cancel({ carrier: elsewhere }), nobody)
  assertRefused(await manage('POST', `${at}/cancel`, { carrier: carrierId }, owner.token), 400, 'invalid_request', [
    'carrier',
  ])
  assert.equal((await cancel({ client: sender.clientId, olderThanSeconds: 2 })).changed, 1)
  assert.deepEqual([(await sender.get(early)).status, (await sender.get(late)).status], ['failed', 'queued'])
  assert.deepEqual((await lastLine()).details.messages, [early])
  assert.equal((await cancel({ client: other.id }, owner.token)).changed, 1)
  assert.equal((await cancel({ carrier: carrierId })).changed, 1)
  assert.deepEqual(await cancel({}), nobody)
  for (const id of [early, late, others.body.messageId]) assert.deepEqual(await entriesOf(id), ['refund'])
})

test('fails stuck messages by status, age and carrier, and resends by status', async () => {
  smsc.plan = () => ({})
  const taken = await sendOne()
  await reaches(taken, 'sent')
  const unknown = await sendUnknown()
  await service.advance(60)
  const ask = async (act: string, body: object) => (await manage('POST', `${at}/${act}`, body)).body
  assert.equal((await ask('fail', { status: ['sent'], olderThanSeconds: 3600, client: sender.clientId })).changed, 0)
  assertRefused(await manage('POST', `${at}/fail`, {}), 400, 'invalid_request', ['olderThanSeconds'])
  assertRefused(await manage('POST', `${at}/resend`, {}), 400, 'invalid_request', ['status'])
  smsc.plan = () => ({ report: 'DELIVRD' })
  const resent = await ask('resend', { status: ['submitting'], carrier: carrierId })
  assert.ok(resent.changed >= 1, JSON.stringify(resent))
  await service.settle()
  await reaches(unknown, 'delivered')
  const failed = await ask('fail', { status: ['sent'], carrier: carrierId, olderThanSeconds: 60 })
  assert.ok(failed.changed >= 1)
  assert.equal((await sender.get(taken)).status, 'failed')
  const anew = await ask('resend', { status: ['failed'], client: sender.clientId })
  assert.ok(anew.changed >= 1)
  const { details } = await lastLine()
  const { as } = details.messages.find((it: { id: string }) => it.id === taken)
  await service.settle()
  await reaches(as, 'delivered')
  assert.deepEqual(await linksOf(as), { resentAs: null, resentFrom: taken })
  assert.deepEqual(await linksOf(taken), { resentAs: as, resentFrom: null })
  assert.equal((await ask('resend', { status: ['failed'], client: sender.clientId })).changed, 0)
})
