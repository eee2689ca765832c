// What goes wrong stays small: one bad request costs itself alone, overload is answered at once, a lost answer is looked up.
import assert from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { sql } from '../../src/store/sql.ts'
import { makeClient, type TestClient } from '../harness/client.ts'
import { holdWorkspace } from '../harness/hold-workspace.ts'
import { assertRefused } from '../harness/refused.ts'
import { startTestService, type TestService } from '../harness/service.ts'

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
  await release()
  const answers = await Promise.all(sends)
  const accepted = answers.filter(({ status }) => status === 200)
  assert.ok(accepted.length >= 5 && accepted.length < 30)
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
  const proxy = await startCuttingProxy(service)
  const cut = await startTestService({
    beside: { ...service, address: { ...service.address, host: '127.0.0.1', port: proxy.port } },
  })
  const client: TestClient = await makeClient(cut)
  assert.equal((await client.send()).status, 200)
  proxy.cutAtNextCommit()
  const answer = await client.send({ text: 'Cut' }, { 'idempotency-key': 'cut' })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  assert.ok(proxy.wasCut())
  assert.equal(await messagesOf(client.id), 2)
  const replay = await client.send({ text: 'Cut' }, { 'idempotency-key': 'cut' })
  assert.deepEqual([replay.body.messageId, replay.headers.get('idempotent-replayed')], [answer.body.messageId, 'true'])
  await cut.stop()
})

/** Stands between the service and PostgreSQL; lets one COMMIT through and drops the connection instead of its answer. */
async function startCuttingProxy({ address }: TestService) {
  let armed = false
  let cut = false
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = address.host.startsWith('/')
      ? connect(`${address.host}/.s.PGSQL.${address.port}`)
      : connect(address.port, address.host)
    let doomed = false
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        near.destroy()
        far.destroy()
      })
    }
    near.on('data', (bytes) => {
      if (armed && bytes.includes('commit\0')) {
        armed = false
        doomed = true
      }
      far.write(bytes)
    })
    far.on('data', (bytes) => {
      if (!doomed) return near.write(bytes)
      // The answers to the statements before it may come first.
      if (!bytes.includes('COMMIT\0')) return
      cut = true
      near.destroy()
      return true
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  const listening = server.address()
  assert.ok(listening !== null && typeof listening === 'object')
  return {
    port: listening.port,
    cutAtNextCommit: () => {
      armed = true
    },
    wasCut: () => cut,
  }
}
