// A real Prometheus scrapes a running service, and evaluates every alert rule and every panel of the dashboard.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { freePort } from '../../scripts/free-port.ts'
import { makeClient } from '../harness/client.ts'
import { statusOf } from '../harness/process.ts'
import { addCarrier, addRoute } from '../harness/sending.ts'
import { ownService, systemClock } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'
import { startEndpoint } from '../webhooks/endpoints.ts'
import { urlOf, WEBHOOK_ENV } from '../webhooks/webhook-service.ts'
import { DASHBOARD, expressionsOf } from './prometheus-files.ts'

const skip = spawnSync('prometheus', ['--version']).status !== 0 && 'prometheus is not installed'

/** The test has no HTTP carrier. */
const EMPTY_PANELS = ['Receipt polls and callbacks of HTTP carriers per second']

/** With the rules and the configuration of the repository, except for address and interval. */
async function startPrometheus(target: string) {
  const folder = mkdtempSync(join(tmpdir(), 'hulaki-prometheus-'))
  cpSync('deploy/prometheus/alerts.yml', join(folder, 'alerts.yml'))
  const sample = readFileSync('deploy/prometheus/prometheus.yml', 'utf8')
  const config = sample.replace("['127.0.0.1:8080']", `['${target}']`).replaceAll(': 15s', ': 1s')
  writeFileSync(join(folder, 'prometheus.yml'), config)
  const port = await freePort()
  const words = ['--config.file=prometheus.yml', '--storage.tsdb.path=data', `--web.listen-address=127.0.0.1:${port}`]
  const prometheus = spawn('prometheus', words, { cwd: folder, stdio: 'ignore' })
  after(async () => {
    prometheus.kill('SIGKILL')
    await once(prometheus, 'close')
    rmSync(folder, { recursive: true, force: true })
  })
  const url = `http://127.0.0.1:${port}`
  await until(async () => (await statusOf(`${url}/-/ready`)) === 200)
  return async (path: string) => {
    const response = await fetch(`${url}/api/v1${path}`)
    const body = await response.text()
    assert.equal(response.status, 200, `${path} ${body}`)
    return JSON.parse(body).data
  }
}

interface Rule {
  name: string
  query: string
  health: string
  state: string
}

test('a real Prometheus scrapes the service, and evaluates every alert rule and every panel', { skip }, async (t) => {
  const smsc = await startSmsc()
  const endpoint = await startEndpoint(t, (response) => response.writeHead(204).end())
  const env = { HULAKI_ROLES: 'api,delivery,webhooks,upkeep', HULAKI_DATA_DIR: tmpdir(), ...WEBHOOK_ENV }
  const service = await ownService({ env, clock: systemClock() })
  await addRoute(service, await addCarrier(service, smsc.port, { name: 'Test' }))
  const client = await makeClient(service, { webhookUrl: urlOf(endpoint) })
  const read = await startPrometheus(new URL(service.url).host)
  const query = (expression: string) => read(`/query?query=${encodeURIComponent(expression)}`)

  let last = 0
  const sendSome = async () => {
    last += 1
    const to = `+97798460${String(last).padStart(5, '0')}`
    assert.equal((await client.send({ to, type: last % 2 ? 'transactional' : 'promotional' })).status, 200)
    assert.equal((await client.otp({ to })).status, 200)
    const text = () => smsc.taken.findLast((taken) => taken.to === to && /\d{4,}/.test(taken.text))?.text
    const [code] = /\d{4,}/.exec(await until(text)) ?? []
    assert.equal((await client.verify({ to, code })).body.verified, true)
  }

  const isEmpty = async (expression: string) =>
    (await query(expression.replaceAll('$__rate_interval', '10s'))).result.length === 0
  const emptyPanels = async () => {
    const panels = Map.groupBy(expressionsOf(DASHBOARD), ({ title }) => title)
    const empty: string[] = []
    for (const [title, targets] of panels) {
      const results = await Promise.all(targets.map(({ expression }) => isEmpty(expression)))
      if (!results.includes(false)) empty.push(title)
    }
    return empty
  }
  const empty = await until(async () => {
    await sendSome()
    const panels = await emptyPanels()
    return panels.length <= EMPTY_PANELS.length && panels
  })
  assert.deepEqual(empty, EMPTY_PANELS)

  const rules: Rule[] = await until(async () => {
    const { groups } = await read('/rules')
    const all = groups.flatMap((group: { rules: Rule[] }) => group.rules)
    return all.every(({ health }: Rule) => health !== 'unknown') && all
  })
  const alerts = readFileSync('deploy/prometheus/alerts.yml', 'utf8').match(/alert: \w+/g)
  assert.equal(rules.length, alerts?.length)
  for (const { name, query: expression, health, state } of rules) {
    assert.equal(health, 'ok', name)
    await query(expression)
    assert.notEqual(state, 'firing', name)
  }
})
