// The table of metrics, the alert rules and the metrics of a running service agree.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ownService } from '../harness/service.ts'

const page = readFileSync('docs/reference/metrics.md', 'utf8')
const rules = readFileSync('docs/operations/alerts.yml', 'utf8')
const rows = Array.from(page.matchAll(/^\| `(hulaki_\w+)` \| (\w+) \|([^|]*)\|[^|]+\|[^|]*\|$/gm))

test('the reference has every metric of the service with its type and labels, and no other', async () => {
  const { readMetrics, listedMetrics } = await ownService()
  const described = rows.map(([, name, type, labels = '']) => ({
    name,
    type,
    labels: Array.from(labels.matchAll(/`(\w+)`/g), ([, label]) => label),
  }))
  const byName = (one: { name?: string | undefined }, other: { name?: string | undefined }) =>
    (one.name ?? '') < (other.name ?? '') ? -1 : 1
  assert.deepEqual(described.toSorted(byName), listedMetrics.toSorted(byName))
  const exported = Array.from((await readMetrics()).matchAll(/^# TYPE (hulaki_\w+) /gm), ([, name]) => name)
  assert.deepEqual(exported.toSorted(), listedMetrics.map(({ name }) => name).toSorted())
})

test('the alert rules use metrics of the reference, and the reference names every rule', () => {
  const names = rows.map(([, name]) => name)
  const used = Array.from(rules.matchAll(/\bhulaki_\w+/g), ([name]) => name.replace(/_(bucket|count|sum)$/, ''))
  assert.ok(used.length >= 8)
  assert.deepEqual(
    used.filter((name) => !names.includes(name)),
    [],
  )
  const defined = Array.from(rules.matchAll(/alert: (\w+)/g), ([, rule]) => rule)
  const named = Array.from(page.matchAll(/`(Hulaki\w+)`/g), ([, rule]) => rule)
  assert.deepEqual(named.toSorted(), defined.toSorted())
})
