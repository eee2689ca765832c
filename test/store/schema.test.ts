// The golden schema: what the migrations build, read back from the database. `npm run schema` writes it anew.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { testDatabase } from '../harness/database.ts'
import { describeSchema } from '../harness/describe-schema.ts'

test('the migrations build exactly the schema that schema.sql shows', async () => {
  const db = await testDatabase()
  const golden = readFileSync(new URL('../../src/store/schema.sql', import.meta.url), 'utf8')
  assert.equal(await describeSchema(db), golden, 'run `npm run schema` and look at the difference')
})
