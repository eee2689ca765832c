// The proxy samples of deploy/proxy, each in the real program in front of two services. Skipped where a proxy is not installed.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { makeClient, type TestClient } from '../harness/client.ts'
import { testDatabaseAddress } from '../harness/database.ts'
import { CHECKOUT, dataFolder, ServiceProcess, statusOf, urlOf } from '../harness/process.ts'
import { call } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { PROXIES, type ProxyKind, type RunningProxy, startProxy } from './run-proxy.ts'

const OPERATOR_TOKEN = 'operator-token-of-the-tests-long-enough'
const OPERATOR = { authorization: `Bearer ${OPERATOR_TOKEN}` }
const SEND = '/api/sms/v1/sms/send'
const CALLERS = 4
const env = {
  DATABASE_URL: urlOf(await testDatabaseAddress()),
  HULAKI_DATA_DIR: dataFolder(),
  HULAKI_OPERATOR_TOKEN: OPERATOR_TOKEN,
  HULAKI_ROLES: 'api',
  HULAKI_PROCESSES: '1',
  HULAKI_TRUSTED_PROXIES: '127.0.0.1',
  HULAKI_DRAIN_SECONDS: '5',
}
const lasting = new ServiceProcess({ env })
const lastingUrl = await lasting.url()
const manage = (method: string, path: string, body?: unknown) =>
  call(`${lastingUrl}/api/manage/v1${path}`, { method, body, headers: OPERATOR })
const service = { url: lastingUrl, manage }
const client = await makeClient(service, { mode: 'test' })
const hostOf = (url: string) => new URL(url).host

for (const kind of PROXIES) {
  const skip = kind.program === undefined && `${kind.name} is not installed`

  test(`${kind.name} serves HTTPS, passes only the public paths and limits bodies`, { skip }, async () => {
    const proxy = await startProxy(kind, [hostOf(lastingUrl), hostOf(lastingUrl)])
    const sent = await send(proxy, client)
    assert.equal(sent.status, 200, sent.text)
    for (const path of ['/docs', '/console', '/api/sms/coverage'])
      assert.equal((await proxy.ask(path)).status, 200, path)
    for (const path of ['/metrics', '/livez', '/readyz', '/other'])
      assert.equal((await proxy.ask(path)).status, 404, path)
    const large = await send(proxy, client, { text: 'a'.repeat(70_000) })
    assert.equal(large.status, 413)
    assert.equal(JSON.parse(large.text).code, 'invalid_request', 'the error body of Hulaki')
    assert.equal((await send(proxy, client, { text: 'a'.repeat(2_000_000) })).status, 413)
    await proxy.stop()
  })

  test(`behind ${kind.name}, allowed IPs apply to the address of the caller, not to X-Forwarded-For`, {
    skip,
  }, async () => {
    const proxy = await startProxy(kind, [hostOf(lastingUrl), hostOf(lastingUrl)])
    const restricted = await makeClient(service, { mode: 'test', restrictions: { ipAllowlist: ['127.0.0.2'] } })
    const forged = { 'x-forwarded-for': '127.0.0.2', 'x-real-ip': '127.0.0.2', forwarded: 'for=127.0.0.2' }
    assert.equal((await send(proxy, restricted, {}, { from: '127.0.0.2' })).status, 200)
    assert.equal(
      (await send(proxy, restricted, {}, { from: '127.0.0.2', headers: { 'x-forwarded-for': '1.2.3.4' } })).status,
      200,
    )
    const refused = await send(proxy, restricted, {}, { from: '127.0.0.1', headers: forged })
    assert.deepEqual([refused.status, JSON.parse(refused.text).code], [403, 'ip_not_allowed'])
    await proxy.stop()
  })

  test(`${kind.name} passes each event of a live stream at once`, { skip }, async () => {
    const proxy = await startProxy(kind, [hostOf(lastingUrl), hostOf(lastingUrl)])
    const stream = proxy.stream(`/api/manage/v1/workspaces/${client.workspaceId}/events?include=messages`, OPERATOR)
    await until(() => stream.text().includes('event: open'))
    const { messageId } = JSON.parse((await send(proxy, client)).text)
    // The stream stays open, so a proxy that collects the response would never pass the event.
    await until(() => stream.text().includes(messageId))
    stream.close()
    await proxy.stop()
  })

  test(`no request through ${kind.name} fails while one of two services stops`, { skip }, () => stopOneOfTwo(kind))

  test(`${kind.name} never sends a POST twice`, { skip }, () => loseAnswers(kind))
}

test('docs/operations/proxy.md shows the samples of deploy/proxy', () => {
  const page = readFileSync(join(CHECKOUT, 'docs', 'operations', 'proxy.md'), 'utf8')
  for (const { sample } of PROXIES)
    assert.ok(page.includes(`\n${readFileSync(join(CHECKOUT, 'deploy', 'proxy', sample), 'utf8')}\`\`\`\n`), sample)
})

async function stopOneOfTwo(kind: ProxyKind): Promise<void> {
  const leaving = new ServiceProcess({ env })
  const leavingUrl = await leaving.url()
  const proxy = await startProxy(kind, [hostOf(leavingUrl), hostOf(lastingUrl)])
  await until(async () => (await send(proxy, client)).status === 200)
  const statuses: Record<number, number> = {}
  let isOver = false
  const callers = Array.from({ length: CALLERS }, async () => {
    while (!isOver) {
      const { status } = await send(proxy, client)
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  })
  const total = () => Object.values(statuses).reduce((sum, count) => sum + count, 0)
  await until(() => total() > 50)
  process.kill(leaving.pid, 'SIGTERM')
  assert.deepEqual(await leaving.ended, { code: 0, signal: null })
  assert.equal(await statusOf(`${leavingUrl}/readyz`), 0)
  const atStop = total()
  await until(() => total() > atStop + 100)
  isOver = true
  await Promise.all(callers)
  assert.deepEqual(Object.keys(statuses), ['200'], JSON.stringify(statuses))
  await proxy.stop()
}

/** One of the two backends is ready, takes every request and closes the connection without a response, like a killed service. */
async function loseAnswers(kind: ProxyKind): Promise<void> {
  let lost = 0
  const losing = createServer((asked, response) => {
    if (asked.url === '/readyz') return response.end('{}')
    asked.resume().on('end', () => {
      lost += 1
      asked.socket.destroy()
    })
  }).listen(0, '127.0.0.1')
  after(() => losing.close())
  await once(losing, 'listening')
  const { port } = losing.address() as AddressInfo
  const proxy = await startProxy(kind, [`127.0.0.1:${port}`, hostOf(lastingUrl)])
  let failed = 0
  await until(async () => {
    const { status } = await send(proxy, client, {}, { headers: { 'idempotency-key': `try-${failed}-${lost}` } })
    if (status !== 200) failed += 1
    assert.ok(status === 200 || status === 502, `${status}`)
    return lost > 0
  })
  assert.equal(failed, lost)
  await proxy.stop()
  losing.closeAllConnections()
}

function send(
  proxy: RunningProxy,
  { apiKey }: TestClient,
  fields: Record<string, unknown> = {},
  { headers = {}, from }: { headers?: Record<string, string>; from?: string } = {},
) {
  return proxy.ask(SEND, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ to: '+9779841234567', text: 'Namaste', ...fields }),
    ...(from && { from }),
  })
}
