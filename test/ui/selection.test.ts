// The selection of rows: a range follows the order on the page.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withRange } from '../../ui/parts/selected-range.ts'

const rows = ['a', 'b', 'c', 'd', 'e']
const range = (selected: string[], from: string, to: string) =>
  [...withRange(new Set(selected), { rows, from, to })].toSorted().join('')

test('a range selects all rows between, in both directions, and keeps the others', () => {
  assert.equal(range(['b'], 'b', 'd'), 'bcd')
  assert.equal(range(['d'], 'd', 'b'), 'bcd')
  assert.equal(range(['a', 'c'], 'c', 'e'), 'acde')
})

test('removes the range if its last row is selected', () => {
  assert.equal(range(['a', 'b', 'c', 'd'], 'b', 'd'), 'a')
  assert.equal(range(['c'], 'c', 'c'), '')
})

test('without the first row on the page, only the last row changes', () => {
  assert.equal(range(['x'], 'x', 'b'), 'bx')
})
