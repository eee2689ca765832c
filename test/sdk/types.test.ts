// The types of the SDK match the OpenAPI document of the service.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { generateSdkTypes } from '../harness/described-calls.ts'
import { apiDocument } from '../harness/mounted-routes.ts'

test('has the types of the v1 API; otherwise run npm run generate -- types', async () => {
  const written = readFileSync(join(import.meta.dirname, '..', '..', 'sdk', 'src', 'types.ts'), 'utf8')
  assert.equal(written, generateSdkTypes(await apiDocument()))
})
