// The table and the chart of the growth benchmark.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Window } from 'happy-dom'
import {
  drawGrowth,
  formatGrowth,
  GROWTH_FIGURES,
  type GrowthFigures,
  type GrowthStep,
} from '../../bench/growth-chart.ts'

const figures = (value: number) => Object.fromEntries(GROWTH_FIGURES.map((name) => [name, value])) as GrowthFigures
const STEPS: GrowthStep[] = [
  { messages: 200_000, bytes: 540_000_000, small: figures(20), large: figures(20) },
  { messages: 20_000_000, bytes: 34_600_000_000, small: figures(10), large: { ...figures(10), lookUpMs: 1_234 } },
]

test('each cell of the table has the figure of the small and of the large installation', () => {
  const [head = '', , first = '', second = ''] = formatGrowth(STEPS).split('\n')
  assert.match(head, /^\| Messages \| GB \| .*\| Overview ms \|$/)
  assert.match(first, /^\| 200 000 \| 0\.5 \| 20\.0 → 20\.0 \|/)
  assert.match(second, /^\| 20 000 000 \| 34\.6 \|.* 10\.0 → 1 234 \|/)
  assert.equal(new Set([head, first, second].map((line) => line.split('|').length)).size, 1)
})

test('the chart draws a flat line for a figure that does not grow, and scales to the highest', () => {
  const window = new Window()
  try {
    const parser = new window.DOMParser()
    const chart = parser.parseFromString(drawGrowth(STEPS, { smallest: 20_000, caption: 'a < b' }), 'image/svg+xml')
    assert.equal(chart.querySelector('parsererror'), null)
    const heightsOf = (tone: string) =>
      (chart.querySelector(`polyline.${tone}`)?.getAttribute('points') ?? '')
        .split(' ')
        .map((point) => Number(point.split(',')[1]))
    assert.equal(heightsOf('green').length, 3)
    assert.equal(new Set(heightsOf('green')).size, 1)
    const [before = 0, same = 0, after = 0] = heightsOf('blue')
    assert.equal(before, same)
    assert.ok(after < same)
    assert.match(chart.documentElement.textContent ?? '', /20 000 000.*34\.6 GB.*a < b/s)
  } finally {
    window.close()
  }
})
