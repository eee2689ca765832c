// Cancels, fails, resends and exports selected messages, and previews it (D75), while delivery runs.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { makeOwner } from '../../harness/client.ts'
import { makePerson } from '../../harness/people.ts'
import { assertRefused } from '../../harness/refused.ts'
import { addCarrier, addRoute, makeSender } from '../../harness/sending.ts'
import { ownService } from '../../harness/service.ts'
import { startSmsc } from '../../harness/smsc.ts'
import { until } from '../../harness/until.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
const smsc = await startSmsc()
const carrierId = await addCarrier(service, smsc.port, { answerSeconds: 1 })
await addRoute(service, carrierId)
const { manage } = service
let last = 0

beforeEach(() => {
  smsc.plan = () => ({ report: 'DELIVRD' })
  smsc.taken.length = 0
})

type Sender = Awaited<ReturnType<typeof makeSender>>

async function send(sender: Sender, body: Record<string, unknown> = {}): Promise<string> {
  const sent = await sender.send({ to: `98${String(43_000_000 + ++last)}`, ...body })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  await service.settle()
  return sent.body.messageId
}

/** Waits in the queue after a temporary rejection. */
async function sendWaiting(sender: Sender): Promise<string> {
  smsc.plan = () => ({ status: 0x08 })
  const id = await send(sender)
  await until(async () => (await sender.get(id)).attempts === 1)
  return id
}

async function sendFailing(sender: Sender, body: Record<string, unknown> = {}): Promise<string> {
  smsc.plan = () => ({ status: 0x0b })
  const id = await send(sender, body)
  await until(async () => (await sender.get(id)).status === 'failed')
  return id
}

const act = async (name: 'cancel' | 'fail' | 'resend', body: object, token?: string) => {
  const answer = await manage('POST', `/messages/${name}`, body, token)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}
const countsOf = (answer: { refused: { reason: string; count: number }[] }) =>
  Object.fromEntries(answer.refused.map(({ reason, count }) => [reason, count]))
const changesOf = async (workspaceId: string) =>
  (await manage('GET', `/workspaces/${workspaceId}/audit-log`)).body.items.filter((it: { action: string }) =>
    it.action.startsWith('message.'),
  )

test('cancels messages of several workspaces, leaves others out by reason, and audits each workspace', async () => {
  const [one, other] = [await makeSender(service), await makeSender(service)]
  const waiting = [await sendWaiting(one), await sendWaiting(one), await sendWaiting(other)]
  smsc.plan = () => ({ report: 'DELIVRD' })
  const delivered = await send(one)
  await until(async () => (await one.get(delivered)).status === 'delivered')
  const ids = [...waiting, delivered, '0198f0a4-81d0-7c3f-8a44-0e5d7b9c1a20', waiting[0]]
  const previewed = await act('cancel', { ids, preview: true })
  assert.equal(previewed.changed, 3)
  assert.deepEqual(countsOf(previewed), { final: 1, not_found: 1 })
  assert.deepEqual(previewed.amounts, [{ currency: 'NPR', charged: 0, refunded: 3 }])
  for (const id of waiting)
    assert.ok(['queued', 'submitting'].includes((await (id === waiting[2] ? other : one).get(id)).status))
  assert.deepEqual(await changesOf(one.workspaceId), [], 'a preview changes nothing')
  assert.deepEqual(await act('cancel', { ids }), previewed, 'as the preview said')
  for (const sender of [one, other]) assert.equal((await changesOf(sender.workspaceId)).length, 1)
  assert.deepEqual(countsOf(await act('cancel', { ids })), { final: 4, not_found: 1 })
})

test('the preview of a resend has the price of today and changes nothing; the resend charges that price', async () => {
  const sender = await makeSender(service)
  const failed = [await sendFailing(sender), await sendFailing(sender, { text: 'पठाइयो' })]
  const code = await sender.sendCode('9843999001')
  await service.settle()
  await until(async () => (await sender.get(code.body.messageId)).status === 'failed')
  await manage('PATCH', `/workspaces/${sender.workspaceId}`, { rate: { transactional: 2.5 } })
  const { balance } = await sender.balance()
  const ids = [...failed, code.body.messageId]
  const previewed = await act('resend', { ids, preview: true })
  assert.deepEqual(previewed.amounts, [{ currency: 'NPR', charged: 5, refunded: 0 }])
  assert.deepEqual([previewed.changed, countsOf(previewed)], [2, { otp_not_stored: 1 }])
  assert.equal((await sender.balance()).balance, balance)
  const listed = async () =>
    (await manage('GET', `/workspaces/${sender.workspaceId}/messages`)).body.items as { resentAs: string | null }[]
  assert.equal((await listed()).length, 3)
  smsc.plan = () => ({ report: 'DELIVRD' })
  assert.deepEqual(await act('resend', { ids }), previewed)
  assert.equal((await sender.balance()).balance, balance - 5)
  assert.equal((await listed()).filter(({ resentAs }) => resentAs !== null).length, 2)
  assert.deepEqual(countsOf(await act('resend', { ids, preview: true })), { already_resent: 2, otp_not_stored: 1 })
})

test('a preview of more than one step counts the charges of the steps before', async () => {
  const sender = await makeSender(service)
  smsc.plan = () => ({ status: 0x0b })
  const sent = await Promise.all(
    Array.from({ length: 150 }, () => sender.send({ to: `98${String(43_000_000 + ++last)}` })),
  )
  const ids = sent.map(({ body }) => body.messageId as string)
  await service.settle()
  await until(async () => {
    const { body } = await manage('GET', `/workspaces/${sender.workspaceId}/messages?status=failed&limit=200`)
    return body.items.length === 150
  })
  const { balance } = await sender.balance()
  const rate = { transactional: Math.floor(balance / 1.2) / 100 }
  assert.equal((await manage('PATCH', `/workspaces/${sender.workspaceId}`, { rate })).status, 200)
  const previewed = await act('resend', { ids, preview: true })
  assert.deepEqual([previewed.changed, countsOf(previewed)], [120, { insufficient_balance: 30 }])
  assert.equal((await sender.balance()).balance, balance)
})

test('fails unfinished messages of any age', async () => {
  const sender = await makeSender(service)
  smsc.plan = () => ({})
  const id = await send(sender)
  await until(async () => (await sender.get(id)).status === 'sent')
  assert.equal((await act('fail', { ids: [id], preview: true })).changed, 1)
  assert.equal((await sender.get(id)).status, 'sent')
  assert.equal((await act('fail', { ids: [id] })).changed, 1)
  assert.equal((await sender.get(id)).error, 'delivery_failed')
})

test('an owner acts only on messages of the own workspace; other roles not at all', async () => {
  const [one, other] = [await makeSender(service), await makeSender(service)]
  const ids = [await sendWaiting(one), await sendWaiting(other)]
  const owner = await makeOwner(service, one.workspaceId)
  const cancelled = await act('cancel', { ids }, owner.token)
  assert.deepEqual([cancelled.changed, countsOf(cancelled)], [1, { not_found: 1 }])
  const foreign = ids[1] ?? assert.fail()
  assert.notEqual((await other.get(foreign)).status, 'failed')
  for (const name of ['fail', 'resend'])
    assert.equal((await manage('POST', `/messages/${name}`, { ids }, owner.token)).status, 404)
  const developer = await manage('POST', `/workspaces/${one.workspaceId}/owner-tokens`, {
    name: 'Deploy',
    role: 'developer',
  })
  assert.equal((await manage('POST', '/messages/cancel', { ids }, developer.body.token)).status, 404)
})

test('takes between one and 1,000 ids', async () => {
  const id = '0198f0a4-81d0-7c3f-8a44-0e5d7b9c1a20'
  for (const ids of [[], Array.from({ length: 1_001 }, () => id), ['x']]) {
    const { status, body } = await manage('POST', '/messages/cancel', { ids })
    assert.deepEqual([status, body.code], [400, 'invalid_request'])
  }
  assertRefused(await manage('POST', '/messages/cancel', { ids: [id], status: ['queued'] }), 400, 'invalid_request')
})

test('exports selected messages newest first, only of the own workspace, and with masked numbers for people', async () => {
  const [one, other] = [await makeSender(service), await makeSender(service)]
  const ids = [await send(one, { text: 'First' }), await send(one, { text: 'Second' }), await send(other)]
  const owner = await makeOwner(service, one.workspaceId)
  const { status, body } = await manage('POST', '/messages/export', { ids }, owner.token)
  assert.equal(status, 200)
  const [head, ...lines] = body.split('\r\n')
  assert.match(head, /^\ufeff?id,createdAt,clientId,to,/)
  assert.deepEqual(
    lines.map((line: string) => line.split(',').at(-1)),
    ['Second', 'First', ''],
  )
  assert.match(body, /,\+97798\d+,/)
  const viewer = await makePerson(service, { workspaceId: one.workspaceId, role: 'viewer' })
  const masked = await viewer.browser.ask('POST', '/messages/export', { ids })
  assert.equal(masked.status, 200, JSON.stringify(masked.body))
  assert.doesNotMatch(masked.body, /,\+97798\d+,/)
})
