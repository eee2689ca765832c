import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  COUNT_DAYS_KEPT_SECONDS,
  countBySteps,
  hasDays,
  QUARTERS_KEPT_SECONDS,
  quarterOf,
  stepsOf,
  sumByDay,
} from '../../src/domain/message-counts.ts'
import { TIME_RANGES } from '../../src/domain/time-ranges.ts'

const startsOf = (steps: { startsAt: Date }[]) => steps.map(({ startsAt }) => startsAt.toISOString())
const counts = { accepted: 10, delivered: 4, undelivered: 2, failed: 1 }

test('uses the hours, quarters and days of the workspace: in Nepal they begin a quarter past those of UTC', () => {
  const now = new Date('2026-11-16T04:20:00Z')
  const last = (range: (typeof TIME_RANGES)[number], zone: string) => stepsOf(range, now, zone).at(-1)
  const step = (startsAt: string, endsAt: string) => ({ startsAt: new Date(startsAt), endsAt: new Date(endsAt) })
  assert.deepEqual(last('24h', 'Asia/Kathmandu'), step('2026-11-16T04:15Z', '2026-11-16T05:15Z'))
  assert.deepEqual(last('24h', 'UTC'), step('2026-11-16T04:00Z', '2026-11-16T05:00Z'))
  assert.deepEqual(last('1h', 'Asia/Kathmandu'), step('2026-11-16T04:15Z', '2026-11-16T04:30Z'))
  assert.deepEqual(last('7d', 'Asia/Kathmandu'), step('2026-11-16T00:15Z', '2026-11-16T06:15Z'))
  assert.deepEqual(last('90d', 'Asia/Kathmandu'), step('2026-11-15T18:15Z', '2026-11-16T18:15Z'))
  assert.deepEqual(
    TIME_RANGES.map((range) => stepsOf(range, now, 'UTC').length),
    [4, 24, 24, 28, 30, 90],
  )
})

test('assigns every instant to one step when clocks change', () => {
  for (const [zone, at] of [
    ['Europe/Berlin', '2026-10-25T05:00:00Z'],
    ['Europe/Berlin', '2026-03-29T05:00:00Z'],
    ['Australia/Lord_Howe', '2026-04-04T20:00:00Z'],
    ['America/Santiago', '2026-09-06T12:00:00Z'],
  ] as const)
    for (const range of TIME_RANGES) {
      const steps = stepsOf(range, new Date(at), zone)
      const lengths = steps.map(({ startsAt, endsAt }) => endsAt.getTime() - startsAt.getTime())
      assert.ok(
        lengths.every((it) => it > 0 && it <= 25 * 3_600_000 && it % (15 * 60_000) === 0),
        `${zone} ${range}: ${lengths}`,
      )
      assert.deepEqual(
        steps.slice(1).map(({ startsAt }) => startsAt),
        steps.slice(0, -1).map(({ endsAt }) => endsAt),
      )
    }
})

test('counts accepted, unfinished messages as in progress, and includes steps without messages', () => {
  const steps = stepsOf('24h', new Date('2026-11-16T04:20:00Z'), 'Asia/Kathmandu').slice(-3)
  const quarters = ['2026-11-16T01:45:00Z', '2026-11-16T02:15:00Z', '2026-11-16T03:00:00Z'].map((quarter) => ({
    quarter: quarterOf(new Date(quarter)),
    ...counts,
  }))
  const none = { delivered: 0, underWay: 0, undelivered: 0, failed: 0 }
  assert.deepEqual(
    countBySteps(steps, { quarters, days: [], timeZone: 'Asia/Kathmandu' }).map(
      ({ startsAt: _, endsAt: __, ...rest }) => rest,
    ),
    [{ delivered: 8, underWay: 6, undelivered: 4, failed: 2 }, none, none],
  )
})

test('counts a day that is moved in part only once, on both sides of UTC', () => {
  for (const [timeZone, quarter] of [
    ['Asia/Kathmandu', '2026-11-10T18:15:00Z'],
    ['America/New_York', '2026-11-12T04:45:00Z'],
  ] as const) {
    const moved = { workspaceId: 'w', timeZone, quarter: new Date(quarter), ...counts }
    const days = sumByDay([moved, moved])
    assert.deepEqual(days, [
      { workspaceId: 'w', day: '2026-11-11', accepted: 20, delivered: 8, undelivered: 4, failed: 2 },
    ])
    const steps = stepsOf('30d', new Date('2026-11-16T04:20:00Z'), timeZone)
    const items = countBySteps(steps, { quarters: [moved], days, timeZone })
    const filled = items.filter(({ delivered }) => delivered > 0)
    assert.deepEqual(
      filled.map(({ delivered, underWay }) => [delivered, underWay]),
      [[12, 9]],
    )
    const [{ startsAt, endsAt } = { startsAt: new Date(0), endsAt: new Date(0) }] = filled
    assert.ok(startsAt <= moved.quarter && moved.quarter < endsAt)
  }
})

test('sums by workspace and day, in the order in which rows are locked', () => {
  const at = (workspaceId: string, quarter: string) => ({
    ...{ workspaceId, timeZone: 'UTC', quarter: new Date(quarter) },
    ...counts,
  })
  const days = sumByDay([at('b', '2026-11-11T00:00Z'), at('a', '2026-11-12T00:00Z'), at('a', '2026-11-11T23:45Z')])
  assert.deepEqual(
    days.map(({ workspaceId, day }) => `${workspaceId} ${day}`),
    ['a 2026-11-11', 'a 2026-11-12', 'b 2026-11-11'],
  )
})

test('keeps quarter hours and days at least as long as a range shows them (D76)', () => {
  const now = new Date('2026-11-16T23:59:00Z')
  for (const range of TIME_RANGES) {
    const [first] = startsOf(stepsOf(range, now, 'Asia/Kathmandu'))
    const kept = hasDays(range) ? COUNT_DAYS_KEPT_SECONDS : QUARTERS_KEPT_SECONDS
    // A day is kept by its date, which can be a day behind.
    assert.ok(Date.parse(first ?? '') - 86_400_000 >= now.getTime() - kept * 1000, range)
  }
})

test('names a quarter of an hour by its first instant', () => {
  assert.equal(quarterOf(new Date('2026-11-16T04:29:59.999Z')).toISOString(), '2026-11-16T04:15:00.000Z')
  assert.equal(quarterOf(new Date('2026-11-16T04:30:00Z')).toISOString(), '2026-11-16T04:30:00.000Z')
})
