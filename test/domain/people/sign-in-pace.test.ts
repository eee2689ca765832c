// How long to wait after wrong attempts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { secondsToWait, type WrongAttempts } from '../../../src/domain/people/sign-in-pace.ts'

const NOW = new Date('2026-11-16T04:00:00.000Z')
const wrong = (times: number, secondsAgo = 0): WrongAttempts => ({
  times,
  lastAt: new Date(NOW.getTime() - secondsAgo * 1000),
})

test('allows five wrong attempts from one place and twenty for a person, then doubles the wait up to a minute', () => {
  const fromOnePlace = [1, 4, 5, 6, 7, 10, 11, 1000].map((times) =>
    secondsToWait({ place: wrong(times), person: null }, NOW),
  )
  assert.deepEqual(fromOnePlace, [0, 0, 1, 2, 4, 32, 60, 60])
  const forOnePerson = [19, 20, 22, 5000].map((times) => secondsToWait({ place: wrong(1), person: wrong(times) }, NOW))
  assert.deepEqual(forOnePerson, [0, 1, 4, 60])
})

test('does not delay a place without wrong attempts, and allows any place a minute after its last one', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), fc.nat(3600), (place, person, secondsAgo) => {
      assert.equal(secondsToWait({ place: null, person: wrong(person + 1) }, NOW), 0)
      const wait = secondsToWait({ place: wrong(place + 1, secondsAgo), person: wrong(person + 1) }, NOW)
      assert.ok(wait >= 0 && wait <= Math.max(0, 60 - secondsAgo))
    }),
  )
})
