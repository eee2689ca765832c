// The operations manual describes every column of an archive.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ARCHIVED_TABLES, listArchiveColumns } from '../../src/store/service/archive.ts'

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'operations', 'monitoring.md'), 'utf8')
const [, section = ''] = page.split('## Archive old months')

for (const table of ARCHIVED_TABLES)
  test(`every column of ${table} is described`, () => {
    const start = section.indexOf(`| \`${table}\` |`)
    const end = section.slice(start + 1).search(/^\| `/m)
    const [row = '', ...more] = section.slice(start, end < 0 ? undefined : start + 1 + end).split('\n')
    // A column of JSON has a row of its own, and its fields may have the names of other columns.
    const ofJson = more.map((it) => /^\| \| `(\w+)`/.exec(it)?.[1])
    assert.deepEqual(
      listArchiveColumns(table).filter((name) => !row.includes(`\`${name}\``) && !ofJson.includes(name)),
      [],
    )
  })
