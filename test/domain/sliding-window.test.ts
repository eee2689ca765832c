import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { secondsUntil, waitSeconds } from '../../src/domain/sliding-window.ts'

const at = (ms: number) => new Date(1_800_000_000_000 + ms)

test('D27: a wait is whole seconds, rounded up, and never negative', () => {
  assert.equal(secondsUntil(at(1), at(0)), 1)
  assert.equal(secondsUntil(at(1000), at(0)), 1)
  assert.equal(secondsUntil(at(1001), at(0)), 2)
  assert.equal(secondsUntil(at(0), at(5000)), 0)
})

test('§8.2: the limit is reached when as many hits as it allows lie inside the window', () => {
  const limit = { scope: 's', most: 3, seconds: 600 }
  assert.equal(waitSeconds(limit, [at(0), at(0)], at(0)), 0)
  assert.equal(waitSeconds(limit, [at(0), at(0), at(0)], at(0)), 600)
  assert.equal(waitSeconds(limit, [at(300_000), at(200_000), at(100_000)], at(400_000)), 300)
  assert.equal(waitSeconds(limit, [at(300_000), at(200_000), at(100_000)], at(700_000)), 0)
})

test('a limit of none always waits', () => {
  assert.equal(waitSeconds({ scope: 's', most: 0, seconds: 3600 }, [], at(0)), 3600)
})

test('whoever keeps to the waits never has more hits in a window than the limit allows', () => {
  const steps = fc.array(fc.integer({ min: 0, max: 40_000 }), { minLength: 1, maxLength: 60 })
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 60 }), (gaps, most, seconds) => {
      const hits: Date[] = []
      let now = 0
      for (const gap of gaps) {
        now += gap
        const wait = waitSeconds({ scope: 's', most, seconds }, hits, at(now))
        const inside = hits.filter((hit) => hit.getTime() > at(now - seconds * 1000).getTime()).length
        assert.equal(wait === 0, inside < most)
        if (wait > 0) {
          assert.equal(waitSeconds({ scope: 's', most, seconds }, hits, at(now + wait * 1000)), 0)
          continue
        }
        hits.unshift(at(now))
      }
    }),
  )
})
