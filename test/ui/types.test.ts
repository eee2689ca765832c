// The console compiles against types that are generated from the OpenAPI document of the service; this test finds stale types.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { generateCallTypes } from '../harness/described-calls.ts'
import { managementDocument } from '../harness/mounted-routes.ts'

test('the console has the types of the management API; if not: npm run generate -- types', async () => {
  const written = readFileSync(join(import.meta.dirname, '..', '..', 'ui', 'api', 'calls.ts'), 'utf8')
  assert.equal(written, generateCallTypes(await managementDocument()))
})
