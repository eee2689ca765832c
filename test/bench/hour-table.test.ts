// The table and the chart of an hour of load.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Window } from 'happy-dom'
import { drawHour, formatHour, type HourStep } from '../../bench/hour-table.ts'

const step = (minute: number, changes: Partial<HourStep> = {}): HourStep => ({
  minute,
  messages: minute * 1_000,
  deadRows: minute * 180,
  queueBytes: 4_500_000,
  keptBytes: minute * 3_000_000,
  walBytes: 1_000_000_000,
  acceptP99Ms: 40,
  cpuMicros: 800,
  ...changes,
})
const STEPS = [step(5), step(10), step(15, { deadRows: 8_100 })]

test('each step has its own line, with the bytes that one message keeps', () => {
  const [head = '', , first = '', , last = ''] = formatHour(STEPS).split('\n')
  assert.match(head, /^\| Minute \| Messages \| Dead rows \|/)
  assert.equal(first, '| 5 | 5 000 | 900 | 4.5 | 3 000 | 1 000 | 800 | 40.0 |')
  assert.match(last, /^\| 15 \| 15 000 \| 8 100 \|/)
})

test('the chart draws what stays the same as a flat line', () => {
  const window = new Window()
  try {
    const chart = new window.DOMParser().parseFromString(drawHour(STEPS, 'a < b'), 'image/svg+xml')
    assert.equal(chart.querySelector('parsererror'), null)
    const heightsOf = (tone: string) =>
      (chart.querySelector(`polyline.${tone}`)?.getAttribute('points') ?? '')
        .split(' ')
        .map((point) => Number(point.split(',')[1]))
    for (const tone of ['blue', 'green', 'purple']) assert.equal(new Set(heightsOf(tone)).size, 1, tone)
    const [first = 0, second = 0, third = 0] = heightsOf('red')
    assert.equal(first, second)
    assert.ok(third < first)
    assert.match(chart.documentElement.textContent ?? '', /15 000 messages.*minute 5.*a < b/s)
  } finally {
    window.close()
  }
})
