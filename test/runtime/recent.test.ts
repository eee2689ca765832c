// The map of recent entries is bounded in number and time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecentMap } from '../../src/runtime/recent.ts'

test('keeps only the latest entries; setting an entry again makes it the latest', () => {
  const recent = new RecentMap<number>({ most: 3 })
  for (let seen = 0; seen < 1000; seen++) {
    recent.set(`key ${seen}`, seen)
    recent.set('again', seen)
  }
  assert.deepEqual(
    ['again', 'key 999', 'key 998', 'key 997'].map((key) => recent.get(key)),
    [999, 999, 998, undefined],
  )
})

test('an expired entry is not returned', () => {
  const recent = new RecentMap<boolean>({ most: 3, forMs: 0 })
  recent.set('key', true)
  assert.equal(recent.get('key'), undefined)
})
