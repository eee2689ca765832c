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
const eventsOf = (workspaceId: string, at = service) => `${at.url}/api/manage/v1/workspaces/${workspaceId}/events`

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
  const readers = Array.from({ length: 20 }, () => new EventReader(eventsOf(workspaceId), { token }))
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

test('sends the traffic of the service to the operator every second', async () => {
  const reader = await new EventReader(`${service.url}/api/manage/v1/events`).open()
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
  const path = new URL(eventsOf(workspaceId)).pathname
  slow.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${OPERATOR_TOKEN}\r\n\r\n`)
  await new Promise((resolve) => slow.once('data', resolve))
  slow.pause()
  const { body } = await sender.send({ to: '9841300000' })
  await service.db.query(sql`update message set text = repeat('x', 60000) where id = ${body.messageId}`)
  const reader = await new EventReader(eventsOf(workspaceId)).open()
  // Simulates frequent notifications of another process.
  const word = JSON.stringify({ by: 'another', workspaceId, ids: [body.messageId], more: 0 })
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
