// The tables of the manuals match the OpenAPI document.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { REFERENCE_PAGES, replaceTables } from '../harness/described-reference.ts'
import { managementDocument } from '../harness/mounted-routes.ts'

const document = await managementDocument()

for (const file of Object.values(REFERENCE_PAGES)) {
  test(`the tables of ${file} are up to date; otherwise run npm run generate -- types`, () => {
    const manual = readFileSync(file, 'utf8')
    assert.equal(manual, replaceTables(manual, document))
  })
}

test('has a table of calls for every tag in the reference', () => {
  const manual = readFileSync(REFERENCE_PAGES.reference, 'utf8')
  const shown = Array.from(manual.matchAll(/<!-- calls: (.+) -->/g), ([, tag]) => tag)
  assert.deepEqual(shown.toSorted(), document.tags.map(({ name }) => name).toSorted())
})
