// Plans of prepared statements: they follow the growth of a table that nothing analyzes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Db } from '../../../src/store/database/db.ts'
import { sql } from '../../../src/store/database/sql.ts'
import { testDatabaseAddress, useDatabase } from '../../harness/database.ts'

/** PostgreSQL plans a statement five times with its values before it compares these plans with one for all values. */
const EXECUTIONS = 8

const address = await testDatabaseAddress()

/** Its plan was made while the table had three rows. Returns how many rows it scans when the table has 20 003. */
async function scannedAfterGrowth(queries: Db): Promise<number> {
  await queries.query(sql`drop table if exists thing`)
  await queries.query(sql`create table thing (id int primary key, size int) with (autovacuum_enabled = false)`)
  await queries.query(sql`insert into thing select id, 1 from generate_series(1, 3) id`)
  await queries.query(sql`analyze thing`)
  const read = () => queries.query(sql`select size from thing where id = any(${[1, 2]}::int[])`)
  for (let n = 0; n < EXECUTIONS; n += 1) await read()
  await queries.query(sql`insert into thing select id, 1 from generate_series(4, 20003) id`)
  const before = await scanned(queries)
  assert.equal((await read()).length, 2)
  return (await scanned(queries)) - before
}

/** The rows read by scans of the table so far. */
async function scanned(queries: Db): Promise<number> {
  await queries.query(sql`select pg_stat_force_next_flush()`)
  const [row] = await queries.query<{ rows: number }>(sql`
    select seq_tup_read as rows from pg_stat_user_tables where relname = 'thing'`)
  return row?.rows ?? Number.NaN
}

test('a plan made for a few rows is not used for long', async () => {
  assert.equal(await scannedAfterGrowth(open(60_000)), 20_003, 'the plan is still in use')
  assert.equal(await scannedAfterGrowth(open(1)), 0)
})

function open(plansMs: number): Db {
  const db = new Db(address, { connections: 1, plansMs })
  useDatabase(address, () => db.close())
  return db
}
