// The settings of connections, with and without a pooler, and which errors are an outage.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../../src/runtime/clock.ts'
import { newKeyringText } from '../../../src/runtime/keyring.ts'
import { systemRandom } from '../../../src/runtime/random.ts'
import { Db, isOutage } from '../../../src/store/database/db.ts'
import { sql } from '../../../src/store/database/sql.ts'
import { testDatabase, testDatabaseAddress } from '../../harness/database.ts'
import { makeSender } from '../../harness/sending.ts'
import { query } from '../../harness/server.ts'
import { ownService, START } from '../../harness/service.ts'
import { until } from '../../harness/until.ts'

test('a service accepts a message with search_path in the options of its connections', async () => {
  const plain = await testDatabaseAddress()
  await query(plain, 'alter schema public rename to elsewhere')
  const address = { ...plain, options: '-c search_path=elsewhere' }
  const beside = { address, keyringText: newKeyringText(systemRandom), clock: new ManualClock(START) }
  const service = await ownService({ env: { HULAKI_ROLES: 'api' }, beside })
  const sender = await makeSender(service)
  assert.equal((await sender.send({ to: '+9779841000001' })).status, 200)
})

test('only a pool with synchronousCommit: false does not wait for the disk', async () => {
  const db = await testDatabase()
  const forgetful = db.openPool({ connections: 2, synchronousCommit: false })
  const [durable, quick] = await Promise.all(
    [db, forgetful].map((it) => it.query<{ synchronous_commit: string }>(sql`show synchronous_commit`)),
  )
  assert.deepEqual(durable, [{ synchronous_commit: 'on' }])
  assert.deepEqual(quick, [{ synchronous_commit: 'off' }])
  await forgetful.close()
})

test('through a pooler each transaction begins with its settings, and own connections avoid the pooler', async () => {
  const address = await testDatabaseAddress()
  await query(address, `alter database ${address.database} set synchronous_commit = off`)
  const db = new Db(address, { connections: 1, pooler: address, statementMs: 1_234 })
  const forgetful = db.openPool({ connections: 1, synchronousCommit: false })
  const read = sql`
    select current_setting('statement_timeout') as timeout, current_setting('synchronous_commit') as commit,
      current_setting('application_name') as name`
  const pooled = { timeout: '1234ms', commit: 'on', name: 'hulaki through a pooler' }
  assert.deepEqual(await db.query(read), [pooled])
  assert.deepEqual(await db.transaction((tx) => tx.query(read)), [pooled])
  const [first, second] = await db.pipelined(async (queries) => [await queries.query(read), await queries.query(read)])
  assert.deepEqual([first, second], [[pooled], [pooled]])
  assert.deepEqual(await forgetful.query(read), [{ ...pooled, timeout: '8s', commit: 'off' }])
  assert.deepEqual(await db.ownConnection((connection) => connection.query(read)), [
    { timeout: '8s', commit: 'on', name: 'hulaki' },
  ])
  await Promise.all([forgetful.close(), db.close()])
})

test('a pool counts its connections, and the transactions that waited for one', async () => {
  const db = await testDatabase()
  const pool = db.openPool({ connections: 1 })
  const held = Promise.withResolvers<void>()
  const transactions = [1, 2, 3].map(() => pool.transaction(() => held.promise))
  await until(() => pool.use.busy === 1)
  assert.deepEqual(pool.use, { busy: 1, idle: 0, most: 1, waiting: 2, waits: 0, waitedSeconds: 0 })
  held.resolve()
  await Promise.all(transactions)
  const { waitedSeconds, ...use } = pool.use
  assert.deepEqual(use, { busy: 0, idle: 1, most: 1, waiting: 0, waits: 2 })
  assert.ok(waitedSeconds > 0)
  await pool.close()
})

test('defaults of the database do not replace required settings', async () => {
  const address = await testDatabaseAddress()
  for (const setting of [
    'synchronous_commit = off',
    "default_transaction_isolation = 'repeatable read'",
    "datestyle = 'German'",
  ])
    await query(address, `alter database ${address.database} set ${setting}`)
  const db = new Db(address, { connections: 1 })
  const [now] = await db.query(sql`
    select current_setting('synchronous_commit') as commit, current_setting('transaction_isolation') as isolation,
      date '2026-11-15' as day`)
  assert.deepEqual(now, { commit: 'on', isolation: 'read committed', day: '2026-11-15' })
  await db.close()
})

test('a timeout, a missing server and a closed connection are outages; a wrong statement and a bug are not', async () => {
  const address = await testDatabaseAddress()
  const hasty = new Db(address, { connections: 1, statementMs: 50 })
  const nowhere = new Db({ ...address, host: '127.0.0.1', port: 1 }, { connections: 1 })
  const errorOf = (asked: Promise<unknown>) => asked.then(() => assert.fail('it was done')).catch((error) => error)
  const faults = [
    await errorOf(hasty.query(sql`select pg_sleep(10)`)),
    await errorOf(nowhere.query(sql`select 1`)),
    await errorOf(hasty.query(sql`select pg_terminate_backend(pg_backend_pid())`)),
    await errorOf(hasty.query(sql`select 1 / 0`)),
    await errorOf(hasty.transaction(() => Promise.reject(new TypeError('a bug')))),
  ]
  assert.deepEqual(faults.map(isOutage), [true, true, true, false, false])
  await Promise.all([hasty.close(), nowhere.close()])
})
