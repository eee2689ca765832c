// Failures stay contained: one bad request fails alone, overload is refused immediately, and a lost COMMIT response is checked.
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

test('fails only the request that the database rejects, by splitting its batch', async () => {
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

test('answers 503 immediately, without a charge, if too many requests wait (D6)', async () => {
  const narrow = await ownService({ beside: service, batching: { maxWaiting: 5 } })
  const client = await makeClient(narrow)
  const release = await holdWorkspace(service, client.workspaceId)
  const sends = Array.from({ length: 30 }, () => client.send())
  const first = await Promise.race(sends)
  assertRefused(first, 503, 'unavailable')
  assert.equal(first.headers.get('retry-after'), '1')
  await until(() => isSendWaitingAside(service))
  // Admission has a limit of its own, which these requests have passed.
  await until(async () => {
    sends.push(client.send())
    return (await client.get('/sms/balance')).status === 200 && (await client.post('/sms/send', UNREAD)).status === 503
  })
  // The refusal comes before the body is parsed. Requests that do not use the lane are served.
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

test('does not read the connection of a shed request before its Retry-After (D6)', async () => {
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

test('refuses requests on a paused connection in the order of their arrival (D6)', async () => {
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

test('refuses no other workspace if one workspace fills the lane with many clients (D43)', async () => {
  const narrow = await ownService({ beside: service, batching: { maxWaiting: 20 } })
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
  // Neither before the key look-up nor in the lane, where it takes the place of a waiting request.
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

test('accepts sends by workspace first, then by client: many clients get no larger share than one (D43)', async () => {
  const narrow = await ownService({
    beside: service,
    batching: { maxWaiting: 60, maxBatch: 10 },
  })
  const [crowded = '', single = ''] = await makeNeighbours(narrow)
  const crowd = await Promise.all(Array.from({ length: 5 }, () => makeClient(narrow, { workspaceId: crowded })))
  const alone = await makeClient(narrow, { workspaceId: single })
  // The batch waits for the lock of the test. The test takes no workspace lock, because a send that meets one moves to another lane.
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
  // One batch is in progress; the next sends fill the lane completely.
  const sends = crowd.flatMap((client) => Array.from({ length: 10 }, () => client.send()))
  sends.push(...Array.from({ length: 10 }, () => alone.send()))
  await until(async () => {
    const isDoorOpen = (await crowd[0]?.get('/sms/balance'))?.status === 200
    return isDoorOpen && (await crowd[0]?.post('/sms/send', UNREAD))?.status === 503
  })
  await letGo()
  for (const answer of await Promise.all([...sends, slow])) assert.equal(answer?.status, 200)
  await service.db.query(sql`drop trigger slow on message`)
  // One reservation pays for all sends of a workspace in a batch.
  const batches = await service.db.query<{ messages: number }>(
    sql`select messages from ledger_entry where workspace_id = ${single} and kind = 'reservation'`,
  )
  assert.deepEqual(
    batches.map(({ messages }) => messages),
    [5, 5],
  )
  await narrow.stop()
})

test('answers an internal error with 500 server_error, without internal details (§7.1)', async () => {
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

test('checks a COMMIT with a lost response: a stored message is answered with 200, once', async () => {
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

test('checks a COMMIT that was lost in a failover until the database is back, and answers 200', async () => {
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

test('checks a COMMIT that did not reach the database: no charge, and 503', async () => {
  const { proxy, cut, client } = await startBehindProxy()
  assert.equal((await client.send()).status, 200)
  proxy.cutAtNext('commit', { beforeIt: true })
  assertRefused(await client.send({ text: 'Cut' }), 503, 'unavailable')
  assert.ok(proxy.wasCut())
  assert.equal(await messagesOf(client.id), 1)
  assert.equal((await client.get('/sms/balance')).body.balance, 1000 - 1.5)
  await cut.stop()
})

test('does not claim that nothing was charged if the COMMIT cannot be checked', async () => {
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

test('answers 503 with Retry-After without its database, and recovers without a restart', async () => {
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
  // An outage is logged once a second, not once per request.
  const lines = cut.logged.filter((line) => line.includes('database unavailable, requests refused'))
  assert.ok(lines.length >= 1 && lines.length < away.length, `${lines.length} lines`)
  assert.equal(JSON.parse(lines[0] ?? '').requests, 1)
  await proxy.open()
  assert.equal((await client.send()).status, 200)
  assert.equal(await messagesOf(client.id), 2)
  assert.equal((await client.get('/sms/balance')).body.balance, 1000 - 2 * 1.5)
  await cut.stop()
})

test('answers 503 without a charge if the connection is lost before COMMIT', async () => {
  const { proxy, cut, client } = await startBehindProxy()
  assert.equal((await client.send()).status, 200)
  proxy.cutAtNext('begin')
  assertRefused(await client.send({ text: 'Lost' }, { 'idempotency-key': 'lost' }), 503, 'unavailable')
  assert.ok(proxy.wasCut())
  assert.equal(await messagesOf(client.id), 1)
  assert.equal((await client.send({ text: 'Lost' }, { 'idempotency-key': 'lost' })).status, 200)
  await cut.stop()
})

/** Two workspaces that share a lane: the last digits of the id select one of 1 to 4 lanes. */
async function makeNeighbours(narrow: TestService): Promise<string[]> {
  const byLane = new Map<number, string[]>()
  for (;;) {
    const id = await makeWorkspace(narrow)
    const lane = byLane.getOrInsertComputed(Number.parseInt(id.slice(-6), 16) % 12, () => [])
    if (lane.push(id) === 2) return lane
  }
}

/** A service that reaches its database through a proxy, which the test can break. */
async function startBehindProxy() {
  const proxy = await startProxy(service)
  const cut = await ownService({ beside: { ...service, address: proxy.address } })
  return { proxy, cut, client: await makeClient(cut) }
}
