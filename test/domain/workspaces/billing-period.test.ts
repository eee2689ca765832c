// Months and days in a workspace's time zone (D9, D27).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { dayOf, daysBetween, isTimeZone, parseMonth, periodOf } from '../../../src/domain/workspaces/billing-period.ts'

const months: [at: string, timeZone: string, period: string, startsAt: string, endsAt: string][] = [
  ['2026-07-15T12:00Z', 'Asia/Kathmandu', '2026-07-01', '2026-06-30T18:15Z', '2026-07-31T18:15Z'],
  ['2026-07-31T18:14:59.999Z', 'Asia/Kathmandu', '2026-07-01', '2026-06-30T18:15Z', '2026-07-31T18:15Z'],
  ['2026-07-31T18:15Z', 'Asia/Kathmandu', '2026-08-01', '2026-07-31T18:15Z', '2026-08-31T18:15Z'],
  ['2026-12-31T18:15Z', 'Asia/Kathmandu', '2027-01-01', '2026-12-31T18:15Z', '2027-01-31T18:15Z'],
  ['2028-02-29T23:00Z', 'UTC', '2028-02-01', '2028-02-01T00:00Z', '2028-03-01T00:00Z'],
  ['2026-03-15T00:00Z', 'America/New_York', '2026-03-01', '2026-03-01T05:00Z', '2026-04-01T04:00Z'],
  ['1985-12-31T18:29Z', 'Asia/Kathmandu', '1985-12-01', '1985-11-30T18:30Z', '1985-12-31T18:30Z'],
  ['1985-12-31T18:30Z', 'Asia/Kathmandu', '1986-01-01', '1985-12-31T18:30Z', '1986-01-31T18:15Z'],
  ['2009-11-01T03:00Z', 'America/St_Johns', '2009-11-01', '2009-11-01T02:30Z', '2009-12-01T03:30Z'],
]
for (const [at, timeZone, period, startsAt, endsAt] of months) {
  test(`bills ${at} in ${timeZone} to ${period} (D9)`, () => {
    assert.deepEqual(periodOf(new Date(at), timeZone), {
      period,
      startsAt: new Date(startsAt),
      endsAt: new Date(endsAt),
    })
  })
}

const days: [name: string, at: string, timeZone: string, day: string, hours: number][] = [
  ['an ordinary day', '2026-07-15T18:14:59Z', 'Asia/Kathmandu', '2026-07-15', 24],
  ['the next day from 18:15 UTC', '2026-07-15T18:15Z', 'Asia/Kathmandu', '2026-07-16', 24],
  ['the day Nepal moved its clocks by 15 minutes', '1986-01-01T06:00Z', 'Asia/Kathmandu', '1986-01-01', 23.75],
  ['clocks forward', '2026-03-08T17:00Z', 'America/New_York', '2026-03-08', 23],
  ['clocks back', '2026-11-01T17:00Z', 'America/New_York', '2026-11-01', 25],
  ['clocks forward at midnight', '2018-11-04T12:00Z', 'America/Sao_Paulo', '2018-11-04', 23],
  ['clocks back half an hour', '2026-04-04T18:00Z', 'Australia/Lord_Howe', '2026-04-05', 24.5],
  ['clocks back over midnight, before', '2010-11-07T02:30Z', 'America/St_Johns', '2010-11-07', 25],
  ['clocks back over midnight, the repeated hour', '2010-11-07T03:00Z', 'America/St_Johns', '2010-11-07', 25],
  ['the day before a skipped one', '2011-12-30T09:59Z', 'Pacific/Apia', '2011-12-29', 24],
  ['the day after a skipped one', '2011-12-30T10:00Z', 'Pacific/Apia', '2011-12-31', 24],
]
for (const [name, at, timeZone, day, hours] of days) {
  test(`${name}: ${at} in ${timeZone} is ${day}, ${hours} hours long (D27)`, () => {
    const found = dayOf(new Date(at), timeZone)
    assert.equal(found.day, day)
    assert.equal((found.endsAt.getTime() - found.startsAt.getTime()) / 3_600_000, hours)
  })
}

const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'), 'Asia/Kathmandu')
const instants = fc.date({ min: new Date('1970-01-02'), max: new Date('2040-01-01'), noInvalidDate: true })

test('assigns every instant to exactly one period and one day, in every time zone (D9, property)', () => {
  fc.assert(
    fc.property(instants, zones, (at, timeZone) => {
      for (const spanOf of [periodOf, dayOf]) {
        const span = spanOf(at, timeZone)
        assert.ok(span.startsAt <= at && at < span.endsAt)
        assert.deepEqual(spanOf(span.startsAt, timeZone), span)
        assert.deepEqual(spanOf(new Date(span.endsAt.getTime() - 1), timeZone), span)
        assert.deepEqual(spanOf(span.endsAt, timeZone).startsAt, span.endsAt)
      }
    }),
  )
})

test('begins and ends a period with the wall calendar, in every time zone (D9, property)', () => {
  fc.assert(
    fc.property(instants, zones, (at, timeZone) => {
      const { period, startsAt, endsAt } = periodOf(at, timeZone)
      const dateAt = (milliseconds: number) =>
        new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(milliseconds)
      assert.equal(dateAt(startsAt.getTime()), period)
      assert.match(dateAt(endsAt.getTime()), /-01$/)
      assert.notEqual(dateAt(startsAt.getTime() - 1), period)
    }),
    { numRuns: 50 },
  )
})

test('leaves no gap between periods, over years (D9)', () => {
  let period = periodOf(new Date('2024-01-20T00:00Z'), 'Asia/Kathmandu')
  for (let month = 1; month < 36; month++) {
    const next = periodOf(period.endsAt, 'Asia/Kathmandu')
    assert.deepEqual(next.startsAt, period.endsAt)
    assert.equal(next.period, `${2024 + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}-01`)
    period = next
  }
})

test('accepts IANA names as time zones, never offsets (D9)', () => {
  for (const name of ['Asia/Kathmandu', 'Asia/Katmandu', 'UTC', 'Europe/Berlin', 'Etc/GMT+5'])
    assert.ok(isTimeZone(name))
  for (const name of [
    '',
    'Nepal',
    '+05:45',
    '-03:00',
    'Asia/Kathmandu ',
    '2026-01-01T00:00[UTC]',
    'IST',
    'PST',
    '−05:00',
  ]) {
    assert.ok(!isTimeZone(name), name)
  }
})

test('gives a named month all its days, and ends it where the next begins (D9)', () => {
  const november = parseMonth('2026-11', 'Asia/Kathmandu')
  const times = { startsAt: new Date('2026-10-31T18:15Z'), endsAt: new Date('2026-11-30T18:15Z') }
  assert.deepEqual(november, { from: '2026-11-01', to: '2026-11-30', ...times })
  assert.deepEqual(november.endsAt, periodOf(new Date('2026-11-15T00:00Z'), 'Asia/Kathmandu').endsAt)
  assert.equal(parseMonth('2028-02', 'UTC').to, '2028-02-29')
  const days = daysBetween({ from: '2026-12-30', to: '2027-01-02' })
  assert.deepEqual(days, ['2026-12-30', '2026-12-31', '2027-01-01', '2027-01-02'])
  assert.deepEqual(daysBetween({ from: '2026-12-30', to: '2026-12-30' }), ['2026-12-30'])
  assert.equal(daysBetween({ from: '2028-01-01', to: '2028-12-31' }).length, 366)
})
