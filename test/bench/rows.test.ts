// The rows of the benchmark table, and their forms.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Window } from 'happy-dom'
import {
  drawChart,
  type Figures,
  formatTable,
  formatWarning,
  type Results,
  ROWS,
  selectRows,
} from '../../bench/rows.ts'

const ACCEPT: Figures = {
  perSecond: 12_345,
  serviceMicros: 80.4,
  postgresMicros: 30,
  walBytes: 1_002.4,
  p50Ms: 6.04,
  p99Ms: 27,
}
const BARE: Figures = { ...ACCEPT, perSecond: 40_000, postgresMicros: null, walBytes: null }
const RESULTS: Results = { accept: ACCEPT, kannel: null, durable: { ...BARE, perSecond: 24_690 } }

test('no word selects all rows, a word selects its rows and their baselines, an unknown word fails', () => {
  assert.deepEqual(selectRows([]), Object.keys(ROWS))
  assert.deepEqual(selectRows(['accept']), ['durable', 'accept'])
  assert.deepEqual(selectRows(['whole', 'otp']), ['durable', 'kannel', 'otp-send', 'otp-verify', 'whole'])
  assert.throws(() => selectRows(['speed']), /^Error: There is no row 'speed'; use bare, durable, .*\.$/)
})

test('the table is Markdown in the order of the rows, with the ratio to the baseline', () => {
  const table = formatTable(RESULTS)
  const [head = '', rule = '', ...lines] = table.split('\n')
  assert.match(head, /^\| Test +\| +Per second \|/)
  assert.match(rule, /^\| -+ \| -+: \|/)
  assert.equal(new Set(table.split('\n').map((line) => line.length)).size, 1)
  const cells = lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  assert.deepEqual(cells, [
    ['Bare durable server', '24 690', '80', '', '', '6.0', '27.0', ''],
    ['Kannel', 'not installed', '', '', '', '', '', ''],
    ['Accept', '12 345', '80', '30', '1 002', '6.0', '27.0', '0.50 × durable'],
  ])
})

test('one line names the rows whose load generator was busy for more than 90 % of the time', () => {
  assert.equal(formatWarning({ ...RESULTS, bare: { ...BARE, generatorBusy: 0.9 } }), null)
  const busy = { bare: { ...BARE, generatorBusy: 0.904 }, whole: { ...ACCEPT, generatorBusy: 1 } }
  assert.match(formatWarning({ ...RESULTS, ...busy }) ?? '', /^Warning: .*: bare, whole$/)
})

test('the chart is well-formed, escapes its caption, and draws bars in proportion', () => {
  const window = new Window()
  try {
    const document = new window.DOMParser().parseFromString(drawChart(RESULTS, 'CPU <2> & more'), 'image/svg+xml')
    assert.equal(document.querySelector('parsererror'), null)
    const texts = [...document.querySelectorAll('text')].map((it) => it.textContent)
    for (const text of ['Bare durable server', 'not installed', '12 345', '110', 'CPU <2> & more'])
      assert.ok(texts.includes(text), text)
    const widths = [...document.querySelectorAll('rect.throughput')].map((it) => Number(it.getAttribute('width')))
    assert.deepEqual(widths, [200, 100])
  } finally {
    window.close()
  }
})
