// What is no request at all (§2.6): answered in the one shape of every error, and the service goes on.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { startTestService } from '../harness/service.ts'

const service = await startTestService({ env: { HULAKI_ROLES: 'api' } })
const { port, hostname } = new URL(service.url)

function exchange(bytes: string): Promise<string> {
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

const cases: [string, string, number][] = [
  ['garbage', 'garbage\r\n\r\n', 400],
  ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', 400],
  ['headers of 40 KiB', `GET / HTTP/1.1\r\nhost: x\r\nx-filler: ${'a'.repeat(40_000)}\r\n\r\n`, 431],
  ['a broken escape in the path', 'GET /api/%zz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', 400],
  [
    'two lengths',
    'POST /api/sms/v1/sms/send HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}',
    400,
  ],
]
for (const [what, bytes, status] of cases) {
  test(`§2.6: ${what} is ${status} invalid_request`, async () => {
    const answer = await exchange(bytes)
    assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `))
    assert.match(answer, /\r\ncache-control: no-store\r\n/)
    assert.match(answer, /\r\nx-content-type-options: nosniff\r\n/)
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))
    assert.deepEqual(Object.keys(body), ['error', 'code'])
    assert.equal(body.code, 'invalid_request')
    assert.equal((await fetch(`${service.url}/livez`)).status, 200)
  })
}

test('D28: also what fails before it has a route carries the id of its request', async () => {
  const answer = await exchange('GET /api/%zz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  assert.match(answer, /\r\nx-request-id: [0-9a-f-]{36}\r\n/)
})
