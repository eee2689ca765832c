import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FullInboxes } from '../../../src/domain/messages/full-inboxes.ts'

function inboxes() {
  const it = new FullInboxes()
  let last = 0
  /** How often the account was reported as full. */
  const hear = (count: number, isFull: boolean, to = () => `+97798${++last}`) =>
    Array.from({ length: count }, () => it.add(to(), isFull)).filter(Boolean).length
  return { hear }
}

test('treats thirty full inboxes in a row as thirty subscribers, also at the start', () => {
  const { hear } = inboxes()
  assert.equal(hear(30, true), 0)
  hear(100, false)
  assert.equal(hear(30, true), 0)
})

test('treats the same thirty numbers as thirty after many retries', () => {
  const { hear } = inboxes()
  hear(1_000, false)
  for (let round = 0; round < 10; round++) {
    let number = 0
    assert.equal(
      hear(30, true, () => `+97797${number++}`),
      0,
      `round ${round}`,
    )
    hear(40, false)
  }
})

test('counts one permanently full number once, however often it is tried', () => {
  const { hear } = inboxes()
  assert.equal(
    hear(1_000, true, () => '+9779841000001'),
    0,
  )
})

test('reports a full account if more than half of the recent numbers are full, and then starts over', () => {
  const { hear } = inboxes()
  hear(100, false)
  assert.equal(hear(50, true), 0)
  assert.equal(hear(1, true), 1)
  assert.equal(hear(39, true), 0)
  assert.equal(hear(1, true), 1, 'forty, and nobody else')
})
