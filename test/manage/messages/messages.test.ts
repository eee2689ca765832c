import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeClient } from '../../harness/client.ts'
import { assertRefused } from '../../harness/refused.ts'
import { addCarrier, addRoute, makeSender } from '../../harness/sending.ts'
import { ownService } from '../../harness/service.ts'
import { startSmsc } from '../../harness/smsc.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
const smsc = await startSmsc()
const sender = await makeSender(service)
await addRoute(service, await addCarrier(service, smsc.port))
const owner = await service.manage('POST', `/workspaces/${sender.workspaceId}/owner-tokens`, { name: 'Owner' })
const asOwner = (path: string) => service.manage('GET', path, undefined, owner.body.token)

let refusals = 0
smsc.plan = () => (refusals++ === 0 ? { status: 0x08 } : { report: 'DELIVRD' })
const sent = await sender.send({ to: '9841000001', text: 'First' })
await service.settle()
const refusedOnce = await service.manage('GET', `/messages/${sent.body.messageId}/timeline`)
await service.advance(5)
await service.settle()
const second = await sender.send({ to: '9841000002', text: 'Second', type: 'otp' })
await service.settle()

test('lists messages of the workspace for an owner, newest first, by client, status, type, number and date', async () => {
  const path = `/workspaces/${sender.workspaceId}/messages`
  const all = await asOwner(path)
  assert.deepEqual(
    all.body.items.map((it: { id: string }) => it.id),
    [second.body.messageId, sent.body.messageId],
  )
  assert.equal(all.body.next, null)
  const only = async (query: string) =>
    (await asOwner(`${path}?${query}`)).body.items.map((it: { text: string }) => it.text)
  assert.deepEqual(await only('to=%2B9779841000001'), ['First'])
  assert.deepEqual(await only('type=otp'), ['Second'])
  assert.deepEqual(await only('status=failed'), [])
  assert.deepEqual(await only(`client=${sender.clientId}&limit=1`), ['Second'])
  assert.deepEqual(await only('from-date=2026-11-17'), [])
  assert.deepEqual(await only('from-date=2026-11-16&to-date=2026-11-16'), ['Second', 'First'])
  assert.deepEqual(await only('to-date=2026-11-15'), [])
  // The day of the workspace in Nepal begins at 18:15 UTC of the previous day.
  assert.deepEqual(await only('from-date=2026-11-15T18:15:00Z&to-date=2026-11-16T18:15:00Z'), ['Second', 'First'])
  for (const query of ['from-date=1960-01-01', 'to-date=0000-01-01', 'from-date=0001-01-01T00:00:00%2B02:00'])
    assertRefused(await asOwner(`${path}?${query}`), 400, 'invalid_request')
})

test('shows every status change, submission, answer, receipt, charge and event of a timeline in order', async () => {
  const { body } = await service.manage('GET', `/messages/${sent.body.messageId}/timeline`)
  const shown = body.timeline.map((it: { what: string; status?: string; outcome?: string; kind?: string }) =>
    [it.what, it.status ?? it.outcome ?? it.kind].filter(Boolean).join(' '),
  )
  for (const what of [
    'status queued',
    'charge reservation',
    'submission',
    'answer other_carrier',
    'event queued',
    'answer accepted',
    'event sent',
    'status sent',
    'report delivered',
    'status delivered',
    'event delivered',
  ]) {
    assert(shown.includes(what), `${what} is shown: ${shown.join(', ')}`)
  }
  const times = body.timeline.map((it: { at: string }) => it.at)
  assert.deepEqual(times, times.toSorted())
})

test('orders timeline events with the same time by cause: answer, then `sent`, then receipt', async () => {
  const { body } = await service.manage('GET', `/messages/${sent.body.messageId}/timeline`)
  const order = body.timeline.map((it: { what: string; status?: string; outcome?: string }) =>
    [it.what, it.status ?? it.outcome].filter(Boolean).join(' '),
  )
  const stages = [
    'status queued',
    'charge',
    'answer accepted',
    'status submitted',
    'status sent',
    'report delivered',
    'status delivered',
  ]
  const places = stages.map((stage) => order.indexOf(stage))
  assert.deepEqual(
    places,
    places.toSorted((one, other) => one - other),
    order.join(', '),
  )
})

test('finds messages by a number in any sendable format and by several statuses, and rejects a reversed period', async () => {
  const path = `/workspaces/${sender.workspaceId}/messages`
  const only = async (query: string) =>
    (await asOwner(`${path}?${query}`)).body.items.map((it: { text: string }) => it.text)
  for (const to of ['9841000001', '9779841000001', '%2B9779841000001'])
    assert.deepEqual(await only(`to=${to}`), ['First'], to)
  for (const to of ['014123456', 'Sita', '+9779841000001']) {
    const refused = await asOwner(`${path}?to=${to}`)
    assertRefused(refused, 400, 'invalid_request', ['to'])
    assert.match(refused.body.error, /^Must be a mobile number/)
  }
  assert.deepEqual(await only('status=failed&status=delivered'), ['Second', 'First'])
  assert.deepEqual(await only('status=failed&status=queued'), [])
  assertRefused(await asOwner(`${path}?status=failed&status=lost`), 400, 'invalid_request', ['status', 1])
  const backwards = ['from-date=2026-11-17&to-date=2026-11-16', 'from-date=2026-11-16T05:00:00Z&to-date=2026-11-15']
  for (const query of backwards) assertRefused(await asOwner(`${path}?${query}`), 400, 'invalid_request', ['to-date'])
  const usage = `/workspaces/${sender.workspaceId}/usage`
  assertRefused(await asOwner(`${usage}?from=2026-11-17&to=2026-11-16`), 400, 'invalid_request', ['to'])
  const deliveries = `/clients/${sender.clientId}/webhook-deliveries`
  const period = 'since=2026-11-16T05:00:00Z&until=2026-11-16T04:00:00Z'
  assertRefused(await asOwner(`${deliveries}?${period}`), 400, 'invalid_request', ['until'])
})

test('shows what was charged beside the cost: nothing for test and failed messages (D11, D19)', async () => {
  const costs = async (of: { workspaceId: string }, id: string) => {
    const { items } = (await service.manage('GET', `/workspaces/${of.workspaceId}/messages`)).body
    const listed = items.find((it: { id: string }) => it.id === id)
    const shown = (await service.manage('GET', `/messages/${id}/timeline`)).body.message
    assert.deepEqual([listed.cost, listed.charged], [shown.cost, shown.charged])
    return [listed.status, listed.cost, listed.charged]
  }
  assert.deepEqual(await costs(sender, sent.body.messageId), ['delivered', 1, 1])
  smsc.plan = () => ({ status: 0x0b })
  const failed = await sender.send({ to: '9841000009', text: 'Never' })
  await service.settle()
  assert.deepEqual(await costs(sender, failed.body.messageId), ['failed', 1, 0])
  const tester = await makeClient(service, { mode: 'test' })
  const tried = await tester.send()
  assert.deepEqual(await costs(tester, tried.body.messageId), ['test', 1.5, 0])
})

test('shows until when a message is deferred, and null otherwise (D14, D16)', async () => {
  const { waitsUntil, timeline } = refusedOnce.body
  const refusedAt = timeline.find((it: { what: string }) => it.what === 'answer').at
  assert.equal(Date.parse(waitsUntil) - Date.parse(refusedAt), 5_000)
  assert.equal(refusedOnce.body.waiting.for, 'retry')
  assert.deepEqual([refusedOnce.body.waiting.since, refusedOnce.body.waiting.until], [refusedAt, waitsUntil])
  const delivered = await asOwner(`/messages/${sent.body.messageId}/timeline`)
  assert.deepEqual([delivered.body.waitsUntil, delivered.body.waiting], [null, null])
  await service.manage('PUT', '/countries/NP', {
    name: 'Nepal',
    state: 'live',
    timeZone: 'Asia/Kathmandu',
    quietHours: { from: '00:00', to: '23:59' },
  })
  const late = await sender.send({ to: '9841000003', text: 'Sale', type: 'promotional' })
  await service.settle()
  const put = await asOwner(`/messages/${late.body.messageId}/timeline`)
  assert.equal(put.body.message.status, 'queued')
  // 23:59 in Kathmandu
  assert.equal(put.body.waitsUntil, '2026-11-16T18:14:00.000Z')
  assert.equal(put.body.waiting.for, 'quiet_hours')
  assert.equal(put.body.waiting.until, put.body.waitsUntil)
})

test('shows an owner the timeline without carriers, and another workspace nothing', async () => {
  const { body } = await asOwner(`/messages/${sent.body.messageId}/timeline`)
  assert.equal(JSON.stringify(body).replaceAll('"other_carrier"', '').includes('arrier'), false)
  const stranger = await makeSender(service)
  const token = await service.manage('POST', `/workspaces/${stranger.workspaceId}/owner-tokens`, { name: 'Other' })
  const path = `/messages/${sent.body.messageId}/timeline`
  assert.equal((await service.manage('GET', path, undefined, token.body.token)).status, 404)
})

test('finds a failed or test message by its status immediately', async () => {
  smsc.plan = () => ({ status: 0x0b })
  const before = (await asOwner(`/workspaces/${sender.workspaceId}/messages?status=failed`)).body.items
  const failed = await sender.send({ to: '9841000004', text: 'Third' })
  await service.settle()
  const client = await makeClient(service, { workspaceId: sender.workspaceId, mode: 'test' })
  const trial = await client.send()
  const path = `/workspaces/${sender.workspaceId}/messages`
  const idsOf = async (query: string) =>
    (await asOwner(`${path}?${query}`)).body.items.map((it: { id: string }) => it.id)
  const allFailed = [failed.body.messageId, ...before.map((it: { id: string }) => it.id)]
  assert.deepEqual(await idsOf('status=failed'), allFailed)
  assert.deepEqual(await idsOf('status=test'), [trial.body.messageId])
  assert.deepEqual(await idsOf('status=test&status=failed'), [trial.body.messageId, ...allFailed])
  const delivered = [second, sent].map((it) => it.body.messageId)
  assert.deepEqual(await idsOf('status=failed&status=delivered'), [...allFailed, ...delivered].toSorted().reverse())
  assert.deepEqual(await idsOf('status=undelivered&status=rejected'), [])
})

test('shows that a message waits for its carrier, since when and until when; only the operator sees why', async () => {
  const path = await (async () => {
    for (const { id } of (await service.manage('GET', '/carriers')).body.items)
      await service.manage('PATCH', `/carriers/${id}`, { port: 9 })
    await service.settle()
    const waits = await sender.send({ to: '9841000005', text: 'Waits' })
    await service.settle()
    return `/messages/${waits.body.messageId}/timeline`
  })()
  const { waiting, message } = (await service.manage('GET', path)).body
  assert.equal(waiting.for, 'network_down')
  assert.match(waiting.reason, /ECONNREFUSED/)
  assert.equal(Date.parse(waiting.endsAt) - Date.parse(message.createdAt), 48 * 3600 * 1000)
  const { reason: _, ...shown } = waiting
  assert.deepEqual((await asOwner(path)).body.waiting, shown)
})

test('searches by a number or its last digits, an id or a part of it, and words of the text', async () => {
  const reminder = await sender.send({ to: '9841007788', text: 'Bill of Rs 1,240: 50% is due_on Friday' })
  const { messageId } = reminder.body
  await sender.send({ to: '9841007789', text: 'Bill of Rs 900 is paid' })
  const path = `/workspaces/${sender.workspaceId}/messages`
  const found = async (search: string) =>
    (await asOwner(`${path}?${new URLSearchParams({ search })}`)).body.items.map((it: { id: string }) => it.id)
  for (const search of [
    '9841007788',
    '+977 9841007788',
    '7788',
    messageId,
    messageId.slice(0, 20),
    messageId.slice(-12),
    'friday bill',
    'BILL 1,240',
    '50% due_on',
  ])
    assert.deepEqual(await found(search), [messageId], search)
  for (const search of ['bill saturday', '5_%', 'b%l', '9841007790', '7787', `${messageId.slice(0, 35)}x`])
    assert.deepEqual(await found(search), [], search)
  assert.equal((await found('bill')).length, 2)
  const stranger = await makeSender(service)
  const elsewhere = await service.manage('GET', `/workspaces/${stranger.workspaceId}/messages?search=bill`)
  assert.deepEqual(elsewhere.body.items, [])
  assertRefused(await asOwner(`${path}?search=${'x'.repeat(201)}`), 400, 'invalid_request', ['search'])
  assertRefused(await asOwner(`${path}?search=%00`), 400, 'invalid_request', ['search'])
})

test('reveals number and text but never an OTP, and audits it', async () => {
  const shown = await service.manage('POST', `/messages/${sent.body.messageId}/reveal`, {}, owner.body.token)
  assert.deepEqual(shown.body, { to: '+9779841000001', text: 'First' })
  const { items } = (await asOwner(`/workspaces/${sender.workspaceId}/audit-log`)).body
  assert.deepEqual(
    [items[0].action, items[0].subject, items[0].actor],
    ['message.revealed', sent.body.messageId, `owner:${owner.body.id}`],
  )
  const code = await sender.sendCode('9841000020')
  const hidden = await service.manage('POST', `/messages/${code.body.messageId}/reveal`)
  assert.deepEqual(hidden.body, { to: '+9779841000020', text: '(OTP hidden)' })
})
