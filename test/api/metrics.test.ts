// /metrics is computed once a second for all callers, and can require a token or have its own port.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../src/boot/config.ts'
import { freePort } from '../harness/free-port.ts'
import { ownService } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const TOKEN = 'a-metrics-token-of-32-characters'

async function read(url: string, token?: string) {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const answer = await fetch(`${url}/metrics`, { headers })
  return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() }
}

test('returns the same metrics within a second, and new metrics afterwards', async () => {
  const { url } = await ownService({ env: { HULAKI_ROLES: 'api' } })
  const first = await read(url)
  assert.match(first.text, /^process_cpu_user_seconds_total/m)
  // Every computation differs at least in the CPU time of the process.
  await until(
    async () => {
      const texts = await Promise.all(Array.from({ length: 10 }, async () => (await read(url)).text))
      return new Set(texts).size === 1
    },
    { ms: 10_000 },
  )
  await until(async () => (await read(url)).text !== first.text)
})

test('requires the token if one is set', async () => {
  const { url } = await ownService({ env: { HULAKI_ROLES: 'api', HULAKI_METRICS_TOKEN: TOKEN } })
  assert.deepEqual([(await read(url)).status, (await read(url, `${TOKEN}x`)).status], [401, 401])
  const { status, type, text } = await read(url, TOKEN)
  assert.equal(status, 200)
  assert.match(type ?? '', /^text\/plain/)
  assert.match(text, /^hulaki_build_info/m)
})

test('serves /metrics only on its own port if one is set', async () => {
  const port = await freePort()
  const env = { HULAKI_ROLES: 'api', HULAKI_METRICS_PORT: String(port), HULAKI_METRICS_TOKEN: TOKEN }
  const service = await ownService({ env })
  assert.equal((await read(service.url, TOKEN)).status, 404)
  const own = `http://127.0.0.1:${port}`
  assert.deepEqual([(await read(own)).status, (await read(own, TOKEN)).status], [401, 200])
  assert.equal((await fetch(`${own}/readyz`)).status, 404)
  await service.stop()
  await assert.rejects(read(own, TOKEN))
})

test('rejects a token of fewer than 16 characters, and a host without a port', () => {
  const read = readConfig({ HULAKI_METRICS_TOKEN: 'short', HULAKI_METRICS_HOST: '0.0.0.0' })
  assert.ok('errors' in read)
  assert.equal(read.errors.length, 2, read.errors.join('\n'))
})
