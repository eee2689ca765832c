// What goes wrong stays small: one bad request costs itself alone, overload is answered at once, a lost answer is looked up.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/store/database/sql.ts'
import { makeClient, makeWorkspace } from '../harness/client.ts'
import { hold, holdWorkspace } from '../harness/hold-workspace.ts'
import { startProxy } from '../harness/proxy.ts'
import { assertRefused } from '../harness/refused.ts'
import { type Answer, call, ownService, type TestService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { isSendWaitingAside, overloaded, UNREAD } from './overloaded.ts'

const service = await ownService()

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
  const narrow = await ownService({ beside: service, batching: { mostWaiting: 5 } })
  const client = await makeClient(narrow)
  const release = await holdWorkspace(service, client.workspaceId)
  const sends = Array.from({ length: 30 }, () => client.send())
  const first = await Promise.race(sends)
  assertRefused(first, 503, 'unavailable')
  assert.equal(first.headers.get('retry-after'), '1')
  await until(() => isSendWaitingAside(service))
  // The door has a bound of its own: who it answers has found it open.
  await until(async () => {
    sends.push(client.send())
    return (await client.get('/sms/balance')).status === 200 && (await client.post('/sms/send', UNREAD)).status === 503
  })
  // Before any work: the body is not looked at. What does not wait there is served as ever.
  const refused = await client.post('/sms/send', UNREAD)
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

test('D6: who was refused for overload is not read again before its Retry-After is over', async () => {
  const { narrow, socket, request, answer, release } = await overloaded(service)
  const beganAt = performance.now()
  socket.write(request)
  const first = await answer()
  socket.write(request)
  const second = await answer()
  const waitedMs = performance.now() - beganAt
  for (const head of [first, second]) {
    assert.match(head, /^HTTP\/1.1 503 /)
    assert.match(head, /\r\nretry-after: 1\r\n/i)
    assert.match(head, /\r\nx-request-id: /i)
    assert.match(head, /"code":"unavailable"/)
  }
  assert.ok(waitedMs > 900, String(waitedMs))
  socket.destroy()
  await release()
  const metrics = await (await fetch(`${narrow.url}/metrics`)).text()
  assert.match(metrics, /^hulaki_http_requests_shed_total [1-9]/m)
  await narrow.stop()
})

test('D6: what had come before its connection was left unread is refused no sooner than what came later', async () => {
  const { narrow, socket, request, answer, release } = await overloaded(service)
  const beganAt = performance.now()
  socket.write(request + request + request)
  const heads: string[] = []
  for (let answers = 0; answers < 3; answers = heads.join('').split('HTTP/1.1 503 ').length - 1)
    heads.push(await answer())
  assert.equal(heads.length, 3, 'each was refused by itself')
  assert.ok(performance.now() - beganAt > 1_800, String(performance.now() - beganAt))
  socket.destroy()
  await release()
  await narrow.stop()
})

test('D43: a workspace that fills the lane, with however many clients, makes no neighbour be refused', async () => {
  const narrow = await ownService({ beside: service, batching: { mostWaiting: 20 } })
  const [flooding = '', quiet = ''] = await makeNeighbours(narrow)
  const floods = await Promise.all([1, 2, 3].map(() => makeClient(narrow, { workspaceId: flooding })))
  const neighbour = await makeClient(narrow, { workspaceId: quiet })
  for (const client of [...floods, neighbour]) assert.equal((await client.get('/sms/balance')).status, 200)
  const release = await holdWorkspace(service, flooding)
  const sends: Promise<Answer>[] = []
  await until(async () => {
    for (const client of floods) sends.push(client.send(), client.otp({ to: '+97714412345' }))
    const asked = await Promise.all(floods.map((client) => client.post('/sms/send', UNREAD)))
    return asked.every(({ status }) => status === 503)
  })
  // Before its key is looked up, nor when it comes to wait: it takes the place of one of those.
  assertRefused(await neighbour.post('/sms/send', UNREAD), 400, 'invalid_request')
  const innocent = Array.from({ length: 5 }, () => neighbour.send())
  await until(async () => {
    const { status } = await neighbour.get('/sms/balance')
    return status === 200 && (await floods[0]?.post('/sms/send', UNREAD))?.status === 503
  })
  await release()
  for (const { status } of await Promise.all(innocent)) assert.equal(status, 200)
  const statuses = new Set((await Promise.all(sends)).map(({ status }) => status))
  assert.ok(statuses.has(503) && statuses.has(200))
  await narrow.stop()
})

test('D43: sends are taken by workspace first, then by client: many clients get no more than one', async () => {
  const narrow = await ownService({
    beside: service,
    batching: { mostWaiting: 60, largestBatch: 10 },
  })
  const [crowded = '', single = ''] = await makeNeighbours(narrow)
  const crowd = await Promise.all(Array.from({ length: 5 }, () => makeClient(narrow, { workspaceId: crowded })))
  const alone = await makeClient(narrow, { workspaceId: single })
  // The batch waits as long as the test holds the lock; it does not ask for the lock, since a send that meets one moves to another lane.
  const letGo = await hold(service, sql`select pg_advisory_xact_lock(4711)`)
  await service.db.query(sql`
    create function wait_a_while() returns trigger language plpgsql as '
      begin
        while exists (select from pg_locks where locktype = ''advisory'' and objid = 4711) loop
          perform pg_sleep(0.05);
        end loop;
        return new;
      end'`)
  await service.db.query(sql`
    create trigger slow before insert on message for each row when (new.sender = 'SLOW') execute function wait_a_while()`)
  const slow = crowd[0]?.send({ senderId: 'SLOW' })
  await until(async () => {
    const sleeps = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`
    return (await service.db.query(sleeps)).length > 0
  })
  // One batch is under way; the next sends gather until the lane is full to the last place.
  const sends = crowd.flatMap((client) => Array.from({ length: 10 }, () => client.send()))
  sends.push(...Array.from({ length: 10 }, () => alone.send()))
  await until(async () => {
    const isDoorOpen = (await crowd[0]?.get('/sms/balance'))?.status === 200
    return isDoorOpen && (await crowd[0]?.post('/sms/send', UNREAD))?.status === 503
  })
  await letGo()
  for (const answer of await Promise.all([...sends, slow])) assert.equal(answer?.status, 200)
  await service.db.query(sql`drop trigger slow on message`)
  // A reservation pays for all sends of its workspace in one batch.
  const batches = await service.db.query<{ messages: number }>(
    sql`select messages from ledger_entry where workspace_id = ${single} and kind = 'reservation'`,
  )
  assert.deepEqual(
    batches.map(({ messages }) => messages),
    [5, 5],
  )
  await narrow.stop()
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
  await proxy.open()
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
  const told = cut.logged.filter((line) => line.includes('database unavailable, requests refused'))
  assert.ok(told.length >= 1 && told.length < away.length, `${told.length} lines`)
  assert.equal(JSON.parse(told[0] ?? '').requests, 1)
  await proxy.open()
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

/** Two workspaces whose sends wait in one lane: that is chosen by the end of the id, and there are 1 to 4. */
async function makeNeighbours(narrow: TestService): Promise<string[]> {
  const byLane = new Map<number, string[]>()
  for (;;) {
    const id = await makeWorkspace(narrow)
    const lane = byLane.getOrInsertComputed(Number.parseInt(id.slice(-6), 16) % 12, () => [])
    if (lane.push(id) === 2) return lane
  }
}

/** A service whose way to the database leads through a proxy that can break. */
async function startBehindProxy() {
  const proxy = await startProxy(service)
  const cut = await ownService({ beside: { ...service, address: proxy.address } })
  return { proxy, cut, client: await makeClient(cut) }
}
