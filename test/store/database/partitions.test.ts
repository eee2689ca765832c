// Tables become partitioned while others read and write them; partitions are added and dropped the same way (D44).
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import pg from 'pg'
import { preparePartitions } from '../../../src/actions/service/keep-partitions.ts'
import { lowestIdOf } from '../../../src/runtime/ids.ts'
import { createLog } from '../../../src/runtime/log.ts'
import { PipelinedQueries } from '../../../src/store/database/db/transaction.ts'
import { Db, type Tx } from '../../../src/store/database/db.ts'
import { migrate } from '../../../src/store/database/migrate.ts'
import { latestMigration } from '../../../src/store/database/migrations.ts'
import { partitionTables } from '../../../src/store/database/partition-tables.ts'
import { dropPartition, dropTable, listDetached, listPartitions } from '../../../src/store/database/partitions.ts'
import { testDatabaseAddress, useDatabase } from '../../harness/database.ts'
import { describeSchema } from '../../harness/describe-schema.ts'
import { type Connection, query } from '../../harness/server.ts'
import { until } from '../../harness/until.ts'

const MIGRATIONS = join(import.meta.dirname, '../../../src/store/database/migrations')
const NOW = new Date('2026-11-16T04:00:00.000Z')
const WORKSPACE = '00000000-0000-7000-8000-000000000001'

/** A database of the version before partitions, with rows in every table. */
async function openPlain({ messages = 20 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'hulaki-migrations-'))
  after(() => rmSync(folder, { recursive: true }))
  for (const file of readdirSync(MIGRATIONS)) if (file < '0118') cpSync(join(MIGRATIONS, file), join(folder, file))
  const address = await testDatabaseAddress({ template: 'template0' })
  const db = new Db(address, { connections: 4 })
  useDatabase(address, () => db.close())
  await migrate(db, NOW, { folder })
  await query(
    address,
    `insert into workspace (id, name, country, currency, time_zone, plan, status, monthly_credit_e4, transactional_price_e4, otp_price_e4,
       promotional_price_e4, allowed_types, templates_required, balance_e4, period, period_ends_at, created_at, updated_at)
     values ('${WORKSPACE}', 'Shop', 'NP', 'NPR', 'Asia/Kathmandu', 'standard', 'active', 10000, 100, 100, 100, '{otp,transactional}', false, 10000,
       '2026-11-01', '2026-12-01', '2026-11-01', '2026-11-01');
     insert into audit_entry (id, at, actor, action, subject, details, workspace_id)
     values ('${idAt('2026-10-01', 1)}', '2026-10-01', 'operator', 'x', 'y', '{}', '${WORKSPACE}')`,
    insertMessages('2026-09-01', messages),
  )
  return { address, db }
}

/** An id of that time. */
const idAt = (at: string, n: number) => `${lowestIdOf(new Date(at)).slice(0, 24)}${String(n).padStart(12, '0')}`

/** Messages with a submission, a report and a reply each. */
function insertMessages(at: string, count: number): string {
  const id = `('${idAt(at, 0).slice(0, 24)}' || lpad(n::text, 12, '0'))::uuid`
  return `
    insert into message (id, workspace_id, client_id, to_number, country, sender, text, type, encoding, segments, cost_e4, status, created_at, updated_at)
    select ${id}, '${WORKSPACE}', '${WORKSPACE}', '+9779841000000', 'NP', 'Shop', 'Hello ' || n, 'transactional', 'GSM7', 1, 0, 'delivered', '${at}', '${at}'
    from generate_series(1, ${count}) n;
    insert into submission (message_id, ordinal, segment, segment_count, carrier_id, to_number, sender, outcome, reference, claimed_at, answered_at)
    select ${id}, 1, 1, 1, '${WORKSPACE}', '+9779841000000', 'Shop', 'accepted', 'ref ' || n, '${at}', '${at}' from generate_series(1, ${count}) n;
    insert into report (message_id, id, ordinal, segment, state, code, status, error, raw, received_at)
    select ${id}, ${id}, 1, 1, 'DELIVRD', '000', 'delivered', '', '', '${at}' from generate_series(1, ${count}) n;
    insert into inbound_message (id, carrier_id, from_number, to_address, text, received_at)
    select ${id}, '${WORKSPACE}', '+9779841000000', '1234', 'Yes ' || n, '${at}' from generate_series(1, ${count}) n;`
}

const COUNTS = `
  select (select count(*)::int from message) as message, (select count(*)::int from submission) as submission,
    (select count(*)::int from report) as report, (select count(*)::int from inbound_message) as reply,
    (select count(*)::int from audit_entry) as audit`

async function countRows(address: Connection) {
  return (await query(address, COUNTS))[0]
}

test('the table becomes the first partition with its rows and indexes, and the schema is that of a new database', async () => {
  const { address, db } = await openPlain()
  const files = `select relname, relfilenode from pg_class where relkind in ('r', 'i') and relname ~ '^message(_first)?(_pkey|_workspace)?$'`
  const before = (await query(address, files)).map(({ relfilenode }) => relfilenode).toSorted()
  assert.equal(before.length, 3)
  await migrate(db, NOW)
  assert.deepEqual(await countRows(address), { message: 20, submission: 20, report: 20, reply: 20, audit: 1 })
  const fresh = await testDatabaseAddress()
  const freshDb = new Db(fresh, { connections: 1 })
  useDatabase(fresh, () => freshDb.close())
  assert.equal(await describeSchema(db), await describeSchema(freshDb))
  const kept = (await query(address, files)).filter(({ relname }) => String(relname).startsWith('message_first'))
  assert.deepEqual(kept.map(({ relfilenode }) => relfilenode).toSorted(), before, 'nothing is written again')
  const names = (await listPartitions(db)).filter(({ table }) => table === 'message').map(({ name }) => name)
  assert.deepEqual(names, ['message_first', 'message_2026_12', 'message_2027_01'])
  // Every partition has the options, statistics, checks and triggers of the first.
  const options = await query(
    address,
    `select distinct reloptions, array(select attstattarget from pg_attribute where attrelid = oid and attnum > 0 order by attnum) as statistics,
       (select count(*) from pg_index where indrelid = pg_class.oid) as indexes,
       (select count(*) from pg_constraint where conrelid = pg_class.oid and contype = 'c') as checks
     from pg_class where relispartition and relname like 'submission%' and relkind = 'r'`,
  )
  assert.equal(options.length, 1)
  for (const table of ['audit_entry', 'audit_entry_first', 'audit_entry_2027_01'])
    await assert.rejects(query(address, `delete from ${table}`), /append-only/)
})

test('loses no row that is written meanwhile, and locks no table for a second', async () => {
  const { address, db } = await openPlain({ messages: 50_000 })
  const writer = new pg.Client(address)
  await writer.connect()
  useDatabase(address, () => writer.end())
  let isOver = false
  let written = 0
  const writing = (async () => {
    await writer.query(`set lock_timeout = '1s'; prepare add as ${INSERT_ONE}`)
    while (!isOver) {
      written += 1
      await writer.query(`execute add ('${idAt('2026-11-16', written)}')`)
      await writer.query(`update message set submissions = 1 where id = '${idAt('2026-11-16', written)}'`)
    }
  })()
  await until(() => written > 5)
  await migrate(db, NOW, { lockMs: 200 })
  const atEnd = written
  await until(() => written > atEnd + 5)
  isOver = true
  await writing
  const [row] = await query(address, 'select count(*)::int as count, sum(submissions)::int as changed from message')
  assert.deepEqual(row, { count: 50_000 + written, changed: written })
})

test('the audit log is converted beside a transaction that changes a workspace and then writes the audit log', async () => {
  const { address, db } = await openPlain()
  const writer = new pg.Client(address)
  await writer.connect()
  useDatabase(address, () => writer.end())
  await writer.query(`set lock_timeout = '1s'; begin; update workspace set balance_e4 = 0`)
  const migrating = migrate(db, NOW, { lockMs: 10_000 })
  const waiting = `select 1 from pg_locks where not granted and relation in ('workspace'::regclass, 'audit_entry'::regclass)`
  await until(async () => (await query(address, waiting)).length > 0)
  await writer.query(
    `insert into audit_entry (id, at, actor, action, subject, details, workspace_id)
     values ('${idAt('2026-11-16', 1)}', '2026-11-16', 'operator', 'x', 'y', '{}', '${WORKSPACE}'); commit`,
  )
  await migrating
  assert.equal((await countRows(address))?.audit, 2)
})

const INSERT_ONE = `
  insert into message (id, workspace_id, client_id, to_number, country, sender, text, type, encoding, segments, cost_e4, status, created_at, updated_at)
  values ($1, '${WORKSPACE}', '${WORKSPACE}', '+9779841000000', 'NP', 'Shop', 'x', 'transactional', 'GSM7', 1, 0, 'queued', now(), now())`

test('a conversion that was killed at any step is completed by the next start', async (t) => {
  const { script } = PipelinedQueries.prototype
  const KILLED_AT = [
    'add constraint submission_until',
    'validate constraint submission_until',
    'attach partition submission_first',
  ]
  for (const killedAt of KILLED_AT) {
    const { address, db } = await openPlain()
    const scripts = t.mock.method(
      PipelinedQueries.prototype,
      'script',
      function (this: PipelinedQueries, text: string) {
        if (text.includes(killedAt)) throw new Error('killed')
        return script.call(this, text)
      },
    )
    await assert.rejects(migrate(db, NOW), /killed/)
    scripts.mock.restore()
    await migrate(db, NOW)
    assert.deepEqual(
      await countRows(address),
      { message: 20, submission: 20, report: 20, reply: 20, audit: 1 },
      killedAt,
    )
    const [left] = await query(address, `select count(*)::int as count from pg_constraint where conname like '%_until'`)
    assert.equal(left?.count, 0)
  }
})

test('is done before the migrations that stop processes of the previous version, also after a kill', async (t) => {
  const { address, db } = await openPlain()
  const latest = async () => (await query(address, 'select max(number) as number from schema_migration'))[0]?.number
  const { script } = PipelinedQueries.prototype
  const scripts = t.mock.method(PipelinedQueries.prototype, 'script', function (this: PipelinedQueries, text: string) {
    if (text.includes('validate constraint message_until')) throw new Error('killed')
    return script.call(this, text)
  })
  for (const start of [1, 2]) {
    await assert.rejects(migrate(db, NOW), /killed/)
    assert.equal(await latest(), 118, `start ${start}`)
  }
  scripts.mock.restore()
  await migrate(db, NOW)
  assert.equal(await latest(), latestMigration())
  const fresh = await testDatabaseAddress()
  const freshDb = new Db(fresh, { connections: 1 })
  useDatabase(fresh, () => freshDb.close())
  assert.equal(await describeSchema(db), await describeSchema(freshDb))
})

test('logs that it still reads a large table, with its size and the seconds so far', async () => {
  const { address, db } = await openPlain({ messages: 20_000 })
  const other = new pg.Client(address)
  await other.connect()
  useDatabase(address, () => other.end())
  const withLock = async (table: string, step: (tx: Tx) => Promise<void>) => {
    await db.transaction(step)
    // The validation that follows waits for this lock.
    if (table === 'message') await other.query('begin; lock table message in share update exclusive mode')
  }
  const lines: Record<string, unknown>[] = []
  const log = createLog('info', { write: (line) => lines.push(JSON.parse(line)) })
  const converting = db.ownConnection((connection) =>
    partitionTables(connection, { now: NOW, log, progressMs: 5, withLock }),
  )
  const readings = () => lines.filter(({ msg, table }) => /^reading table/.test(String(msg)) && table === 'message')
  await until(() => readings().length >= 3)
  const [size] = await query(address, `select round(pg_relation_size('message') / 1e6)::int as megabytes`)
  await other.query('commit')
  await converting
  assert.ok(Number(size?.megabytes) > 1)
  for (const { megabytes, seconds } of readings()) {
    assert.equal(megabytes, size?.megabytes)
    assert.equal(typeof seconds, 'number')
  }
})

test('adds each month once, by one of several processes, and rows go to their month', async () => {
  const { address, db } = await openPlain()
  await migrate(db, NOW)
  const added = await Promise.all([1, 2, 3].map(() => preparePartitions(db, new Date('2027-03-05'))))
  assert.equal(added.flat().length, 5 * 4)
  assert.deepEqual(await preparePartitions(db, new Date('2027-03-05')), [])
  await query(address, insertMessages('2027-03-31T23:59:59.999Z', 1), insertMessages('2027-04-01', 2))
  const rows = await query(
    address,
    `select tableoid::regclass::text as name, count(*)::int as count from message where id > '${idAt('2027-01-01', 0)}' group by 1 order by 1`,
  )
  assert.deepEqual(rows, [
    { name: 'message_2027_03', count: 1 },
    { name: 'message_2027_04', count: 2 },
  ])
})

test('drops a month while a transaction has read the table, and completes an interrupted removal', async () => {
  const { address, db } = await openPlain()
  await migrate(db, NOW)
  await query(address, insertMessages('2026-12-05', 3))
  const find = async (name: string) => {
    const partition = (await listPartitions(db)).find((it) => it.name === name)
    assert(partition, name)
    return partition
  }
  const reader = new pg.Client(address)
  await reader.connect()
  useDatabase(address, () => reader.end())
  await reader.query('begin; select count(*) from message')
  // The removal waits for the reader; others do not wait for the removal.
  const first = await find('message_first')
  const dropping = db.ownConnection((connection) => dropPartition(connection, first))
  const failed = assert.rejects(dropping)
  await until(async () => (await find('message_first')).isDetaching)
  await query(address, `set lock_timeout = '1s'`, insertMessages('2026-12-06', 1), 'select count(*) from message')
  await query(
    address,
    `select pg_terminate_backend(pid) from pg_stat_activity where query like '%detach partition%' and pid <> pg_backend_pid()`,
  )
  await failed
  await reader.query('commit')
  const leaving = await find('message_first')
  await db.ownConnection((connection) => dropPartition(connection, leaving))
  assert.deepEqual(await countRows(address), { message: 4, submission: 24, report: 24, reply: 24, audit: 1 })
  // Killed between the two steps.
  await query(address, 'alter table report detach partition report_first')
  assert.deepEqual(await listDetached(db), ['report_first'])
  await db.ownConnection((connection) => dropTable(connection, 'report_first'))
  assert.deepEqual(await listDetached(db), [])
})
