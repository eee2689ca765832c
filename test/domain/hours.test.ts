import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byHour, hoursUntil, quarterOf } from '../../src/domain/hours.ts'

const iso = (dates: Date[]) => dates.map((it) => it.toISOString())

test('uses the hours of the workspace: in Nepal they begin a quarter past those of UTC', () => {
  const now = new Date('2026-11-16T04:20:00Z')
  assert.deepEqual(iso(hoursUntil(now, 3, 'Asia/Kathmandu')), [
    '2026-11-16T02:15:00.000Z',
    '2026-11-16T03:15:00.000Z',
    '2026-11-16T04:15:00.000Z',
  ])
  assert.deepEqual(iso(hoursUntil(now, 2, 'UTC')), ['2026-11-16T03:00:00.000Z', '2026-11-16T04:00:00.000Z'])
})

test('assigns every instant to one hour when clocks change', () => {
  for (const [zone, at] of [
    ['Europe/Berlin', '2026-10-25T05:00:00Z'],
    ['Europe/Berlin', '2026-03-29T05:00:00Z'],
    ['Australia/Lord_Howe', '2026-04-04T20:00:00Z'],
  ] as const) {
    const hours = hoursUntil(new Date(at), 24, zone)
    assert.equal(hours.length, 24)
    const lengths = hours.slice(1).map((it, index) => it.getTime() - (hours[index] as Date).getTime())
    assert.ok(
      lengths.every((it) => it > 0 && it <= 90 * 60_000 && it % (15 * 60_000) === 0),
      `${zone}: ${lengths}`,
    )
  }
})

test('counts accepted, unfinished messages as in progress, and includes hours without messages', () => {
  const hours = hoursUntil(new Date('2026-11-16T04:20:00Z'), 3, 'Asia/Kathmandu')
  const counts = { accepted: 10, delivered: 4, undelivered: 2, failed: 1 }
  const quarters = ['2026-11-16T01:45:00Z', '2026-11-16T02:15:00Z', '2026-11-16T03:00:00Z'].map((quarter) => ({
    quarter: quarterOf(new Date(quarter)),
    ...counts,
  }))
  const none = { delivered: 0, underWay: 0, undelivered: 0, failed: 0 }
  assert.deepEqual(
    byHour(hours, quarters).map(({ startsAt: _, ...rest }) => rest),
    [{ delivered: 8, underWay: 6, undelivered: 4, failed: 2 }, none, none],
  )
})

test('names a quarter of an hour by its first instant', () => {
  assert.equal(quarterOf(new Date('2026-11-16T04:29:59.999Z')).toISOString(), '2026-11-16T04:15:00.000Z')
  assert.equal(quarterOf(new Date('2026-11-16T04:30:00Z')).toISOString(), '2026-11-16T04:30:00.000Z')
})
