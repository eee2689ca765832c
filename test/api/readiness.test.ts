// /readyz reports a process that cannot store anything as not ready.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { bootService } from '../harness/boot-service.ts'
import { makeClient } from '../harness/client.ts'
import { assertRefused } from '../harness/refused.ts'
import { addCarrier, addRoute } from '../harness/sending.ts'
import { query } from '../harness/server.ts'
import { call, ownService, type TestService } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api' } })
const { database } = service.address
const readiness = () => call(`${service.url}/readyz`, { method: 'GET' })
const elsewhere = { ...service.address, database: 'postgres' }
/** A role registers its metrics when it begins. */
const hasDelivery = ({ listedMetrics }: Pick<TestService, 'listedMetrics'>) =>
  listedMetrics.some(({ name }) => name === 'hulaki_delivery_bound_binds')
const allowWriting = async (isAllowed: boolean) => {
  await query(elsewhere, `alter database ${database} set default_transaction_read_only = ${!isAllowed}`)
  // Connections from before a failover lead to the new standby.
  await query(elsewhere, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`)
}

test('with a read-only database: not ready, sends are 503 without a charge, and no restart is needed afterwards', async () => {
  const client = await makeClient(service)
  assert.equal((await readiness()).status, 200)
  assert.equal((await client.send()).status, 200)
  await allowWriting(false)
  // While its connections are closed, another reason may come first.
  const why = async () => String((await readiness()).body.reason)
  await until(async () => /is read-only/.test(await why()))
  assertRefused(await client.send(), 503, 'unavailable')
  assertRefused(await client.otp(), 503, 'unavailable')
  await allowWriting(true)
  await until(async () => (await readiness()).status === 200)
  await until(async () => (await client.send()).status === 200)
})

test('with a database that was moved to another server meanwhile: not ready with a reason, and no work', async () => {
  const old = await ownService({ env: { HULAKI_ROLES: 'api' } })
  const client = await makeClient(old)
  assert.equal((await client.send()).status, 200)
  await query(old.address, 'create table moved_away ()')
  const look = () => call(`${old.url}/readyz`, { method: 'GET' })
  await until(async () => (await look()).status === 503)
  assert.match((await look()).body.reason, /moved to another server: restart this process with its DATABASE_URL/)
  assertRefused(await client.send(), 503, 'unavailable')
})

test('with a database that was moved during the start: not ready, and the delivery role does not begin', async () => {
  const { address, keyringText, stop } = await ownService({ env: { HULAKI_ROLES: 'api' } })
  await stop()
  await query(address, 'create table moved_away ()')
  // The start waits for this lock when it looks for the carrier of the simulator, and the check of the database runs meanwhile.
  const holder = new pg.Client(address)
  await holder.connect()
  await holder.query('begin; lock table carrier in access exclusive mode')
  const logged: string[] = []
  const env = { HULAKI_ROLES: 'api,delivery,simulator' }
  const starting = bootService({ address, keyringText, env, logged })
  await until(() => logged.some((line) => line.includes('database was moved to another server')))
  await holder.query('commit')
  await holder.end()
  const late = await starting
  const ready = await call(`${late.url}/readyz`, { method: 'GET' })
  await late.down()
  assert.equal(ready.status, 503)
  assert.equal(hasDelivery(late), false)
})

test('with a newer schema: not ready with a reason, and no work; during an online migration it keeps working', async () => {
  const old = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
  assert.ok(hasDelivery(old))
  const smsc = await startSmsc({ plan: () => ({}) })
  await addRoute(old, await addCarrier(old, smsc.port))
  const client = await makeClient(old)
  const apply = (name: string) =>
    query(
      old.address,
      `insert into schema_migration (number, name, checksum, applied_at) values (${name.slice(0, 4)}, '${name}', '', now())`,
    )
  const look = () => call(`${old.url}/readyz`, { method: 'GET' })
  await apply('9998_more_columns_online.sql')
  assert.equal((await look()).status, 200)
  assert.equal((await client.send({ to: '+9779841000001' })).status, 200)
  await until(() => smsc.taken.length === 1)
  await apply('9999_other_columns.sql')
  await until(async () => (await look()).status === 503)
  assert.match(
    (await look()).body.reason,
    /newer version has changed the database \(9999_other_columns\.sql\).*restart/,
  )
  for (const refused of [await client.send(), await client.otp(), await old.manage('GET', '/workspaces')]) {
    assertRefused(refused, 503, 'unavailable')
    assert.equal(refused.headers.get('retry-after'), '1')
  }
  // It has released its carriers for the newer process.
  await until(() => smsc.sessions.size === 0)
  assert.equal(old.logged.filter((line) => line.includes('database schema is newer than this process')).length, 1)
  assert.equal((await call(`${old.url}/livez`, { method: 'GET' })).status, 200)
})

test('queries the database a few times per second for any number of readiness checks', async () => {
  const asked = async () => {
    const rows = await query(
      service.address,
      "select calls from (select n_tup_ins + n_tup_upd as calls from pg_stat_user_tables where relname = 'readiness_probe') as it",
    )
    return Number(rows[0]?.calls)
  }
  const before = await asked()
  const beganAt = performance.now()
  await Promise.all(Array.from({ length: 200 }, readiness))
  const [row] = await query(service.address, 'select count(*)::int as rows from readiness_probe')
  assert.equal(row?.rows, 1)
  // Five times per second, and the first immediately; on a busy machine the requests take a while.
  const most = 2 + Math.ceil((performance.now() - beganAt) / 200)
  const calls = (await asked()) - before
  assert.ok(calls <= most && calls < 200, `${calls} of ${most}`)
})
