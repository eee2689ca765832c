import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FullInboxes } from '../../../src/domain/messages/full-inboxes.ts'

function inboxes() {
  const it = new FullInboxes()
  let last = 0
  /** How often the account was reported as full. */
  const add = (count: number, isFull: boolean, to = () => `+97798${++last}`) =>
    Array.from({ length: count }, () => it.add(to(), isFull)).filter(Boolean).length
  return { add }
}

test('treats thirty full inboxes in a row as thirty subscribers, also at the start', () => {
  const { add } = inboxes()
  assert.equal(add(30, true), 0)
  add(100, false)
  assert.equal(add(30, true), 0)
})

test('treats the same thirty numbers as thirty after many retries', () => {
  const { add } = inboxes()
  add(1_000, false)
  for (let round = 0; round < 10; round++) {
    let number = 0
    assert.equal(
      add(30, true, () => `+97797${number++}`),
      0,
      `round ${round}`,
    )
    add(40, false)
  }
})

test('counts one permanently full number once, however often it is tried', () => {
  const { add } = inboxes()
  assert.equal(
    add(1_000, true, () => '+9779841000001'),
    0,
  )
})

test('reports a full account if more than half of the recent numbers are full, and then starts over', () => {
  const { add } = inboxes()
  add(100, false)
  assert.equal(add(50, true), 0)
  assert.equal(add(1, true), 1)
  assert.equal(add(39, true), 0)
  assert.equal(add(1, true), 1, 'only the forty')
})
