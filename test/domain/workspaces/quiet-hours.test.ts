import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quietUntil } from '../../../src/domain/workspaces/quiet-hours.ts'

const nepal = { timeZone: 'Asia/Kathmandu', quietFrom: '20:00', quietTo: '08:00' }

test('is quiet from 20:00 to 08:00 at the destination, across midnight, to the minute (D16)', () => {
  const cases: [string, string | null][] = [
    ['2026-11-16T14:14:59Z', null], // 19:59
    ['2026-11-16T14:15:00Z', '2026-11-17T02:15:00.000Z'], // 20:00
    ['2026-11-16T18:15:00Z', '2026-11-17T02:15:00.000Z'], // midnight
    ['2026-11-17T02:14:59Z', '2026-11-17T02:15:00.000Z'],
    ['2026-11-17T02:15:00Z', null], // 08:00
  ]
  for (const [now, until] of cases) assert.equal(quietUntil(new Date(now), nepal)?.toISOString() ?? null, until, now)
})

test('supports quiet hours within a day, or none (D16)', () => {
  const siesta = { ...nepal, quietFrom: '13:00', quietTo: '15:00' }
  assert.equal(quietUntil(new Date('2026-11-16T08:00:00Z'), siesta)?.toISOString(), '2026-11-16T09:15:00.000Z')
  assert.equal(quietUntil(new Date('2026-11-16T10:00:00Z'), siesta), null)
  assert.equal(quietUntil(new Date('2026-11-16T18:15:00Z'), { ...nepal, quietFrom: null, quietTo: null }), null)
})

test('ends quiet hours once, and never in the past, if clocks go back over their end (D16)', () => {
  const york = { timeZone: 'America/New_York', quietFrom: '20:00', quietTo: '01:30' }
  for (const now of ['2026-11-01T05:15:00Z', '2026-11-01T06:15:00Z'])
    assert.equal(quietUntil(new Date(now), york)?.toISOString(), '2026-11-01T06:30:00.000Z', now)
})

test('has no quiet hours in an unknown time zone', () => {
  assert.equal(quietUntil(new Date('2026-11-16T18:15:00Z'), { ...nepal, timeZone: 'IST' }), null)
})
