// What goes wrong stays small: one bad request costs itself alone, overload is answered at once, a lost answer is looked up.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/store/sql.ts'
import { makeClient } from '../harness/client.ts'
import { holdWorkspace } from '../harness/hold-workspace.ts'
import { until } from '../harness/process.ts'
import { startProxy } from '../harness/proxy.ts'
import { assertRefused } from '../harness/refused.ts'
import { call, startTestService } from '../harness/service.ts'

const service = await startTestService()

const messagesOf = async (clientId: string) =>
  (await service.db.query(sql`select id from message where client_id = ${clientId}`)).length

test('a request the database refuses costs itself alone: its batch is split until it stands by itself', async () => {
  const client = await makeClient(service)
  await service.db.query(sql`alter table message add constraint no_poison check (sender <> 'POISON')`)
  const release = await holdWorkspace(service, client.workspaceId)
  const sends = Array.from({ length: 40 }, (_, index) => client.send(index === 17 ? { senderId: 'POISON' } : {}))
  await release()
  const answers = await Promise.all(sends)
  await service.db.query(sql`alter table message drop constraint no_poison`)
  assert.equal(answers.filter(({ status }) => status === 200).length, 39)
  const poisoned = answers[17]
  assert.ok(poisoned)
  assertRefused(poisoned, 500, 'server_error')
  assert.equal(await messagesOf(client.id), 39)
  assert.equal((await client.get('/sms/balance')).body.balance, 1000 - 39 * 1.5)
})

test('D6: past the bound of waiting requests the service answers 503 at once, and nothing is charged', async () => {
  const narrow = await startTestService({ beside: service, batching: { mostWaiting: 5 } })
  const client = await makeClient(narrow)
  const release = await holdWorkspace(service, client.workspaceId)
  const sends = Array.from({ length: 30 }, () => client.send())
  const first = await Promise.race(sends)
  assertRefused(first, 503, 'unavailable')
  assert.equal(first.headers.get('retry-after'), '1')
  const unread = (apiKey: string) =>
    call(`${narrow.url}/api/sms/v1/sms/send`, { method: 'POST', body: 'no message', headers: { 'x-api-key': apiKey } })
  // The door has a bound of its own: who it answers has found it open, and who it does not know, the lane full.
  await until(async () => {
    sends.push(client.send())
    return (await client.get('/sms/balance')).status === 200 && (await unread('nobody')).status === 503
  })
  // Before any work: neither key nor body is looked at. What does not wait there is served as ever.
  const refused = await unread('nobody')
  assertRefused(refused, 503, 'unavailable')
  assert.equal(refused.headers.get('retry-after'), '1')
  assert.equal((await client.get('/sms/balance')).status, 200)
  assert.equal((await client.verify({ code: '123456' })).status, 200)
  await release()
  const answers = await Promise.all(sends)
  const accepted = answers.filter(({ status }) => status === 200)
  assert.ok(accepted.length >= 5 && accepted.length < sends.length)
  assert.equal(await messagesOf(client.id), accepted.length)
  assert.equal((await client.get('/sms/balance')).body.balance, 1000 - accepted.length * 1.5)
})

test('§7.1: a fault is 500 server_error without a word about the inside', async () => {
  const client = await makeClient(service)
  await service.db.query(sql`alter table country rename to country_away`)
  const answers = [await client.get('/sms/coverage'), await client.send()]
  await service.db.query(sql`alter table country_away rename to country`)
  for (const answer of answers) {
    assertRefused(answer, 500, 'server_error')
    assert.deepEqual(Object.keys(answer.body).sort(), ['code', 'error'])
    assert.doesNotMatch(answer.body.error, /country|relation|sql/i)
  }
  assert.equal((await client.send()).status, 200)
})

test('a COMMIT whose answer is lost is looked up: what was stored is answered 200, once', async () => {
  const { proxy, cut, client } = await startBehindProxy()
  assert.equal((await client.send()).status, 200)
  proxy.cutAtNext('commit')
  const answer = await client.send({ text: 'Cut' }, { 'idempotency-key': 'cut' })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  assert.ok(proxy.wasCut())
  assert.equal(await messagesOf(client.id), 2)
  const replay = await client.send({ text: 'Cut' }, { 'idempotency-key': 'cut' })
  assert.deepEqual([replay.body.messageId, replay.headers.get('idempotent-replayed')], [answer.body.messageId, 'true'])
  await cut.stop()
})

test('a COMMIT whose answer is lost in a failover is looked up until the database is there again, and answered 200', async () => {
  const { proxy, cut, client } = await startBehindProxy()
  assert.equal((await client.send()).status, 200)
  proxy.cutAtNext('commit', { refuseMs: 1_000 })
  const answer = await client.send({ text: 'Cut' })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  assert.ok(proxy.wasCut())
  assert.equal(await messagesOf(client.id), 2)
  assert.equal((await client.get('/sms/balance')).body.balance, 1000 - 2 * 1.5)
  await cut.stop()
})

test('a COMMIT that did not reach the database is looked up too: nothing is charged, and it is 503', async () => {
  const { proxy, cut, client } = await startBehindProxy()
  assert.equal((await client.send()).status, 200)
  proxy.cutAtNext('commit', { beforeIt: true })
  assertRefused(await client.send({ text: 'Cut' }), 503, 'unavailable')
  assert.ok(proxy.wasCut())
  assert.equal(await messagesOf(client.id), 1)
  assert.equal((await client.get('/sms/balance')).body.balance, 1000 - 1.5)
  await cut.stop()
})

test('where it cannot be looked up either, nobody says that nothing was charged', async () => {
  const { proxy, cut, client } = await startBehindProxy()
  assert.equal((await client.send()).status, 200)
  proxy.cutAtNext('commit', { andClose: true })
  const answer = await client.send({ text: 'Cut' }, { 'idempotency-key': 'cut' })
  assertRefused(answer, 500, 'server_error')
  assert.doesNotMatch(answer.body.error, /charged/)
  proxy.open()
  const replay = await client.send({ text: 'Cut' }, { 'idempotency-key': 'cut' })
  assert.deepEqual([replay.status, replay.headers.get('idempotent-replayed')], [200, 'true'])
  assert.equal(await messagesOf(client.id), 2)
  await cut.stop()
})

test('without its database the service answers 503 and when to come back, and needs no restart', async () => {
  const { proxy, cut, client } = await startBehindProxy()
  assert.equal((await client.send()).status, 200)
  proxy.close()
  const away = [
    await client.send(),
    await client.otp(),
    await client.verify({ code: '123456' }),
    await client.get('/sms/balance'),
    await client.get('/sms/coverage'),
    await call(`${cut.url}/api/sms/coverage`, { method: 'GET' }),
    await cut.manage('GET', '/workspaces'),
  ]
  for (const answer of away) {
    assertRefused(answer, 503, 'unavailable')
    assert.equal(answer.headers.get('retry-after'), '1')
    assert.doesNotMatch(answer.body.error, /connect|database|postgres/i)
  }
  // What befalls every request is told once a second, not once for each.
  const told = cut.logged.filter((line) => line.includes('the database is away'))
  assert.ok(told.length >= 1 && told.length < away.length, `${told.length} lines`)
  assert.equal(JSON.parse(told[0] ?? '').requests, 1)
  proxy.open()
  assert.equal((await client.send()).status, 200)
  assert.equal(await messagesOf(client.id), 2)
  assert.equal((await client.get('/sms/balance')).body.balance, 1000 - 2 * 1.5)
  await cut.stop()
})

test('a connection that is lost before COMMIT was written costs nothing: 503', async () => {
  const { proxy, cut, client } = await startBehindProxy()
  assert.equal((await client.send()).status, 200)
  proxy.cutAtNext('begin')
  assertRefused(await client.send({ text: 'Lost' }, { 'idempotency-key': 'lost' }), 503, 'unavailable')
  assert.ok(proxy.wasCut())
  assert.equal(await messagesOf(client.id), 1)
  assert.equal((await client.send({ text: 'Lost' }, { 'idempotency-key': 'lost' })).status, 200)
  await cut.stop()
})

/** A service whose way to the database leads through a proxy that can break. */
async function startBehindProxy() {
  const proxy = await startProxy(service)
  const cut = await startTestService({ beside: { ...service, address: proxy.address } })
  return { proxy, cut, client: await makeClient(cut) }
}
