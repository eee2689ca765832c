// The limits on sending that a batch does not show.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capSince } from '../../../src/domain/messages/limits.ts'

const NOW = new Date('2026-11-16T04:00:00.000Z')
const BEFORE = new Date('2026-11-15T04:00:00.000Z')

test('counts an hourly cap from when it was first set; changing it does not restart it (D39)', () => {
  assert.equal(capSince({ hourlyCapPerNumber: null, hourlyCapSince: null }, NOW), NOW)
  assert.equal(
    capSince({ hourlyCapPerNumber: null, hourlyCapSince: BEFORE }, NOW),
    NOW,
    'the cap was removed in between',
  )
  assert.equal(capSince({ hourlyCapPerNumber: 3, hourlyCapSince: BEFORE }, NOW), BEFORE)
  assert.equal(capSince({ hourlyCapPerNumber: 3, hourlyCapSince: null }, NOW), null, 'set from the start')
})
