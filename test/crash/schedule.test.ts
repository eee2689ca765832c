// The schedule of the crash loop: a seed repeats its kills and its load.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  COMMIT_POINTS,
  keysOf,
  networkOutcomeOf,
  PEER_POINTS,
  planKills,
  planSend,
  ROUTES,
  routeOf,
  VICTIMS,
} from './schedule.ts'

const SEED = 20_261_118
const sends = (seed: number) => Array.from({ length: 1_000 }, (_, index) => planSend(seed, index + 1))

test('a seed repeats the same kills and requests, and another seed does not', () => {
  assert.deepEqual(planKills(SEED, 200), planKills(SEED, 200))
  assert.deepEqual(sends(SEED), sends(SEED))
  assert.notDeepEqual(planKills(SEED, 200), planKills(SEED + 1, 200))
  assert.notDeepEqual(
    sends(SEED).map((it) => it.to),
    sends(SEED + 1).map((it) => it.to),
  )
})

test('a shorter run has the first kills of a longer one', () => {
  assert.deepEqual(planKills(SEED, 20), planKills(SEED, 200).slice(0, 20))
})

test('200 kills have every victim and every named point', () => {
  const kills = planKills(SEED, 200)
  assert.deepEqual(new Set(kills.map((it) => it.victim)), new Set(VICTIMS))
  const points = new Set(kills.map((it) => it.point))
  for (const point of [...keysOf(PEER_POINTS), ...keysOf(COMMIT_POINTS)]) assert(points.has(point), point)
})

test('no number gets two messages, and the load has every carrier and outcome', () => {
  const numbers = sends(SEED).map((it) => it.to)
  assert.equal(new Set(numbers).size, numbers.length)
  assert.deepEqual(new Set(numbers.map(routeOf)), new Set(ROUTES))
  assert.deepEqual(new Set(numbers.map(networkOutcomeOf)), new Set(['delivered', 'undelivered', 'refused']))
})
