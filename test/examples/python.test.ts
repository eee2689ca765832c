// examples/python, if python3 is installed: the sender over a network that loses responses, and the receiver under the rules of §6.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { signatureHeader } from '../../src/domain/webhooks/signature.ts'
import { requestListener } from '../harness/background.ts'
import { makeClient } from '../harness/client.ts'
import { CHECKOUT, dataFolder } from '../harness/process.ts'
import { sharedService } from '../harness/service.ts'
import { Program } from './program.ts'

const FOLDER = join(CHECKOUT, 'examples', 'python')
const SECRET = 'whsec_of-the-tests'
const withPython = spawnSync('python3', ['--version']).status === 0 ? {} : { skip: 'no python3 is installed' }

type Meddling = 'pass' | 'drop' | { status: number; headers?: Record<string, string>; body: string }

/** A proxy in front of the service; the test decides what happens to each response. */
async function between(serviceUrl: string, meddlings: Meddling[]) {
  const keys: string[] = []
  const server = createServer(
    requestListener(async (request, response) => {
      const body = Buffer.concat(await request.toArray())
      const meddling = meddlings[keys.length] ?? 'pass'
      keys.push(String(request.headers['idempotency-key']))
      if (typeof meddling === 'object') return response.writeHead(meddling.status, meddling.headers).end(meddling.body)
      const { host, connection, ...headers } = request.headers as Record<string, string>
      const answer = await fetch(`${serviceUrl}${request.url}`, { method: 'POST', headers, body })
      if (meddling === 'drop') return request.socket.destroy()
      return response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
    }),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys }
}

function python(file: string, args: string[], env: Record<string, string>): Program {
  return new Program({ program: 'python3', args: ['-B', file, ...args], cwd: FOLDER, env })
}

/** The response status for a request with this Content-Length. */
async function postLength(port: number, length: string): Promise<number> {
  const socket = connect(port, '127.0.0.1')
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n`)
  const answer = Buffer.concat(await socket.toArray()).toString()
  return Number(answer.split(' ')[1])
}

test('send.py retries temporary errors with the same key: one message, one charge (§7.4)', withPython, async () => {
  const service = await sharedService()
  const client = await makeClient(service)
  const refused = (code: string) => JSON.stringify({ error: 'x', code })
  const { url, keys } = await between(service.url, [
    'drop',
    { status: 502, body: '<html>' },
    { status: 429, headers: { 'retry-after': '0' }, body: refused('rate_limited') },
  ])
  const balance = async () => (await client.get('/sms/balance')).body.balance
  const before = await balance()
  const env = { HULAKI_URL: url, HULAKI_API_KEY: client.apiKey }
  const sent = python('send.py', ['9841234567', 'Namaste'], env)
  assert.equal(await sent.ended, 0, sent.output)
  const { messageId, cost } = JSON.parse(sent.output)
  assert.equal((await client.get(`/sms/messages/${messageId}`)).body.text, 'Namaste')
  assert.deepEqual([keys.length, new Set(keys).size], [4, 1])
  assert.equal(await balance(), before - cost)

  const again = python('send.py', ['12', 'Namaste', 'order-4711'], env)
  assert.equal(await again.ended, 1)
  assert.match(again.output, /^invalid_request \(HTTP 400\)/)
  assert.deepEqual(
    keys.slice(4),
    ['order-4711'],
    'what would be refused again is asked once, with the key that was given',
  )
})

test(
  'receiver.py accepts signed events, each delivery once, and keeps the latest status (§6.1 to §6.3)',
  withPython,
  async () => {
    const folder = dataFolder()
    const receiver = python('receiver.py', [], {
      HULAKI_WEBHOOK_SECRET: SECRET,
      PORT: '0',
      DATABASE: `${folder}.db`,
    })
    const port = await receiver.printed(/waiting for webhooks on port (\d+)/)
    const event = { type: 'message.status', id: 'm-1', status: 'sent', to: '+977', at: '2026-11-16T04:00:01.000Z' }
    const post = async (
      fields: object,
      {
        deliveryId = crypto.randomUUID() as string,
        secrets = [SECRET] as [string] | [string, string],
        late = 0,
        spoil = '',
      } = {},
    ) => {
      const text = JSON.stringify({ ...event, ...fields })
      const unixSeconds = Math.floor(Date.now() / 1000) - late
      const headers = {
        'x-svc-signature': signatureHeader({ unixSeconds, body: Buffer.from(text), secrets }),
        'x-svc-delivery': deliveryId,
      }
      return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: `${text}${spoil}` })).status
    }
    assert.equal(await post({ status: 'delivered', at: '2026-11-16T04:00:02.000Z' }, { deliveryId: 'd-1' }), 204)
    assert.equal(await post({ status: 'sent' }), 204, 'an older one that came behind')
    assert.equal(await post({ status: 'failed', at: '2026-11-16T04:00:09.000Z' }, { deliveryId: 'd-1' }), 204, 'known')
    assert.equal(await post({ id: 'm-2' }, { secrets: ['whsec_new', SECRET] }), 204, 'while the secret is rotated')
    assert.equal(await post({ type: 'message.inbound', id: 'r-1', from: '+977', text: 'हो' }), 204)
    assert.equal(await post({ type: 'message.of-tomorrow', id: 'x' }), 204)
    assert.equal(await post({ id: 'm-3' }, { secrets: ['whsec_other'] }), 401)
    assert.equal(await post({ id: 'm-3' }, { spoil: ' ' }), 401)
    assert.equal(await post({ id: 'm-3' }, { late: 400 }), 401)
    assert.equal(await post({ id: 'm-3' }, { late: -400 }), 401)
    assert.equal(await post({ id: 'm-3', text: 'x'.repeat(70_000) }), 413)
    // Longer than Python parses as a number.
    assert.equal(await postLength(Number(port), '9'.repeat(5_000)), 413)
    const look =
      'import json, sqlite3, sys; d = sqlite3.connect(sys.argv[1])\nfor t in sys.argv[2:]: print(json.dumps(list(d.execute(t))))'
    const kept = spawnSync('python3', [
      '-c',
      look,
      `${folder}.db`,
      'select id, status, at from message_status order by id',
      'select id, sender, text from reply',
    ])
    assert.deepEqual(
      kept.stdout
        .toString()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
      [
        [
          ['m-1', 'delivered', '2026-11-16T04:00:02.000Z'],
          ['m-2', 'sent', event.at],
        ],
        [['r-1', '+977', 'हो']],
      ],
    )
    assert.doesNotMatch(receiver.output, /whsec|Traceback/)
  },
)
