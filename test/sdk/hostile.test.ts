// Servers in place of the service: the SDK reports an unreadable response, keeps its limits, and does not leak the key.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { gzipSync } from 'node:zlib'
import { Hulaki, HulakiError } from '../../sdk/src/index.ts'
import { freePort } from '../harness/free-port.ts'
import { machineWithoutWaits, startShakyNetwork } from '../harness/shaky-network.ts'

const NOWHERE = 'http://127.0.0.1:9'
const APIKEY = 'svc_live_of-a-test'

async function errorOf(answer: Parameters<typeof startShakyNetwork>[1]) {
  const { url, asked } = await startShakyNetwork(NOWHERE, answer)
  const error = await new Hulaki({ url, apiKey: APIKEY }, machineWithoutWaits())
    .send({ to: '+9779841234567', text: 'Namaste' })
    .catch((it: unknown) => it)
  assert.ok(error instanceof HulakiError, String(error))
  const text = [error.message, String(error.cause), JSON.stringify(error)].join('\n')
  assert.ok(!text.includes(APIKEY), 'no error tells the key')
  return { error, calls: asked.length }
}

test('reports a success without the expected JSON as unreadable, and retries', async () => {
  for (const body of [
    '<html>Welcome</html>',
    '',
    '[]',
    '"ok"',
    'null',
    '{"success":true}',
    '{"messageId":',
    '\ufeff{}',
  ]) {
    const { error, calls } = await errorOf(() => ({ status: 200, body }))
    assert.deepEqual([error.code, error.status, calls], ['unreadable', 200, 5], body)
  }
})

test('reports an error without the expected JSON as unreadable with its status', async () => {
  for (const body of ['<html>Blocked</html>', '', '{"error":"no code"}', '{"code":42}', 'null']) {
    const { error, calls } = await errorOf(() => ({ status: 403, body, headers: { 'x-request-id': 'r-1' } }))
    assert.deepEqual([error.code, error.status, error.requestId, calls], ['unreadable', 403, 'r-1', 1], body)
  }
})

test('reads an endless body, or a compression bomb, only up to a limit', async () => {
  let written = 0
  const endless = await errorOf((at) => (response) => {
    if (at > 0) return response.writeHead(404).end()
    response.writeHead(200, { 'content-type': 'application/json' })
    const more = () => {
      while (!response.destroyed && response.write(' '.repeat(65_536))) written += 65_536
    }
    response.on('drain', more)
    more()
  })
  assert.deepEqual([endless.error.code, endless.error.status], ['unreadable', 404])
  assert.ok(written < 64 * 1024 * 1024, `${written} bytes were taken`)
  const packed = gzipSync(Buffer.alloc(16 * 1024 * 1024, ' '), { level: 1 })
  const bomb = await errorOf(() => (response) => {
    response.writeHead(403, { 'content-encoding': 'gzip' }).end(packed)
  })
  assert.match(bomb.error.message, /more than 1048576 bytes/)
})

test('follows no redirect, so that the key stays at its host, and does not retry', async () => {
  const elsewhere = await startShakyNetwork(NOWHERE, () => ({ status: 200, body: '{"messageId":"stolen"}' }))
  for (const status of [301, 302, 303, 307, 308]) {
    const { error, calls } = await errorOf(() => ({ status, headers: { location: `${elsewhere.url}/api` } }))
    assert.deepEqual([error.code, error.status, calls], ['unreadable', status, 1])
    assert.match(error.message, /redirects/)
  }
  assert.equal(elsewhere.asked.length, 0)
})

test('reports a response that is not HTTP as a network error', async () => {
  const { error, calls } = await errorOf(() => (response) => {
    response.socket?.end('220 mail.example.com ESMTP\r\n')
  })
  assert.deepEqual([error.code, error.status, calls], ['network', 0, 5])
})

test('reports a missing service as a network error with its cause', async () => {
  const port = await freePort()
  for (const host of ['127.0.0.1', 'localhost']) {
    const away = new Hulaki({ url: `http://${host}:${port}`, apiKey: APIKEY }, machineWithoutWaits())
    await assert.rejects(away.balance(), {
      code: 'network',
      message: new RegExp(`ECONNREFUSED 127\\.0\\.0\\.1:${port}`),
    })
  }
  const strange = () => Promise.reject(new Error('', { cause: 'no route' }))
  const failing = new Hulaki({ url: NOWHERE, apiKey: APIKEY, fetch: strange }, machineWithoutWaits())
  await assert.rejects(failing.balance(), { code: 'network', message: 'The service was not reached: no route' })
})

test('truncates an endless error message, and uses the code if there is none', async () => {
  const long = await errorOf(() => ({
    status: 400,
    body: JSON.stringify({ code: 'invalid_request', error: 'x'.repeat(9_999) }),
  }))
  assert.equal(long.error.message.length, 1_000)
  const none = await errorOf(() => ({ status: 400, body: '{"code":"invalid_request"}' }))
  assert.equal(none.error.message, 'invalid_request')
})

test('logs an error with its class name', () => {
  const shown = inspect(new HulakiError({ code: 'network', message: 'It failed', status: 0 }))
  assert.match(shown, /^HulakiError: It failed\n/)
})
