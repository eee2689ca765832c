// The plan of a migration fails for the databases on which a start fails, with the same sentence (D83).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Db } from '../../../src/store/database/db.ts'
import { migrate } from '../../../src/store/database/migrate.ts'
import { planMigrations, readServerFacts } from '../../../src/store/database/migration-plan.ts'
import { latestMigration, SchemaError } from '../../../src/store/database/migrations.ts'
import { testDatabaseAddress, useDatabase } from '../../harness/database.ts'
import { type Connection, query } from '../../harness/server.ts'

const NOW = new Date('2026-11-16T04:00:00.000Z')

async function open({ template = 'hulaki_template' } = {}): Promise<{ address: Connection; db: Db }> {
  const address = await testDatabaseAddress({ template })
  const db = new Db(address, { connections: 2 })
  useDatabase(address, () => db.close())
  return { address, db }
}

const saying = (pattern: RegExp) => (error: unknown) => error instanceof SchemaError && pattern.test(error.message)

test('plans nothing for a database of this version, and all tables for an empty one', async () => {
  const { db } = await open()
  const plan = await planMigrations(db)
  assert.deepEqual([plan.missing, plan.revision], [[], plan.latest])
  assert.equal(Number.parseInt(plan.latest, 10), latestMigration())
  const empty = await open({ template: 'template0' })
  assert.equal((await planMigrations(empty.db)).revision, null)
  await query(empty.address, 'create table of_somebody (id int)')
  assert.equal((await planMigrations(empty.db)).revision, null, 'tables with other names do not disturb')
  assert.ok((await migrate(empty.db, NOW)) > 0)
})

const unusable: [what: string, template: string, change: string, reason: RegExp][] = [
  ['a moved database', 'hulaki_template', 'create table moved_away ()', /^The database was moved to another server/],
  [
    'an unfinished copy',
    'hulaki_template',
    'create table unfinished_copy (source text not null, tables jsonb not null)',
    /^A restore or a move into this database has not finished; run the same command again/,
  ],
  [
    'tables of another program',
    'template0',
    'create table template (id int)',
    /^The database already has tables of another program \(.*template.*\); use a separate database\.$/,
  ],
  ['a lost table', 'hulaki_template', 'drop table webhook_attempt', /damaged: its table webhook_attempt is missing/],
  ['no service', 'hulaki_template', 'delete from service', /damaged: its table service is empty/],
]
for (const [what, template, change, reason] of unusable) {
  test(`${what}: the plan fails as the start does`, async () => {
    const { address, db } = await open({ template })
    await query(address, change)
    await assert.rejects(planMigrations(db), saying(reason))
    await assert.rejects(migrate(db, NOW), saying(reason))
  })
}

test('a table schema_migration of another program is one', async () => {
  const { address, db } = await open({ template: 'template0' })
  await query(address, 'create table schema_migration (version text)')
  for (const use of [planMigrations, (it: Db) => migrate(it, NOW)])
    await assert.rejects(use(db), saying(/another program \(schema_migration\); use a separate database/))
})

test('an empty database with another encoding than UTF8 is refused', async () => {
  const { address } = await open()
  const database = `${address.database}_ascii`
  await query(address, `create database ${database} encoding 'SQL_ASCII' locale 'C' template template0`)
  const db = new Db({ ...address, database }, { connections: 1 })
  try {
    for (const use of [planMigrations, (it: Db) => migrate(it, NOW)])
      await assert.rejects(use(db), saying(/^The database has the encoding SQL_ASCII; create it with UTF8/))
  } finally {
    await db.close()
    await query(address, `drop database ${database}`)
  }
})

test('says that the bundled server archives no log', async () => {
  const { db } = await open()
  const { isArchiving, archivedAt } = await readServerFacts(db)
  assert.deepEqual([isArchiving, archivedAt], [false, null])
})
