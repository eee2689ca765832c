import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pace } from '../../src/delivery/pace.ts'

function atHand(contract: number | null) {
  let ms = 0
  const throttle = new Pace(contract, () => ms)
  const pass = (by: number) => {
    ms += by
  }
  /** Everything that may go, for so many seconds, looked at every 10 ms. */
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
  return { throttle, pass, run }
}

test('a contract is kept to, counted in segments, without bursts', () => {
  const { throttle, pass, run } = atHand(100)
  const sent = run(10)
  assert(sent >= 990 && sent <= 1_011, `${sent}`)
  pass(60_000)
  assert.equal(throttle.room, 10, 'an idle minute buys a tenth of a second')
})

test('a long message may overdraw; the next ones wait that off', () => {
  const { throttle, pass } = atHand(10)
  throttle.take(6)
  assert.equal(throttle.room, 0)
  assert.equal(throttle.waitMs, 600)
  pass(600)
  assert.equal(throttle.room, 1)
})

test('throttled: a second of silence, half the speed, five per cent more each second, up to the contract', () => {
  const { throttle, pass } = atHand(100)
  throttle.slowDown()
  throttle.slowDown()
  assert.equal(throttle.room, 0)
  pass(1_000)
  assert(throttle.room >= 1)
  assert.equal(Math.round(throttle.limit ?? 0), 50, 'two answers at once are one complaint')
  pass(1_000)
  assert.equal(Math.round((throttle.limit ?? 0) * 10), 525)
  pass(60_000)
  assert.equal(throttle.limit, 100)
})

test('without a contract it is unlimited, until throttled, and again after a quiet minute', () => {
  const { throttle, pass } = atHand(null)
  assert.equal(throttle.room, Number.POSITIVE_INFINITY)
  throttle.take(400)
  throttle.slowDown()
  assert.equal(throttle.limit, 200)
  pass(61_000)
  assert.equal(throttle.room, Number.POSITIVE_INFINITY)
})
