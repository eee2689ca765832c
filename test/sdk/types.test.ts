// The client package compiles against what the service says of itself: a stale description is found here.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { bodiesOf } from '../harness/described-calls.ts'
import { apiDocument } from '../harness/mounted-routes.ts'

test('the types of the client are those of the v1 API; if not: npm run generate -- types', async () => {
  const written = readFileSync(join(import.meta.dirname, '..', '..', 'sdk', 'src', 'types.ts'), 'utf8')
  assert.equal(written, bodiesOf(await apiDocument()))
})
