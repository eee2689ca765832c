// Migrations: once each, by one of many processes, and never on an unknown schema.

import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Db } from '../../../src/store/database/db.ts'
import { migrate } from '../../../src/store/database/migrate.ts'
import { SchemaError } from '../../../src/store/database/migrations.ts'
import { sql } from '../../../src/store/database/sql.ts'
import { testDatabaseAddress } from '../../harness/database.ts'
import { describeSchema } from '../../harness/describe-schema.ts'
import { query } from '../../harness/server.ts'

const NOW = new Date('2026-11-16T04:00:00.000Z')

/** The migrations of the service, and two later ones. */
const FOLDER = mkdtempSync(join(tmpdir(), 'hulaki-migrations-'))
after(() => rmSync(FOLDER, { recursive: true }))
cpSync(join(import.meta.dirname, '../../../src/store/database/migrations'), FOLDER, { recursive: true })
writeFileSync(join(FOLDER, '9001_first.sql'), 'create table first_later (id int);')
writeFileSync(join(FOLDER, '9002_second.sql'), 'create table second_later (id int);')
const LATER = { folder: FOLDER }

async function open({ template = 'hulaki_template' } = {}) {
  const address = await testDatabaseAddress({ template })
  const db = new Db(address, { connections: 12 })
  after(() => db.close())
  return { address, db }
}

const refusal = (pattern: RegExp) => (error: unknown) => error instanceof SchemaError && pattern.test(error.message)

test('an empty database gets every migration, a migrated one none', async () => {
  const { db } = await open({ template: 'template0' })
  const applied = await migrate(db, NOW, LATER)
  assert.ok(applied >= 3)
  assert.equal(await migrate(db, NOW, LATER), 0)
  const [times] = await db.query<{ distinct: number }>(
    sql`select count(distinct applied_at) as distinct from schema_migration`,
  )
  assert.equal(times?.distinct, applied, 'each migration has its own time')
})

test('many processes may start at once: one migrates, the others find the work done', async () => {
  const { db } = await open({ template: 'template0' })
  const applied = await Promise.all(Array.from({ length: 10 }, () => migrate(db, NOW)))
  assert.equal(applied.filter((it) => it > 0).length, 1)
  const { db: golden } = await open()
  assert.equal(await describeSchema(db), await describeSchema(golden))
})

test('a migration that fails leaves nothing behind', async () => {
  const { address, db } = await open({ template: 'template0' })
  await query(address, 'create table template (id int)')
  await assert.rejects(migrate(db, NOW), refusal(/already has tables of another program/))
  const tables = await query(address, `select tablename from pg_tables where schemaname = 'public'`)
  assert.deepEqual(tables, [{ tablename: 'template' }])
})

test('rejects a newer schema', async () => {
  const { address, db } = await open()
  await query(address, `insert into schema_migration values (9999, '9999_later.sql', 'x', now())`)
  await assert.rejects(migrate(db, NOW), refusal(/version 9999, which is newer than this version/))
})

test('rejects a database that was created with another text of a migration', async () => {
  const { address, db } = await open()
  await query(address, `update schema_migration set checksum = 'other' where number = 100`)
  await assert.rejects(migrate(db, NOW), refusal(/another text of migration 0100_initial/))
})

test('reports a missing migration before applied ones as damage', async () => {
  const { address, db } = await open()
  await migrate(db, NOW, LATER)
  await query(address, 'delete from schema_migration where number = 9001')
  await assert.rejects(migrate(db, NOW, LATER), refusal(/damaged: migration 9001_first.sql is missing/))
})

test('reports a missing table of an applied migration as damage', async () => {
  const { address, db } = await open()
  await query(address, 'drop table delivery_queue')
  await assert.rejects(migrate(db, NOW), refusal(/damaged: its table delivery_queue is missing/))
})

test('reports damage before it applies a migration', async () => {
  const { address, db } = await open()
  await query(address, 'drop table delivery_queue')
  await assert.rejects(migrate(db, NOW, LATER), refusal(/damaged: its table delivery_queue is missing/))
  const later = await query(address, `select to_regclass('first_later') as name`)
  assert.deepEqual(later, [{ name: null }])
})

test('reports an empty table service as damage', async () => {
  const { address, db } = await open()
  await query(address, 'delete from service')
  await assert.rejects(migrate(db, NOW), refusal(/damaged: its table service is empty/))
})
