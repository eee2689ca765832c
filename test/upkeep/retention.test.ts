// Data leaves after its retention (D44): texts, messages with their parts, replies and the audit log; the ledger and usage stay.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { areClocksApart } from '../../src/actions/service/retention.ts'
import { SystemClock } from '../../src/runtime/clock.ts'
import { lowestIdOf } from '../../src/runtime/ids.ts'
import { makeClient, makeWorkspace } from '../harness/client.ts'
import { query } from '../harness/server.ts'
import { ownService, START, type TestService } from '../harness/service.ts'

const DAY_SECONDS = 86_400

const list = async ({ address }: TestService, text: string) =>
  (await query(address, text)).map((row) => Object.values(row))

test('D44: texts are deleted after their days, and messages, replies and audit lines with their month', async () => {
  const service = await ownService({
    env: {
      HULAKI_ROLES: 'api,delivery,upkeep',
      HULAKI_KEEP_TEXTS_DAYS: '10',
      HULAKI_KEEP_MESSAGES_DAYS: '40',
      HULAKI_KEEP_REPLIES_DAYS: '60',
      HULAKI_KEEP_AUDIT_DAYS: '100',
    },
  })
  const workspaceId = await makeWorkspace(service)
  const client = await makeClient(service, { workspaceId })
  await client.send({ text: 'first' })
  await query(
    service.address,
    `insert into inbound_message (id, carrier_id, from_number, to_address, text, received_at)
     values ('${lowestIdOf(START)}', '${workspaceId}', '+9779841000000', '1234', 'Yes', '${START.toISOString()}')`,
  )
  const texts = () => list(service, 'select text from message order by id')
  await service.advance(10 * DAY_SECONDS - 1)
  assert.deepEqual(await texts(), [['first']])
  await client.send({ text: 'second' })
  await service.advance(31)
  assert.deepEqual(await texts(), [[null], ['second']])
  const counts = async () =>
    (
      await list(
        service,
        `select (select count(*)::int from message) as messages, (select count(*)::int from inbound_message) as replies,
           (select count(*)::int from audit_entry where workspace_id = '${workspaceId}') as lines`,
      )
    )[0]
  const [, , lines] = (await counts()) ?? []
  assert.ok(Number(lines) > 0)
  const usage = async () =>
    (await service.manage('GET', `/workspaces/${workspaceId}/usage?from=2026-11-01&to=2026-11-30`)).body
  // The first partition ends with November; 40 days later it is dropped.
  await service.advance(29 * DAY_SECONDS)
  assert.deepEqual(await counts(), [2, 1, lines], 'within 40 days of their month')
  const before = await usage()
  await service.advance(20 * DAY_SECONDS)
  assert.deepEqual((await counts())?.slice(0, 2), [0, 1])
  await service.advance(20 * DAY_SECONDS)
  assert.deepEqual((await counts())?.slice(1), [0, lines])
  await service.advance(60 * DAY_SECONDS)
  assert.deepEqual((await counts())?.[2], 0)
  assert.deepEqual(await usage(), before)
  const { items } = (await service.manage('GET', `/workspaces/${workspaceId}/ledger?limit=200`)).body
  assert.equal(items.filter(({ kind }: { kind: string }) => kind === 'reservation').length, 2)
  assert.equal((await client.send()).status, 200)
})

test('D44: months that a backup reads are dropped after it, and no request waits for it', async () => {
  const env = { HULAKI_ROLES: 'api,delivery,upkeep', HULAKI_KEEP_MESSAGES_DAYS: '40', HULAKI_KEEP_AUDIT_DAYS: '40' }
  const service = await ownService({ env })
  const client = await makeClient(service)
  await client.send()
  const months = () =>
    list(service, `select relname from pg_class where relname in ('message_first', 'audit_entry_first')`)
  await service.db.ownConnection(async (backup) => {
    await backup.script(`
      set idle_in_transaction_session_timeout = 0;
      begin isolation level repeatable read;
      select count(*) from message; select count(*) from audit_entry; select count(*) from workspace`)
    const advanced = { isOver: false }
    const advancing = service.advance(70 * DAY_SECONDS).finally(() => {
      advanced.isOver = true
    })
    let longest = 0
    while (!advanced.isOver) {
      const startedAt = performance.now()
      assert.equal((await service.manage('GET', '/workspaces')).status, 200)
      longest = Math.max(longest, performance.now() - startedAt)
    }
    await advancing
    assert.equal((await months()).length, 2)
    // Half a second for a lock, the rest for a busy machine.
    assert.ok(longest < 2_000, `a request waited ${Math.round(longest)} ms`)
    await backup.script('commit')
  })
  // On a busy machine another statement of the service may hold a table for half a second: that is tried again too.
  for (let tries = 0; tries < 5 && (await months()).length > 0; tries += 1) await service.advance(301)
  assert.deepEqual(await months(), [])
})

test('D44: nothing is deleted while the clocks of the machine and the database are a day apart', () => {
  const machine = { wallMs: () => START.getTime(), monotonicMs: () => 0 }
  const clock = new SystemClock(machine)
  const areApart = () => areClocksApart(clock)
  assert.equal(areApart(), false)
  clock.syncTo(new Date(START.getTime() + 700 * DAY_SECONDS * 1000))
  assert.equal(areApart(), true)
  clock.syncTo(new Date(START.getTime() - 3_600_000))
  assert.equal(areApart(), false)
})

test('D44: 0 keeps data forever', async () => {
  const service = await ownService({
    env: {
      HULAKI_ROLES: 'api,upkeep',
      ...Object.fromEntries(
        ['TEXTS', 'MESSAGES', 'TEST_MESSAGES', 'REPLIES', 'AUDIT'].map((name) => [`HULAKI_KEEP_${name}_DAYS`, '0']),
      ),
    },
  })
  const client = await makeClient(service)
  const trial = await makeClient(service, { mode: 'test', workspaceId: client.workspaceId })
  await client.send({ text: 'kept' })
  await trial.send({ text: 'tried' })
  const [audited] = await list(service, 'select count(*) from audit_entry')
  await service.advance(900 * DAY_SECONDS)
  assert.deepEqual(await list(service, 'select text from message order by id'), [['kept'], ['tried']])
  const [after] = await list(service, 'select count(*) from audit_entry')
  assert.ok(Number(after?.[0]) >= Number(audited?.[0]))
})

test('D44: rows from before the tables were partitioned are deleted in steps, with the parts of their messages', async () => {
  const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,upkeep' } })
  const client = await makeClient(service)
  const [old, recent] = ['2025-10-01', '2026-10-01'].map((at) => lowestIdOf(new Date(at)).slice(0, 24))
  for (const prefix of [old, recent]) {
    const id = `('${prefix}' || lpad(n::text, 12, '0'))::uuid`
    await query(
      service.address,
      `insert into message (id, workspace_id, client_id, to_number, country, sender, text, type, encoding, segments, cost_e4, status, created_at, updated_at)
       select ${id}, '${client.workspaceId}', '${client.id}', '+9779841000000', 'NP', 'Shop', 'x', 'transactional', 'GSM7', 1, 0, 'delivered', now(), now()
       from generate_series(1, 2500) n`,
      `insert into report (message_id, id, ordinal, segment, state, code, status, error, raw, received_at)
       select ${id}, ${id}, 1, 1, 'DELIVRD', '000', 'delivered', '', '', now() from generate_series(1, 2500) n`,
    )
  }
  await service.advance(60)
  const counts = await list(
    service,
    'select (select count(*)::int from message) as messages, (select count(*)::int from report) as reports',
  )
  assert.deepEqual(counts, [[2500, 2500]])
})

test('D44: a month stays until all its messages are final, refunded and out of the queue', async () => {
  const env = { HULAKI_ROLES: 'api,upkeep', HULAKI_KEEP_MESSAGES_DAYS: '35' }
  const stopped = await ownService({ env })
  const client = await makeClient(stopped)
  await client.send()
  const counts = (service: TestService) =>
    list(
      service,
      `select (select count(*)::int from message) as messages, (select count(*)::int from delivery_queue) as queued,
         (select count(*)::int from ledger_entry where kind = 'refund') as refunds`,
    )
  // No process delivers, so the deadline of the message is not checked.
  await stopped.advance(80 * DAY_SECONDS)
  assert.deepEqual(await counts(stopped), [[1, 1, 0]])
  await stopped.stop()
  const service = await ownService({ env: { ...env, HULAKI_ROLES: 'api,delivery,upkeep' }, beside: stopped })
  await service.advance(60)
  assert.deepEqual(await counts(service), [[0, 0, 1]])
})
