// The limits on sending, where a batch does not show them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capSince } from '../../../src/domain/messages/limits.ts'

const NOW = new Date('2026-11-16T04:00:00.000Z')
const BEFORE = new Date('2026-11-15T04:00:00.000Z')

test('D39: an hourly cap counts for itself from when it was first set; changing it begins nothing anew', () => {
  assert.equal(capSince({ hourlyCapPerNumber: null, hourlyCapSince: null }, NOW), NOW)
  assert.equal(capSince({ hourlyCapPerNumber: null, hourlyCapSince: BEFORE }, NOW), NOW, 'it was lifted meanwhile')
  assert.equal(capSince({ hourlyCapPerNumber: 3, hourlyCapSince: BEFORE }, NOW), BEFORE)
  assert.equal(capSince({ hourlyCapPerNumber: 3, hourlyCapSince: null }, NOW), null, 'there from the beginning')
})
