// What was seen lately: bounded in number and in time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecentMap } from '../../src/runtime/recent.ts'

test('only the latest are remembered, however many there were; who is seen again is among them', () => {
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

test('what had its time is forgotten', () => {
  const recent = new RecentMap<boolean>({ most: 3, forMs: 0 })
  recent.set('key', true)
  assert.equal(recent.get('key'), undefined)
})
