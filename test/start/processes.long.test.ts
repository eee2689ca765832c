// Several worker processes on one port share the work, are replaced when they exit, and stop together.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { testDatabaseAddress } from '../harness/database.ts'
import { CHECKOUT, dataFolder, isAlive, ServiceProcess, statusOf, urlOf } from '../harness/process.ts'
import { call } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const address = await testDatabaseAddress()
const env = {
  DATABASE_URL: urlOf(address),
  HULAKI_DATA_DIR: dataFolder(),
  HULAKI_DEMO: 'on',
  HULAKI_ROLES: 'api,delivery,webhooks,upkeep,simulator',
  HULAKI_PROCESSES: '2',
}
const CRASH_ON_SIGUSR2 = 'data:text/javascript,process.on("SIGUSR2",()=>{throw new Error("boom")})'
const service = new ServiceProcess({ env, nodeArguments: ['--import', CRASH_ON_SIGUSR2] })
const url = await service.url()

/** A new connection per request, so that every worker gets some. */
const ask = (path: string) => fetch(`${url}${path}`, { headers: { connection: 'close' } })

test('all workers serve one port', async () => {
  assert.equal(service.workerPids.length, 2)
  assert.ok(service.workerPids.every((pid) => pid !== service.pid && isAlive(pid)))
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask('/api/sms/coverage')))
  assert.ok(answers.every((it) => it.status === 200))
})

test('every worker serves the console that the primary bundled', async () => {
  const pages = await Promise.all(Array.from({ length: 20 }, async () => (await ask('/console')).text()))
  const scripts = new Set(pages.map((page) => /<script type="module" src="([^"]+)"/.exec(page)?.[1] ?? page))
  assert.equal(scripts.size, 1)
  const [script = ''] = scripts
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(script)))
  assert.ok(answers.every((it) => it.status === 200 && it.headers.get('content-type')?.startsWith('text/javascript')))
})

test('metrics are the sum over all processes', async () => {
  const text = await (await ask('/metrics')).text()
  const line = /^hulaki_http_request_seconds_count\{.*route="\/api\/sms\/coverage".*\} (\d+)$/m.exec(text)
  assert.equal(line?.[1], '20')
  assert.match(text, /^hulaki_webhook_queue_deliveries \d+$/m)
})

test('/readyz and /metrics report the version once for all processes', async () => {
  const { version } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8'))
  assert.deepEqual(await (await ask('/readyz')).json(), { status: 'ready', version })
  const text = await (await ask('/metrics')).text()
  const lines = text.split('\n').filter((line) => line.startsWith('hulaki_build_info'))
  assert.deepEqual(lines, [`hulaki_build_info{version="${version}",node="${process.versions.node}"} 1`])
})

test('every worker serves the simulator messages of the primary', async () => {
  const apiKey = service.shown(/^ {4}live {2}(svc_live_\w+)$/m) ?? ''
  const headers = { 'x-api-key': apiKey }
  const body = { to: '9800000001', text: 'Over there' }
  assert.equal((await call(`${url}/api/sms/v1/sms/send`, { method: 'POST', headers, body })).status, 200)
  const token = service.shown(/^ {4}(hulaki_operator_\w+)$/m)
  const list = async () => {
    const path = `${url}/api/manage/v1/simulator/messages`
    const answer = await call(path, {
      method: 'GET',
      headers: { authorization: `Bearer ${token}`, connection: 'close' },
    })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.items
  }
  await until(async () => (await list()).length === 1)
  assert.equal((await list())[0].text, 'Over there')
})

test('every worker can send a reply from the simulator and test a carrier', async () => {
  const token = service.shown(/^ {4}(hulaki_operator_\w+)$/m)
  const manage = (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${token}`, connection: 'close' }
    return call(`${url}/api/manage/v1${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
  }
  const { id } = (await manage('GET', '/carriers')).body.items[0]
  // One of two workers holds the only connection, so half of the requests reach the other worker.
  for (let round = 0; round < 4; round++) {
    const { status, body } = await manage('POST', `/carriers/${id}/test`, {})
    assert.equal(status, 200, JSON.stringify(body))
    assert.ok(body.binds[0].milliseconds >= 0, JSON.stringify(body))
    const reply = { from: '+9779800000001', to: 'Hulaki', text: `Round ${round}` }
    assert.deepEqual((await manage('POST', '/simulator/messages', reply)).body, { taken: true })
    assert.equal((await manage('GET', '/simulator/outcomes')).body.items.length, 14)
  }
  const { items } = (await manage('GET', '/inbound')).body
  assert.deepEqual(
    items.map(({ text }: { text: string }) => text),
    ['Round 3', 'Round 2', 'Round 1', 'Round 0'],
  )
  const { processes, simulator } = (await manage('GET', '/now')).body
  assert.deepEqual([processes, simulator.runs], [2, true])
})

test('logs and replaces a worker that exits on an uncaught exception', async () => {
  const [first = 0, second] = service.workerPids
  process.kill(first, 'SIGUSR2')
  await until(() => service.workerPids.length === 3)
  assert.match(service.stdout, /"msg":"uncaught exception"/)
  assert.match(service.stdout, /boom/)
  assert.ok(!isAlive(first))
  process.kill(second ?? 0, 'SIGKILL')
  await until(() => service.workerPids.length === 4)
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask('/readyz')))
  assert.ok(answers.every((it) => it.status === 200))
})

test('no argument list contains a secret', async () => {
  const { readFileSync } = await import('node:fs')
  if (process.platform !== 'linux') return
  for (const pid of [service.pid, ...service.workerPids.slice(2)]) {
    const argumentList = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    assert.ok(!/svc_|hulaki_operator|postgres:/.test(argumentList), argumentList)
  }
})

test('Ctrl-C to the process group drains and stops all processes with exit code 0', async () => {
  const pids = service.workerPids.slice(2)
  assert.equal(await service.stop(), 0)
  assert.ok(pids.every((pid) => !isAlive(pid)))
  assert.equal(service.stderr, '')
})

test('workers exit and free the port when the primary is killed', async () => {
  const port = new URL(url).port
  const again = new ServiceProcess({ env: { ...env, PORT: port } })
  assert.equal(await again.url(), url)
  const pids = again.workerPids
  process.kill(again.pid, 'SIGKILL')
  await until(() => pids.every((pid) => !isAlive(pid)))
  assert.equal(await statusOf(`${url}/livez`), 0)
})
