// Migrations next to traffic: they back off from locks, continue after a kill, and build indexes while others write.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import pg from 'pg'
import { createLog } from '../../../src/runtime/log.ts'
import { Db } from '../../../src/store/database/db.ts'
import { migrate } from '../../../src/store/database/migrate.ts'
import { testDatabaseAddress, useDatabase } from '../../harness/database.ts'
import { type Connection, query } from '../../harness/server.ts'
import { until } from '../../harness/until.ts'

const NOW = new Date('2026-11-16T04:00:00.000Z')
const ROOT = join(import.meta.dirname, '../../..')

/** A current database, and a folder with later migrations. */
async function open(later: Record<string, string>) {
  const address = await testDatabaseAddress()
  const db = new Db(address, { connections: 4 })
  useDatabase(address, () => db.close())
  const folder = mkdtempSync(join(tmpdir(), 'hulaki-migrations-'))
  after(() => rmSync(folder, { recursive: true }))
  cpSync(join(ROOT, 'src/store/database/migrations'), folder, { recursive: true })
  for (const [file, text] of Object.entries(later)) writeFileSync(join(folder, file), text)
  return { address, db, folder }
}

async function connect(address: Connection): Promise<pg.Client> {
  const client = new pg.Client(address)
  await client.connect()
  useDatabase(address, () => client.end())
  return client
}

/** An open transaction. */
async function holding(address: Connection, statement: string): Promise<pg.Client> {
  const processId = await connect(address)
  await processId.query(`begin; ${statement}`)
  return processId
}

const isApplied = (address: Connection, number: number) => async () =>
  (await query(address, `select 1 from schema_migration where number = ${number}`)).length > 0

test('a migration that cannot lock its table backs off: writers wait no longer than its lock timeout, and it is applied later', async () => {
  const { address, db, folder } = await open({ '9001_column.sql': 'alter table message add column online int;' })
  const reader = await holding(address, 'select 1 from message')
  let retries = 0
  const log = createLog('warn', { write: (line) => (retries += line.includes('retrying') ? 1 : 0) })
  const migrating = migrate(db, NOW, { folder, log, lockMs: 200 })
  const writer = await connect(address)
  await writer.query(`set lock_timeout = '2s'`)
  await until(async () => {
    await writer.query('delete from message where false')
    return retries >= 3
  })
  await reader.query('commit')
  assert.equal(await migrating, 1)
  await query(address, 'select online from message')
})

test('a start that is stopped does not wait for the lock of its migration', async () => {
  const { address, db, folder } = await open({ '9001_column.sql': 'alter table message add column online int;' })
  await holding(address, 'select 1 from message')
  const stopping = new AbortController()
  const log = createLog('warn', { write: () => stopping.abort() })
  await assert.rejects(migrate(db, NOW, { folder, log, lockMs: 50, stopping: stopping.signal }), { name: 'AbortError' })
})

/** In a separate process, which can be killed. */
function migrateElsewhere(address: Connection, folder: string) {
  const script = `
    import { Db } from './src/store/database/db.ts'
    import { migrate } from './src/store/database/migrate.ts'
    const [address, folder] = process.argv.slice(1)
    await migrate(new Db(JSON.parse(address), { connections: 1 }), new Date(), { folder, lockMs: 60_000 })`
  const args = ['--input-type=module', '-e', script, JSON.stringify(address), folder]
  return spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit' })
}

test('after a kill -9 between two migrations the next start applies only the second', async () => {
  const { address, db, folder } = await open({
    '9001_table.sql': 'create table later (id int);',
    '9002_column.sql': 'create table latest (id int); alter table message add column online int;',
  })
  const reader = await holding(address, 'select 1 from message')
  const killed = migrateElsewhere(address, folder)
  await until(isApplied(address, 9001))
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  await reader.query('commit')
  assert.equal(await migrate(db, NOW, { folder }), 1)
  await query(address, 'select online from message, later, latest')
})

const INDEX = '9001_index.sql'
const BUILD = '-- While others write.\ncreate index concurrently message_online on message (updated_at);'
const indexes = (address: Connection) =>
  query(
    address,
    `select indexrelid as id, indisvalid as valid from pg_index join pg_class on pg_class.oid = indexrelid
     where relname like '%message_online' order by relname`,
  )

test('an index is built concurrently: no writer waits, and an invalid index of a killed attempt is built again', async () => {
  const { address, db, folder } = await open({ [INDEX]: BUILD })
  const writer = await holding(address, 'delete from message where text is null')
  const killed = assert.rejects(migrate(db, NOW, { folder }))
  // The table is partitioned: the index is built on each partition.
  await until(async () => (await indexes(address)).length === 1)
  await query(address, `set lock_timeout = '1s'; delete from message where text is null`)
  await query(
    address,
    `select pg_terminate_backend(pid) from pg_stat_activity where query like 'create index concurrently%'`,
  )
  await killed
  const [left] = await indexes(address)
  assert.equal(left?.valid, false)
  await writer.query('commit')
  assert.equal(await migrate(db, NOW, { folder }), 1)
  const built = await indexes(address)
  const [partitions] = await query(
    address,
    `select count(*)::int as count from pg_inherits where inhparent = 'message'::regclass`,
  )
  assert.equal(built.length, 1 + Number(partitions?.count))
  assert.ok(built.every(({ valid }) => valid))
})

test('an index that a killed attempt has completed is not built again, and an index is dropped concurrently', async () => {
  const { address, db, folder } = await open({ [INDEX]: BUILD })
  await migrate(db, NOW, { folder })
  const built = await indexes(address)
  await query(address, 'delete from schema_migration where number = 9001')
  assert.equal(await migrate(db, NOW, { folder }), 1)
  assert.deepEqual(await indexes(address), built)
  writeFileSync(join(folder, '9002_drop.sql'), 'drop index concurrently message_online')
  assert.equal(await migrate(db, NOW, { folder }), 1)
  assert.deepEqual(await indexes(address), [])
})

test('rejects a migration that builds an index concurrently and has other statements', async () => {
  const { db, folder } = await open({ [INDEX]: `${BUILD} alter table message add column online int;` })
  await assert.rejects(migrate(db, NOW, { folder }), /needs a separate migration: alter table message/)
  assert.equal(await migrate(db, NOW), 0)
})
