// Input that is not a valid request (§2.6, D28) gets an error in the common shape, and the service keeps running.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { createServer } from '../../src/http/server.ts'
import { createLog } from '../../src/runtime/log.ts'
import { Metrics } from '../../src/runtime/metrics.ts'
import { makeClient } from '../harness/client.ts'
import { holdWorkspace } from '../harness/hold-workspace.ts'
import { ownService } from '../harness/service.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api' } })
const { apiKey, workspaceId } = await makeClient(service)

/** Returns everything that the service sends for these bytes until it closes the connection. */
function exchange(bytes: string, url = service.url): Promise<string> {
  const { port, hostname } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes, 'latin1'))
    let answer = ''
    socket.setEncoding('utf8')
    socket.on('data', (text) => {
      answer += text
    })
    socket.on('end', () => resolve(answer))
    socket.on('error', reject)
  })
}

function assertError(answer: string, status: number, code: string): void {
  assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `))
  const end = answer.indexOf('\r\n\r\n')
  const head = answer.slice(0, end)
  assert.match(head, /\r\ncontent-type: application\/json; charset=utf-8/i)
  assert.match(head, /\r\ncache-control: no-store\r\n/)
  assert.match(head, /\r\nx-content-type-options: nosniff\r\n/)
  assert.match(head, /\r\nx-request-id: [0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/)
  const body = JSON.parse(answer.slice(end + 4))
  assert.deepEqual(Object.keys(body), ['error', 'code'])
  assert.equal(body.code, code)
}

const SEND = '/api/sms/v1/sms/send'
const CLOSE = 'host: x\r\nconnection: close\r\n'
const post = (headers: string, body: string) =>
  `POST ${SEND} HTTP/1.1\r\n${CLOSE}content-type: application/json\r\n${headers}\r\n${body}`

const cases: [what: string, bytes: string, status: number, code?: string][] = [
  ['garbage', 'garbage\r\n\r\n', 400],
  ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', 400],
  ['the greeting of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['a method that nobody knows', `BREW ${SEND} HTTP/1.1\r\n${CLOSE}\r\n`, 400],
  ['a NUL in a header', 'GET /livez HTTP/1.1\r\nhost: x\r\na: \x00\r\n\r\n', 400],
  ['headers of 40 KiB', `GET / HTTP/1.1\r\nhost: x\r\nx-filler: ${'a'.repeat(40_000)}\r\n\r\n`, 431],
  ['no Host header', `GET ${SEND} HTTP/1.1\r\nconnection: close\r\n\r\n`, 400],
  ['an expectation that cannot be met', post('expect: a miracle\r\ncontent-length: 2\r\n', '{}'), 417],
  ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nhost: example.com:443\r\n\r\n', 400],
  ['an escape in the path that is none', `GET /api/%zz HTTP/1.1\r\n${CLOSE}\r\n`, 404, 'not_found'],
  ['an escape in the path that is no UTF-8', `GET /api/%ff HTTP/1.1\r\n${CLOSE}\r\n`, 404, 'not_found'],
  ['two lengths', post('content-length: 1\r\ncontent-length: 2\r\n', '{}'), 400],
  ['a chunk without a length', post(`x-api-key: ${apiKey}\r\ntransfer-encoding: chunked\r\n`, 'zz\r\n'), 400],
  [
    'a body that breaks after its request was refused',
    post('transfer-encoding: chunked\r\n', 'zz\r\n'),
    401,
    'unauthorized',
  ],
  ['another method on a known path', `DELETE ${SEND} HTTP/1.1\r\n${CLOSE}\r\n`, 404, 'not_found'],
  ['an unusual method on a known path', `PROPFIND ${SEND} HTTP/1.1\r\n${CLOSE}\r\n`, 404, 'not_found'],
  // RFC 9110, 7.8: a server may ignore an upgrade request. curl --http2 sends one with every first request.
  [
    'a wish for another protocol',
    post('connection: upgrade\r\nupgrade: h2c\r\ncontent-length: 2\r\n', '{}'),
    401,
    'unauthorized',
  ],
]
for (const [what, bytes, status, code = 'invalid_request'] of cases) {
  test(`answers ${what} with ${status} ${code} and a request id (§2.6, D28)`, async () => {
    assertError(await exchange(bytes), status, code)
    assert.equal((await fetch(`${service.url}/livez`)).status, 200)
  })
}

test('answers a request that does not arrive in time with 408 invalid_request and a request id (§2.6, D28)', async () => {
  const { app } = createServer({
    log: createLog('silent'),
    ids: service.ports.ids,
    metrics: new Metrics(),
    trustedProxies: [],
    tls: null,
    gate: { isShutFor: () => false, isCrowded: () => false },
    isOutage: () => false,
    requestMs: 20,
  })
  after(() => app.close())
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  assertError(await exchange('GET /livez HTTP/1.1\r\nhost: x\r\n', url), 408, 'invalid_request')
})

test('does not answer garbage behind a complete request in place of that request', async () => {
  const body = '{"to":"9841234567","text":"Namaste"}'
  const head = `POST ${SEND} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nx-api-key: ${apiKey}\r\n`
  const release = await holdWorkspace(service, workspaceId)
  const { port, hostname } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}garbage\r\n\r\n`)
  const answered = new Promise((resolve) => socket.once('data', (bytes) => resolve(String(bytes))))
  // The service has read the garbage before it answers the request.
  assert.equal((await fetch(`${service.url}/livez`)).status, 200)
  await release()
  assert.match(String(await answered), /^HTTP\/1\.1 200 [\s\S]*"messageId"/)
  socket.destroy()
})
