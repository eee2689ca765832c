// The alert rules and the sample configuration, checked by promtool. Skipped where it is not installed.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { DASHBOARD, expressionsOf, METRIC } from './prometheus-files.ts'

const skip = spawnSync('promtool', ['--version']).status !== 0 && 'promtool is not installed'
const FOLDER = 'deploy/prometheus'

const names = (file: string, pattern: RegExp) =>
  Array.from(readFileSync(file, 'utf8').matchAll(pattern), ([, name = '']) => name).toSorted()

function promtool(...words: string[]): void {
  const { status, stdout, stderr } = spawnSync('promtool', words, { cwd: FOLDER, encoding: 'utf8' })
  assert.equal(status, 0, stdout + stderr)
}

test('promtool accepts the rules and the sample configuration', { skip }, () => {
  promtool('check', 'rules', 'alerts.yml')
  promtool('check', 'config', 'prometheus.yml')
})

test('promtool tests each rule: it fires, and it does not fire', { skip }, () => {
  promtool('test', 'rules', 'alerts-test.yml')
})

test('each rule has a test that it fires, a test that it does not fire, and advice', () => {
  const rules = names(`${FOLDER}/alerts.yml`, /alert: (\w+)/g)
  const tests = `${FOLDER}/alerts-test.yml`
  assert.deepEqual(names(tests, /name: (\w+) fires/g), rules)
  assert.deepEqual(names(tests, /name: '(\w+) does not fire: /g), rules)
  assert.deepEqual(names('docs/operations/monitoring.md', /^\| `(Hulaki\w+)` \|/gm), rules)
})

test('the dashboard uses metrics of the reference, and each of them', () => {
  const described = names('docs/reference/metrics.md', /^\| `(hulaki_\w+)` \|/gm)
  const used = new Set(expressionsOf(DASHBOARD).flatMap(({ expression }) => expression.match(METRIC) ?? []))
  const known = new Set(Array.from(used, (name) => name.replace(/_(bucket|count|sum)$/, '')))
  assert.deepEqual([...known].toSorted(), described)
})

test('the dashboard has the rows of the service, one variable for its data source, and no panel on another', () => {
  const { panels, templating, schemaVersion } = DASHBOARD
  const rows = panels.filter(({ type }) => type === 'row').map(({ title }) => title)
  assert.deepEqual(rows, ['Traffic', 'Queue', 'Carriers', 'OTP', 'Webhooks', 'Database', 'Processes'])
  assert.deepEqual(
    templating.list.map(({ name, type, query }) => ({ name, type, query })),
    [{ name: 'datasource', type: 'datasource', query: 'prometheus' }],
  )
  // The schema of Grafana 10.0.
  assert.equal(schemaVersion, 38)
  const uids = panels.flatMap(({ type, datasource, targets = [] }) =>
    type === 'row' ? [] : [datasource, ...targets.map((target) => target.datasource)].map((source) => source?.uid),
  )
  assert.deepEqual([...new Set(uids)], [`\${datasource}`])
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
})
