// Rolling upgrades: the previous release can run beside every migration after it, unless the changelog says to stop it.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { listReleasedMigrations } from '../../start/previous-release.ts'

const released = listReleasedMigrations()
const skip = released === null && 'the history does not contain the previous release'

test('every migration after the previous release ends in _online, or the changelog names the stop it needs', {
  skip,
}, () => {
  const files = readdirSync(new URL('../../../src/store/database/migrations/', import.meta.url))
  const added = files.filter((file) => file.endsWith('.sql') && !released?.includes(file))
  const changelog = readFileSync('CHANGELOG.md', 'utf8')
  for (const file of added) {
    const isNamed = new RegExp(`[Ss]top [^.]*\`${RegExp.escape(file)}\``).test(changelog)
    assert.ok(
      file.endsWith('_online.sql') || isNamed,
      `${file}: end its name in _online, or name the stop in CHANGELOG.md`,
    )
  }
})
