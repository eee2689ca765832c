import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pace } from '../../src/delivery/worker/pace.ts'

function atHand(contract: number | null) {
  let ms = 0
  const throttle = new Pace(contract, () => ms)
  const pass = (by: number) => {
    ms += by
  }
  /** Sends everything that is allowed, checked every 10 ms. */
  const run = (seconds: number) => {
    let sent = 0
    for (let step = 0; step < seconds * 100; step++) {
      pass(10)
      const room = Math.min(throttle.room, 1_000)
      throttle.take(room)
      sent += room
    }
    return sent
  }
  return { throttle, pass, run, now: () => ms }
}

test('keeps the contract in segments, without bursts', () => {
  const { throttle, pass, run } = atHand(100)
  const sent = run(10)
  assert(sent >= 990 && sent <= 1_011, `${sent}`)
  pass(60_000)
  assert.equal(throttle.room, 10, 'an idle minute saves a tenth of a second')
})

test('a long message may overdraw; later messages wait', () => {
  const { throttle, pass } = atHand(10)
  throttle.take(6)
  assert.equal(throttle.room, 0)
  assert.equal(throttle.waitMs, 600)
  pass(600)
  assert.equal(throttle.room, 1)
})

test('throttling pauses for a second, halves the rate, then adds five per cent per second', () => {
  const { throttle, pass, run, now } = atHand(100)
  run(3)
  throttle.slowDown(now())
  throttle.slowDown(now())
  assert.equal(throttle.room, 0)
  pass(1_000)
  assert(throttle.room >= 1)
  assert.equal(Math.round(throttle.limit ?? 0), 50, 'two simultaneous responses count once')
  pass(1_000)
  assert.equal(Math.round((throttle.limit ?? 0) * 10), 525)
  pass(60_000)
  assert.equal(throttle.limit, 100)
})

test('throttling of submissions before the last slowdown counts once, however late', () => {
  const { throttle, pass, run, now } = atHand(100)
  run(3)
  const wentAt = now()
  pass(100)
  throttle.slowDown(wentAt)
  pass(5_000)
  const { limit } = throttle
  throttle.slowDown(wentAt + 50)
  assert.equal(throttle.limit, limit)
  assert(throttle.room > 0)
})

test('slows down from the real rate, never below a tenth of it', () => {
  const { throttle, pass, run, now } = atHand(1_000)
  throttle.take(1)
  throttle.slowDown(now())
  assert.equal(throttle.limit, 100)
  for (let count = 0; count < 20; count++) {
    pass(1_001)
    throttle.take(5)
    pass(1)
    throttle.slowDown(now())
  }
  assert.equal(Math.round(throttle.limit ?? 0), 100)
  pass(1_000)
  assert(run(1) >= 99)
})

test('a small contract is never slowed below itself', () => {
  const { throttle, now } = atHand(4)
  throttle.take(1)
  throttle.slowDown(now())
  assert.equal(throttle.limit, 4)
})

test('without a contract the rate is unlimited until throttled, and again after a quiet minute', () => {
  const { throttle, pass, now } = atHand(null)
  assert.equal(throttle.room, Number.POSITIVE_INFINITY)
  throttle.take(400)
  throttle.slowDown(now())
  assert.equal(throttle.limit, 200)
  pass(61_000)
  assert.equal(throttle.room, Number.POSITIVE_INFINITY)
})

test('a throttled burst continues after a second with ten per second', () => {
  const { throttle, pass, run, now } = atHand(null)
  throttle.take(1)
  throttle.slowDown(now())
  // Claimed before the slowdown.
  throttle.take(500)
  assert.equal(throttle.waitMs, 1_000)
  pass(1_000)
  assert(throttle.room > 0, `${throttle.waitMs} ms more`)
  const sent = run(5)
  assert(sent >= 45, `${sent}`)
})
