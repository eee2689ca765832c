// D45: events of a client for a listener: kept during its session, in order, until they are acknowledged.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { LISTENING_SECONDS, MAX_EVENTS_AT_ONCE, MAX_WAITING_EVENTS } from '../../../src/domain/webhooks/listening.ts'
import { sql } from '../../../src/store/database/sql.ts'
import { makeClient, makeOwner, type TestClient } from '../../harness/client.ts'
import { makePerson } from '../../harness/people.ts'
import { assertRefused } from '../../harness/refused.ts'
import { ownService } from '../../harness/service.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,upkeep,simulator' } })
const { manage } = service

function listener({ id }: TestClient, name = 'sita@laptop') {
  const session = randomUUID()
  const call = (as: string, forwarded: number[] = []) =>
    manage('POST', `/clients/${id}/listening`, { listener: name, session, as, forwarded })
  const end = () => manage('DELETE', `/clients/${id}/listening/${session}`)
  return { call, end }
}

async function sent(client: TestClient, to: string): Promise<string> {
  const { body } = await client.send({ to })
  await service.settle()
  return body.messageId
}

// biome-ignore lint/suspicious/noExplicitAny: the bodies are what is looked into
const bodiesOf = (items: { body: string }[]): any[] => items.map(({ body }) => JSON.parse(body))
const statuses = (items: { body: string }[]) => bodiesOf(items).map(({ status, text }) => status ?? text)
const positions = (items: { position: number }[]) => items.map(({ position }) => position)

test('keeps events of a client without a URL only for a listener; neither an acknowledged event nor a status comes twice', async () => {
  const client = await makeClient(service)
  await sent(client, '+9779800000001')
  const { call, end } = listener(client)
  assert.deepEqual((await call('begin')).body.items, [])
  const messageId = await sent(client, '+9779800000007')
  const { body } = await call('renew')
  assert.deepEqual(statuses(body.items), ['sent', 'delivered', 'YES'])
  assert.deepEqual(bodiesOf(body.items)[1].id, messageId)
  assert.deepEqual([body.vendor, body.isFull, body.missedSince], ['svc', false, null])
  assert.deepEqual((await call('renew')).body.items, body.items)
  assert.deepEqual((await call('renew', positions(body.items).slice(0, 1))).body.items, body.items.slice(1))
  assert.deepEqual((await call('renew', positions(body.items))).body.items, [])
  // Deferred several times, the status is sent once (§6.2 rule 3).
  await sent(client, '+9779800000004')
  await service.advance(6)
  await service.advance(16)
  const putOff = (await call('renew')).body.items
  assert.deepEqual(statuses(putOff), ['queued'])
  await call('renew', positions(putOff))
  await service.advance(61)
  assert.deepEqual((await call('renew')).body.items, [])
  const queued = await service.db.query(sql`select from webhook_event where client_id = ${client.id}`)
  assert.deepEqual(queued, [], 'nothing is posted')
  assert.equal((await end()).status, 204)
  await sent(client, '+9779800000001')
  assert.deepEqual((await listener(client).call('begin')).body.items, [])
  const { items } = (await manage('GET', `/workspaces/${client.workspaceId}/audit-log`)).body
  const lines = items.filter(({ action }: { action: string }) => action.startsWith('client.listen_'))
  assert.deepEqual(
    lines.map(({ action, details }: { action: string; details: object }) => [action, details]),
    ['started', 'ended', 'started'].map((what) => [`client.listen_${what}`, { listener: 'sita@laptop' }]),
  )
})

test('keeps the deliveries of a client with a URL, and sends no event from before the session', async () => {
  const client = await makeClient(service, { webhookUrl: 'https://hooks.example.com/' })
  await sent(client, '+9779800000004')
  const { call } = listener(client)
  await call('begin')
  await service.advance(6)
  assert.deepEqual((await call('renew')).body.items, [], 'it was put off before')
  await sent(client, '+9779800000001')
  const { items } = (await call('renew')).body
  assert.deepEqual(statuses(items), ['sent', 'delivered'])
  const deliveries = (await manage('GET', `/clients/${client.id}/webhook-deliveries`)).body.items
  const ids = items.map(({ id }: { id: string }) => id)
  assert.deepEqual(
    deliveries.slice(0, 2).map(({ id, state }: { id: string; state: string }) => [id, state]),
    ids.toReversed().map((id: string) => [id, 'pending']),
  )
})

test('keeps a session for ten minutes without a call; afterwards it reports since when events are missing', async () => {
  const client = await makeClient(service)
  const before = listener(client)
  const { until } = (await before.call('begin')).body
  assert.equal(new Date(until).getTime(), service.clock.now().getTime() + LISTENING_SECONDS * 1000)
  await service.advance(LISTENING_SECONDS - 1)
  await sent(client, '+9779800000001')
  const after = listener(client)
  const kept = (await after.call('begin')).body
  assert.deepEqual([statuses(kept.items), kept.missedSince], [['sent', 'delivered'], null])
  assertRefused(await before.call('renew'), 409, 'conflict')
  await before.end()
  await service.advance(LISTENING_SECONDS)
  await sent(client, '+9779800000001')
  const late = (await after.call('renew', positions(kept.items))).body
  assert.deepEqual([late.items, late.missedSince], [[], kept.until])
  assert.equal((await after.call('renew')).body.missedSince, null)
})

test('refuses a second listener with the name of the first; after a takeover the first listener gets an error', async () => {
  const client = await makeClient(service)
  const sita = listener(client)
  const ram = listener(client, 'ram@desk')
  await sita.call('begin')
  const refused = await ram.call('begin')
  assertRefused(refused, 409, 'conflict')
  assert.match(refused.body.error, /^sita@laptop is listening to this client, at least until \S+$/)
  await sent(client, '+9779800000001')
  assert.deepEqual((await ram.call('takeOver')).body.items, [])
  assert.equal((await sita.call('renew')).body.error, 'ram@desk is listening instead')
  await sita.end()
  await sent(client, '+9779800000001')
  assert.deepEqual(statuses((await ram.call('renew')).body.items), ['sent', 'delivered'])
})

test('gives events from the end of a session to no later listener', async () => {
  const client = await makeClient(service)
  const { call, end } = listener(client)
  await call('begin')
  await end()
  // Written by a transaction that saw the session, and committed after its end.
  await service.db.query(sql`
    insert into listening_event (client_id, delivery_id, name, body, created_at)
    values (${client.id}, ${client.id}, 'message.inbound', '{}', ${service.clock.now()})`)
  assert.deepEqual((await listener(client).call('begin')).body.items, [])
  assert.deepEqual((await listener(client, 'ram@desk').call('takeOver')).body.items, [])
})

test('limits a page, the acknowledgements and the waiting events; too many waiting events end the session (D43)', async () => {
  const client = await makeClient(service)
  const { call } = listener(client)
  const { until } = (await call('begin')).body
  await service.db.query(sql`
    insert into listening_event (client_id, delivery_id, name, body, created_at)
    select ${client.id}, ${client.id}, 'message.inbound', '{}', ${service.clock.now()} from generate_series(1, ${MAX_WAITING_EVENTS + 1})`)
  await service.advance(30)
  const restarted = (await listener(client).call('begin')).body
  assert.deepEqual([restarted.isFull, restarted.until], [true, until], 'a restart does not prolong it either')
  await call('begin')
  await service.advance(90)
  const full = (await call('renew')).body
  assert.deepEqual([full.items.length, full.isFull, full.until], [MAX_EVENTS_AT_ONCE, true, until])
  await service.advance(LISTENING_SECONDS)
  assert.deepEqual((await call('renew')).body.until, until)
  await sent(client, '+9779800000001')
  const drained = (await call('renew', positions(full.items))).body
  const again = (await call('renew')).body
  assert.deepEqual([drained.isFull, again.isFull, again.missedSince], [true, false, until])
  assertRefused(await call('renew', Array(MAX_EVENTS_AT_ONCE + 1).fill(1)), 400, 'invalid_request')
  await service.advance(7 * 86_400 + LISTENING_SECONDS + 60)
  const left = await service.db.query(sql`
    select (select count(*) from listening_event where client_id = ${client.id}) as events, listening_until as until
    from client where id = ${client.id}`)
  assert.deepEqual(left, [{ events: 0, until: null }])
})

test('allows programs but not people to listen, because numbers are not masked', async () => {
  const client = await makeClient(service)
  const { token } = await makeOwner(service, client.workspaceId)
  const body = { listener: 'sita', session: randomUUID(), as: 'begin' }
  assert.equal((await manage('POST', `/clients/${client.id}/listening`, body, token)).status, 200)
  const { browser } = await makePerson(service, { workspaceId: client.workspaceId, role: 'developer' })
  assertRefused(await browser.ask('POST', `/clients/${client.id}/listening`, body), 403, 'forbidden')
})

test('triggers each outcome, only through the simulator and for a client that can send', async () => {
  const client = await makeClient(service)
  const { call } = listener(client)
  await call('begin')
  const expected = {
    delivered: ['sent', 'delivered'],
    undelivered: ['sent', 'undelivered'],
    failed: ['failed'],
    rejected: ['sent', 'failed'],
    inbound: ['sent', 'delivered', 'YES'],
  }
  const at = `/clients/${client.id}/trigger`
  for (const [outcome, told] of Object.entries(expected)) {
    const { status, body } = await manage('POST', at, { outcome })
    assert.equal(status, 200, JSON.stringify(body))
    await service.settle()
    const { items } = (await call('renew')).body
    assert.deepEqual([statuses(items), bodiesOf(items)[0].id], [told, body.messageId], outcome)
    await call('renew', positions(items))
  }
  const other = await manage('POST', at, { outcome: 'failed', to: '9841234567' })
  assert.equal(other.body.to, '+9779841234503')
  const test = await makeClient(service, { workspaceId: client.workspaceId, mode: 'test' })
  assertRefused(await manage('POST', `/clients/${test.id}/trigger`, { outcome: 'delivered' }), 409, 'conflict')
  const { items } = (await manage('GET', '/carriers')).body
  const carrier = { name: 'Real', host: '127.0.0.1', port: 9, systemId: 'x', password: 'secret', enabled: false }
  const made = await manage('POST', '/carriers', carrier)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const [simulator] = items
  for (const carrierId of [simulator.id, made.body.id])
    assert.equal((await manage('POST', '/routes', { country: 'NP', carrierId, priority: 5 })).status, 201)
  const refused = await manage('POST', at, { outcome: 'delivered' })
  assertRefused(refused, 409, 'conflict')
  assert.match(refused.body.error, /may use a real carrier/)
})
