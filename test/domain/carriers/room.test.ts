import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Room } from '../../../src/domain/carriers/room.ts'

const long = { submissions: 3, segments: 3 }
const short = { submissions: 1, segments: 1 }
const unlimited = Number.POSITIVE_INFINITY

test('reserves a fifth of the windows for OTPs (D16)', () => {
  const room = new Room({ places: 10, free: 10, tokens: unlimited })
  assert.equal(room.availableFor('transactional'), 8)
  for (const load of [long, long, short, short]) assert(room.take('transactional', load))
  assert.equal(room.availableFor('otp'), 2)
  assert.equal(room.availableFor('promotional'), 0)
})

test('lets no shorter message overtake one that does not fit', () => {
  const room = new Room({ places: 10, free: 4, tokens: unlimited })
  assert(!room.take('transactional', long))
  assert(!room.take('transactional', short))
})

test('accepts a long message into empty windows that are too small for it', () => {
  assert(!new Room({ places: 2, free: 1, tokens: unlimited }).take('otp', long))
  const room = new Room({ places: 2, free: 2, tokens: unlimited })
  assert(room.take('transactional', long))
  assert.equal(room.availableFor('otp'), 0)
})

test('lets the first message exceed the rate, and delays the next ones', () => {
  const room = new Room({ places: 10, free: 9, tokens: 1 })
  assert(room.take('transactional', long))
  assert(!room.take('transactional', short))
})
