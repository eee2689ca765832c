// Live updates: viewers of a workspace get its message changes, without cost for other workspaces.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { sql } from '../../../src/store/database/sql.ts'
import { clientAt, makeClient, makeOwner } from '../../harness/client.ts'
import { EventReader } from '../../harness/events.ts'
import { makePerson } from '../../harness/people.ts'
import { assertRefused } from '../../harness/refused.ts'
import { addCarrier, addRoute } from '../../harness/sending.ts'
import { OPERATOR_TOKEN, ownService } from '../../harness/service.ts'
import { startSmsc } from '../../harness/smsc.ts'
import { until } from '../../harness/until.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
// A second process on the same database without delivery.
const second = await ownService({ env: { HULAKI_ROLES: 'api' }, beside: service })
const smsc = await startSmsc()
await addRoute(service, await addCarrier(service, smsc.port))
const client = await makeClient(service)
const owner = await makeOwner(service, client.workspaceId)
const neighbour = await makeClient(service)
const ROOT = '/api/manage/v1'
const topicsIn = (workspaceId: string, at = service) => `${at.url}${ROOT}/workspaces/${workspaceId}/events`
const eventsOf = (workspaceId: string, at = service) => `${topicsIn(workspaceId, at)}?include=messages`
const topicsOf = (reader: EventReader): string[] =>
  reader.events.flatMap(({ event, data }) => (event === 'changed' ? data.topics : []))

test('sends new messages and status changes immediately, only to viewers of the workspace', async () => {
  const reader = await new EventReader(eventsOf(client.workspaceId), { token: owner.token }).open()
  assert.equal(reader.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  assert.equal(reader.headers.get('cache-control'), 'no-store')
  assert.match(reader.text, /^retry: \d+\n/)
  const other = await new EventReader(eventsOf(neighbour.workspaceId)).open()
  smsc.plan = () => ({})
  // The clock stands still, so no poll can have sent the event.
  const sent = await client.send({ to: '9841000001', text: 'Live' })
  await until(() => reader.latest(sent.body.messageId))
  await service.settle()
  await until(() => reader.latest(sent.body.messageId)?.status === 'sent')
  const event = reader.latest(sent.body.messageId)
  assert.deepEqual([event.to, event.text], ['+9779841000001', 'Live'])
  const listed = await service.manage('GET', `/workspaces/${client.workspaceId}/messages`)
  assert.deepEqual(event, listed.body.items[0])
  assert.deepEqual(
    other.events.map((it) => it.event),
    ['open'],
  )
  reader.close()
  other.close()
})

test('sends the messages of all workspaces to the operator, from every process', async () => {
  const here = await new EventReader(`${service.url}${ROOT}/events?include=messages`).open()
  const there = await new EventReader(`${second.url}${ROOT}/events?include=messages`).open()
  assertRefused(await service.manage('GET', '/events', undefined, owner.token), 404, 'not_found')
  const [one, other] = [await client.send({ to: '9841000005' }), await neighbour.send({ to: '9841000006' })]
  await until(() => here.latest(one.body.messageId) && here.latest(other.body.messageId))
  assert.equal(here.latest(other.body.messageId).workspaceId, neighbour.workspaceId)
  const sent: string[] = []
  await until(async () => {
    sent.push((await neighbour.send({ to: '9841000007' })).body.messageId)
    return sent.some((id) => there.latest(id))
  })
  here.close()
  there.close()
})

test('sends changes of one process to viewers at another', async () => {
  const there = await new EventReader(eventsOf(client.workspaceId, second)).open()
  smsc.plan = () => ({ report: 'DELIVRD' })
  // The first process must know about the viewer.
  const sent: string[] = []
  await until(async () => {
    sent.push((await client.send({ to: '9841000002' })).body.messageId)
    await service.settle()
    return sent.some((id) => there.latest(id)?.status === 'delivered')
  })
  const here = await new EventReader(eventsOf(client.workspaceId)).open()
  const sentThere: string[] = []
  await until(async () => {
    sentThere.push((await clientAt(second.url, client).send({ to: '9841000003' })).body.messageId)
    return sentThere.some((id) => here.latest(id))
  })
  there.close()
  here.close()
})

test('sends missed changes after a reconnect', async () => {
  const reader = await new EventReader(eventsOf(client.workspaceId)).open()
  const lastEventId = reader.events.at(-1)?.id ?? ''
  reader.close()
  await service.advance(60)
  const missed = await client.send({ to: '9841000004' })
  const again = await new EventReader(eventsOf(client.workspaceId), { lastEventId }).open()
  // Waits for the final status, because later changes go to current viewers only.
  await until(async () => {
    await service.settle()
    return again.latest(missed.body.messageId)?.status === 'delivered'
  })
  again.close()
  const later = String(service.clock.now().getTime() + 60_000)
  const fresh = await new EventReader(eventsOf(client.workspaceId), { lastEventId: later }).open()
  assert.equal(fresh.latest(missed.body.messageId), undefined)
  fresh.close()
})

test('shows a part of many changes, and counts the rest (D43)', async () => {
  const reader = await new EventReader(eventsOf(neighbour.workspaceId)).open()
  await Promise.all(Array.from({ length: 150 }, (_, n) => neighbour.send({ to: String(9_841_100_000 + n) })))
  const events = () => reader.events.filter((it) => it.event === 'messages')
  const total = () => events().reduce((sum, { data }) => sum + data.items.length + data.more, 0)
  await until(() => total() >= 150)
  for (const { data } of events()) assert.ok(data.items.length <= 100)
  reader.close()
})

test('allows 20 viewers per workspace, which hold no turn (D43)', async () => {
  const { workspaceId } = await makeClient(service)
  const { token } = await makeOwner(service, workspaceId)
  const owners = await Promise.all([1, 2].map(() => makeOwner(service, workspaceId)))
  const readers = owners.flatMap((owner) =>
    Array.from({ length: 10 }, () => new EventReader(topicsIn(workspaceId), owner)),
  )
  for (const reader of readers) await reader.open()
  assertRefused(await service.manage('GET', `/workspaces/${workspaceId}/events`, undefined, token), 429, 'rate_limited')
  assert.equal((await service.manage('GET', `/workspaces/${workspaceId}`, undefined, token)).status, 200)
  readers[0]?.close()
  await until(async () => {
    const reader = await new EventReader(eventsOf(workspaceId), { token }).open()
    reader.close()
    return reader.status === 200
  })
  for (const reader of readers) reader.close()
})

test('allows 10 streams per person, wherever they are open (D74)', async () => {
  const [{ workspaceId }, elsewhere] = [await makeClient(service), await makeClient(service)]
  const person = await makePerson(service, { workspaceId })
  await service.db.query(sql`
    insert into membership values (${person.id}, ${elsewhere.workspaceId}, 'viewer', ${service.clock.now()})`)
  const { cookie } = person.browser
  const readers = [workspaceId, elsewhere.workspaceId].flatMap((id) =>
    Array.from({ length: 5 }, () => new EventReader(topicsIn(id), { cookie })),
  )
  for (const reader of readers) assert.equal((await reader.open()).status, 200)
  for (const id of [workspaceId, elsewhere.workspaceId])
    assert.equal((await new EventReader(topicsIn(id), { cookie }).open()).status, 429)
  const colleague = await makePerson(service, { workspaceId })
  const other = await new EventReader(topicsIn(workspaceId), { cookie: colleague.browser.cookie }).open()
  assert.equal(other.status, 200)
  for (const reader of [...readers, other]) reader.close()
})

test('names the topics that changed, without messages, only to viewers of the workspace (D74)', async () => {
  const { token } = await makeOwner(service, client.workspaceId)
  const reader = await new EventReader(topicsIn(client.workspaceId), { token }).open()
  const other = await new EventReader(topicsIn(neighbour.workspaceId)).open()
  const operator = await new EventReader(`${service.url}${ROOT}/events`).open()
  const atSecond = await new EventReader(topicsIn(client.workspaceId, second)).open()
  await client.otp({ to: '9841000021' })
  await client.verify({ to: '9841000021', code: '000000' })
  await service.manage('POST', `/workspaces/${client.workspaceId}/clients`, { name: 'Another', brandName: 'Himal' })
  const expected = ['messages', 'requests', 'codes', 'settings']
  await until(() => expected.every((it) => topicsOf(reader).includes(it) && topicsOf(operator).includes(it)))
  // The processes announce their watchers to each other: the first changes may have come before.
  await until(async () => {
    await service.manage('PATCH', `/workspaces/${client.workspaceId}`, { name: `Himal ${Math.random()}` })
    return topicsOf(atSecond).includes('settings')
  })
  assert.ok(reader.events.every(({ event }) => event !== 'messages'))
  assert.deepEqual(topicsOf(other), [])
  for (const it of [reader, other, operator, atSecond]) it.close()
})

test('names carriers and their figures to operators only (D74)', async () => {
  const { token } = await makeOwner(service, client.workspaceId)
  const reader = await new EventReader(topicsIn(client.workspaceId), { token }).open()
  const operator = await new EventReader(`${service.url}${ROOT}/events`).open()
  const id = await addCarrier(service, 9, { name: 'Unreachable' })
  await until(async () => {
    await service.settle()
    return topicsOf(operator).includes('carriers')
  })
  await client.send({ to: '9841000022' })
  await until(async () => {
    await service.advance(3)
    return topicsOf(operator).includes('figures') && topicsOf(reader).includes('messages')
  })
  assert.ok(!topicsOf(reader).includes('carriers') && !topicsOf(reader).includes('figures'))
  await service.manage('DELETE', `/carriers/${id}`)
  for (const it of [reader, operator]) it.close()
})

test('sends the operator the messages of one workspace, with the topics of all', async () => {
  const path = `${service.url}${ROOT}/events?include=messages&workspace=${client.workspaceId}`
  const reader = await new EventReader(path).open()
  const foreign = await neighbour.send({ to: '9841000023' })
  const own = await client.send({ to: '9841000024' })
  await until(() => reader.latest(own.body.messageId) && topicsOf(reader).includes('messages'))
  assert.equal(reader.latest(foreign.body.messageId), undefined)
  reader.close()
})

test('sends every topic of the workspace after a reconnect, because changes may have been missed', async () => {
  const reader = await new EventReader(topicsIn(client.workspaceId), { lastEventId: '1' }).open()
  await until(() => topicsOf(reader).length > 0)
  assert.deepEqual(topicsOf(reader), ['messages', 'codes', 'requests', 'webhooks', 'replies', 'settings'])
  reader.close()
})

test('gathers no changes while nobody watches', async () => {
  const { changeFeed } = (await ownService({ env: { HULAKI_ROLES: 'api' } })).ports
  changeFeed.publish(() => assert.fail('listed messages'))
  changeFeed.publishTopic('requests', () => assert.fail('listed workspaces'))
  const seen: string[] = []
  const stop = changeFeed.watch(client.workspaceId, ({ topics }) => seen.push(...topics))
  changeFeed.publishTopic('requests', () => [neighbour.workspaceId, client.workspaceId])
  await until(() => seen.length > 0)
  stop()
  changeFeed.publishTopic('requests', () => assert.fail('listed workspaces'))
  assert.deepEqual(seen, ['requests'])
})

test('sends the traffic of the service to the operator every second', async () => {
  const reader = await new EventReader(`${service.url}${ROOT}/events?include=traffic`).open()
  await until(() => reader.events.some((it) => it.event === 'traffic'))
  await neighbour.send({ to: '9841200000' })
  const busy = await until(() => reader.events.find((it) => it.event === 'traffic' && it.data.accepted > 0))
  assert.deepEqual(Object.keys(busy.data), ['accepted', 'delivered', 'undelivered', 'failed'])
  reader.close()
})

test('disconnects a viewer that does not read, and keeps the others', async () => {
  const { workspaceId, ...sender } = await makeClient(service)
  const { port, hostname } = new URL(service.url)
  const slow = connect(Number(port), hostname)
  let isHungUpOn = false
  slow.on('error', () => {
    isHungUpOn = true
  })
  const { pathname, search } = new URL(eventsOf(workspaceId))
  slow.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${OPERATOR_TOKEN}\r\n\r\n`)
  await new Promise((resolve) => slow.once('data', resolve))
  slow.pause()
  const { body } = await sender.send({ to: '9841300000' })
  await service.db.query(sql`update message set text = repeat('x', 60000) where id = ${body.messageId}`)
  const reader = await new EventReader(eventsOf(workspaceId)).open()
  // Simulates frequent notifications of another process.
  const word = JSON.stringify({ by: 'another', workspaceId, topics: [], ids: [body.messageId], more: 0 })
  const eventCount = () => reader.events.length
  await until(
    async () => {
      const before = eventCount()
      service.ports.notifications.broadcast('changed', word)
      await until(() => eventCount() > before)
      slow.write('\r\n')
      return isHungUpOn
    },
    { ms: 60_000 },
  )
  assert.equal(reader.isOver, false)
  reader.close()
  slow.destroy()
})

test('ends the stream of a revoked token', async () => {
  const { workspaceId } = client
  const { id, token } = await makeOwner(service, workspaceId)
  const [revoked, stays] = [new EventReader(eventsOf(workspaceId), { token }), new EventReader(eventsOf(workspaceId))]
  await Promise.all([revoked.open(), stays.open()])
  await service.manage('DELETE', `/workspaces/${workspaceId}/owner-tokens/${id}`)
  await until(() => revoked.isOver)
  assert.equal(stays.isOver, false)
  stays.close()
})

test('ends the stream of a removed member who has the same role elsewhere, on every process (D67)', async () => {
  const [{ workspaceId }, elsewhere] = [await makeClient(service), await makeClient(service)]
  const person = await makePerson(service, { workspaceId: elsewhere.workspaceId })
  await service.db.query(sql`
    insert into membership values (${person.id}, ${workspaceId}, 'owner', ${service.clock.now()})`)
  const { cookie } = person.browser
  const open = (id: string, at = service) => new EventReader(eventsOf(id, at), { cookie }).open()
  const [removed, atSecond] = [await open(workspaceId), await open(workspaceId, second)]
  const stays = await open(elsewhere.workspaceId)
  assert.deepEqual([removed.status, atSecond.status, stays.status], [200, 200, 200])
  assert.equal((await service.manage('DELETE', `/workspaces/${workspaceId}/members/${person.id}`)).status, 204)
  await until(() => removed.isOver && atSecond.isOver)
  assert.equal(stays.isOver, false)
  stays.close()
})

test('ends streams when the process stops, so that viewers reconnect elsewhere', async () => {
  const reader = await new EventReader(eventsOf(client.workspaceId, second)).open()
  second.drain()
  await until(() => reader.isOver)
  assertRefused(await second.manage('GET', `/workspaces/${client.workspaceId}/events`), 503, 'unavailable')
})
