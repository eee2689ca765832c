import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FullInboxes } from '../../../src/domain/messages/full-inboxes.ts'

function inboxes() {
  const it = new FullInboxes()
  let last = 0
  /** How often the account was said to be full. */
  const hear = (count: number, isFull: boolean, to = () => `+97798${++last}`) =>
    Array.from({ length: count }, () => it.add(to(), isFull)).filter(Boolean).length
  return { hear }
}

test('thirty full inboxes in a row are thirty subscribers, also where they are the first', () => {
  const { hear } = inboxes()
  assert.equal(hear(30, true), 0)
  hear(100, false)
  assert.equal(hear(30, true), 0)
})

test('the same thirty, tried again and again, are still thirty', () => {
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

test('one number that is full for good is one, however often it is tried', () => {
  const { hear } = inboxes()
  assert.equal(
    hear(1_000, true, () => '+9779841000001'),
    0,
  )
})

test('more than half of the numbers of late are the account, and once it was said it begins anew', () => {
  const { hear } = inboxes()
  hear(100, false)
  assert.equal(hear(50, true), 0)
  assert.equal(hear(1, true), 1)
  assert.equal(hear(39, true), 0)
  assert.equal(hear(1, true), 1, 'forty, and nobody else')
})
