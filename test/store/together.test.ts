// Statements that travel together: each for itself, and a fault costs nobody who comes after it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Queries } from '../../src/store/db.ts'
import { sql } from '../../src/store/sql.ts'
import { testDatabase } from '../harness/database.ts'

const db = await testDatabase({ connections: 1 })
const two = () => db.together((queries) => Promise.all([queries.query(sql`select 1`), queries.query(sql`select 2`)]))
const slow = (queries: Queries) => queries.query(sql`select pg_sleep(60)::text`)

test('a connection that the server ends fails those on it, and not the next', async () => {
  const server = db.beside({ connections: 1 })
  const [backend] = await db.query<{ pid: number }>(sql`select pg_backend_pid() as pid`)
  const asleep = db.together((queries) => Promise.all([slow(queries), queries.query(sql`select 2`)]))
  const failed = assert.rejects(asleep, /terminating connection|Connection terminated/)
  await server.query(sql`select pg_terminate_backend(${backend?.pid ?? 0}::int)`)
  await server.close()
  await failed
  assert.equal((await two()).length, 2)
})

test('a statement that fails leaves none of its company to the next', async () => {
  const failing = db.together((queries) => Promise.all([queries.query(sql`select 1 / 0`), slow(queries)]))
  await assert.rejects(failing, /division by zero/)
  assert.equal((await two()).length, 2)
})
