// The table of metrics, the alert rules and the metrics of a running service agree.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ownService } from '../harness/service.ts'

const page = readFileSync('docs/reference/metrics.md', 'utf8')
const rules = readFileSync('deploy/prometheus/alerts.yml', 'utf8')
const rows = Array.from(page.matchAll(/^\| `(hulaki_\w+)` \| (\w+) \|([^|]*)\|[^|]+\|[^|]*\|$/gm))

test('the reference has every metric of the service with its type and labels, and no other', async () => {
  const { readMetrics, listedMetrics } = await ownService({ env: { HULAKI_DATA_DIR: '.' } })
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

test('labels have no values that a customer decides', async () => {
  const { url, readMetrics } = await ownService()
  const before = Array.from((await readMetrics()).matchAll(/(route|method)="([^"]*)"/g), ([pair]) => pair)
  const paths = ['/nowhere/123', '/api/sms/v1/sms/messages/9', '/api/sms/v1/sms/messages/10', '/docs/x/y', '/console/z']
  for (const path of paths)
    for (const method of ['GET', 'POST', 'PROPFIND', 'PURGE'])
      await (await fetch(`${url}${path}`, { method, headers: { 'x-api-key': 'svc_live_unknown' } })).arrayBuffer()
  const text = await readMetrics()
  const pairs = Array.from(text.matchAll(/(route|method)="([^"]*)"/g), ([, , value = '']) => value)
  assert.ok(pairs.length > before.length)
  assert.ok(pairs.includes('/api/sms/v1/sms/messages/:id'))
  assert.deepEqual(
    [...new Set(pairs)].filter((value) => /nowhere|\d{1,}$|\/[xyz]$/.test(value)),
    [],
  )
})
