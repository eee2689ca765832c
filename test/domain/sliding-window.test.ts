import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SlidingWindow, secondsUntil, type WindowLimit } from '../../src/domain/sliding-window.ts'

const at = (ms: number) => new Date(1_800_000_000_000 + ms)

test('rounds a wait up to whole seconds, never below zero (D27)', () => {
  assert.equal(secondsUntil(at(1), at(0)), 1)
  assert.equal(secondsUntil(at(1000), at(0)), 1)
  assert.equal(secondsUntil(at(1001), at(0)), 2)
  assert.equal(secondsUntil(at(0), at(5000)), 0)
})

/** A window with all its entries, newest first. */
const wait = (limit: WindowLimit, times: Date[], now: Date) =>
  new SlidingWindow(limit, { skipped: 0, times }).waitSeconds(now)

test('reaches the limit if the window contains as many entries as allowed (§8.2)', () => {
  const limit = { scope: 's', most: 3, seconds: 600 }
  assert.equal(wait(limit, [at(0), at(0)], at(0)), 0)
  assert.equal(wait(limit, [at(0), at(0), at(0)], at(0)), 600)
  assert.equal(wait(limit, [at(300_000), at(200_000), at(100_000)], at(400_000)), 300)
  assert.equal(wait(limit, [at(300_000), at(200_000), at(100_000)], at(700_000)), 0)
})

test('never ends the wait for a limit of zero', () => {
  assert.equal(wait({ scope: 's', most: 0, seconds: 3600 }, [], at(0)), Number.POSITIVE_INFINITY)
})

test('never exceeds the limit if clients keep to the waits (property)', () => {
  const steps = fc.array(fc.integer({ min: 0, max: 40_000 }), { minLength: 1, maxLength: 60 })
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 60 }), (gaps, most, seconds) => {
      const limit = { scope: 's', most, seconds }
      const hits: Date[] = []
      let now = 0
      for (const gap of gaps) {
        now += gap
        const waits = wait(limit, hits, at(now))
        const inside = hits.filter((hit) => hit.getTime() > at(now - seconds * 1000).getTime()).length
        assert.equal(waits === 0, inside < most)
        if (waits > 0) {
          assert.equal(wait(limit, hits, at(now + waits * 1000)), 0)
          continue
        }
        hits.unshift(at(now))
      }
    }),
  )
})

test('decides a batch by as many entries as it has requests, as if all were loaded (D43, property)', () => {
  const inWindow = fc.array(fc.integer({ min: 0, max: 9_999 }), { maxLength: 40 })
  fc.assert(
    fc.property(inWindow, fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 20 }), (ages, most, requests) => {
      const limit = { scope: 's', most, seconds: 10 }
      const now = at(100_000)
      const inside = ages.toSorted((one, other) => one - other).map((age) => new Date(now.getTime() - age))
      const skipped = SlidingWindow.skippedBy(limit, requests)
      const times = inside.slice(skipped, most)
      assert.ok(times.length <= requests)
      const window = new SlidingWindow(limit, { skipped, times })
      for (let added = 0; added < requests; added++) {
        const all = [...Array<Date>(added).fill(now), ...inside]
        assert.equal(window.waitSeconds(now), wait(limit, all, now))
        window.add()
      }
    }),
  )
})
