// Released migrations never change: a database that was created with one rejects another text at the next start.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const FOLDER = new URL('../../../src/store/database/migrations/', import.meta.url)

/** SHA-256 by file. A release adds its new migrations. */
const RELEASED: Record<string, string> = {
  '0100_initial.sql': 'd4cfd1953b15c3652ae1e8f12543037b8c26cc8ae40bfca951ca9341b2a059b6',
}

test('a released migration does not change', () => {
  const files = readdirSync(FOLDER)
  for (const [file, released] of Object.entries(RELEASED)) {
    const say = `${file} was released: undo the change, and write a new migration`
    assert.ok(files.includes(file), say)
    const text = readFileSync(new URL(file, FOLDER), 'utf8').replaceAll('\r\n', '\n')
    assert.equal(createHash('sha256').update(text).digest('hex'), released, say)
  }
})

test('a new migration has a higher number than released ones', () => {
  const released = Object.keys(RELEASED).sort()
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.sql'))
  assert.deepEqual(files.sort().slice(0, released.length), released, 'give the new migration a higher number')
})
