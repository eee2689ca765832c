// Migrations: once each, by one of many, and never over a schema that is not understood.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { after, test } from 'node:test'
import { Db } from '../../src/store/db.ts'
import { migrate, SchemaFault } from '../../src/store/migrate.ts'
import { testDatabaseAddress } from '../harness/database.ts'
import { describeSchema } from '../harness/describe-schema.ts'
import { query } from '../harness/server.ts'

const NOW = new Date('2026-11-16T04:00:00.000Z')
const ALL = readdirSync(new URL('../../src/store/migrations', import.meta.url)).length

async function open({ template = 'hulaki_template' } = {}) {
  const address = await testDatabaseAddress({ template })
  const db = new Db(address, { connections: 12 })
  after(() => db.close())
  return { address, db }
}

const refusal = (pattern: RegExp) => (fault: unknown) => fault instanceof SchemaFault && pattern.test(fault.message)

test('an empty database gets every migration, a migrated one none', async () => {
  const { db } = await open({ template: 'template0' })
  assert.equal(await migrate(db, NOW), ALL)
  assert.equal(await migrate(db, NOW), 0)
})

test('many may start at once: one migrates, the others find the work done', async () => {
  const { db } = await open({ template: 'template0' })
  const applied = await Promise.all(Array.from({ length: 10 }, () => migrate(db, NOW)))
  assert.deepEqual(
    applied.toSorted((one, other) => one - other),
    [...Array(9).fill(0), ALL],
  )
  const { db: golden } = await open()
  assert.equal(await describeSchema(db), await describeSchema(golden))
})

test('a migration that fails leaves nothing behind', async () => {
  const { address, db } = await open({ template: 'template0' })
  await query(address, 'create table template (id int)')
  await assert.rejects(migrate(db, NOW), refusal(/already holds/))
  const tables = await query(address, `select tablename from pg_tables where schemaname = 'public'`)
  assert.deepEqual(tables, [{ tablename: 'template' }])
})

test('a newer schema is refused', async () => {
  const { address, db } = await open()
  await query(address, `insert into schema_migration values (9999, '9999_later.sql', 'x', now())`)
  await assert.rejects(migrate(db, NOW), refusal(/version 9999, newer than this Hulaki/))
})

test('a migration that was changed after it was applied is refused', async () => {
  const { address, db } = await open()
  await query(address, `update schema_migration set checksum = 'other' where number = 1`)
  await assert.rejects(migrate(db, NOW), refusal(/another form of migration 0001/))
})

test('a hole among the migrations is damage', async () => {
  const { address, db } = await open()
  await query(address, 'delete from schema_migration where number = 2')
  await assert.rejects(migrate(db, NOW), refusal(/damaged: migration 0002.* is missing/))
})

test('a table that is gone although its migration was applied is damage', async () => {
  const { address, db } = await open()
  await query(address, 'drop table delivery_queue')
  await assert.rejects(migrate(db, NOW), refusal(/damaged: its table delivery_queue is missing/))
})

test('the row about the service that is gone is damage', async () => {
  const { address, db } = await open()
  await query(address, 'delete from service')
  await assert.rejects(migrate(db, NOW), refusal(/damaged: its table service is empty/))
})
