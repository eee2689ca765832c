// The client package against the real service: every call, every retry rule, and a network that loses answers.
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { Hulaki, HulakiError } from '../../sdk/src/index.ts'
import { waitBefore } from '../../sdk/src/retry.ts'
import { REFUSALS } from '../../src/domain/refusals.ts'
import { makeClient } from '../harness/client.ts'
import { startTestService } from '../harness/service.ts'

const service = await startTestService()
const client = await makeClient(service)
const hulaki = new Hulaki({ url: service.url, apiKey: client.apiKey })

test('a message is sent, read, and paid for; the balance and the coverage are told', async () => {
  const before = await hulaki.balance()
  const sent = await hulaki.send({ to: '+9779841234567', text: 'Namaste' })
  assert.equal(sent.status, 'queued')
  const message = await hulaki.messages.get(sent.messageId)
  assert.equal(message.text, 'Namaste')
  assert.equal((await hulaki.balance()).balance, before.balance - sent.cost)
  assert.ok((await hulaki.coverage()).allowed.includes('NP'))
})

test('a code is sent and verified; a wrong one is no error', async () => {
  const tested = await makeClient(service, { mode: 'test', testOtpCode: '123456' })
  const { otp } = new Hulaki({ url: service.url, apiKey: tested.apiKey })
  await otp.send({ to: '+9779841234568' })
  assert.deepEqual(await otp.verify({ to: '+9779841234568', code: '654321' }), {
    success: true,
    verified: false,
    reason: 'invalid_code',
  })
  assert.equal((await otp.verify({ to: '+9779841234568', code: '123456' })).verified, true)
})

test('what is refused is one class with code, status, details and the id of the request', async () => {
  const fault = await hulaki.send({ to: '12', text: 'x' }).catch((it: unknown) => it)
  assert.ok(fault instanceof HulakiError)
  assert.deepEqual([fault.code, fault.status], ['invalid_request', 400])
  assert.ok(Array.isArray(fault.details))
  assert.match(fault.requestId ?? '', /^[0-9a-f-]{36}$/)
})

/** Passes requests on to the service, and does with each answer what the test says. */
async function between(meddle: (count: number) => 'pass' | 'drop' | [status: number, body: string, headers?: object]) {
  let count = 0
  const keys = new Set<string>()
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const key = request.headers['idempotency-key']
    if (typeof key === 'string') keys.add(key)
    const what = meddle(count++)
    const headers = { 'x-api-key': client.apiKey, 'content-type': 'application/json', 'idempotency-key': String(key) }
    const isPost = request.method === 'POST'
    const isAnswered = Array.isArray(what)
    const answer = isAnswered
      ? null
      : await fetch(`${service.url}${request.url}`, {
          method: request.method ?? 'GET',
          headers: isPost ? headers : { 'x-api-key': client.apiKey },
          ...(isPost ? { body: Buffer.concat(chunks) } : {}),
        })
    if (what === 'drop') request.socket.destroy()
    else if (isAnswered) response.writeHead(what[0], { ...what[2] }).end(what[1])
    else response.writeHead(answer?.status ?? 500, { 'content-type': 'application/json' }).end(await answer?.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { hulaki: new Hulaki({ url, apiKey: client.apiKey, timeoutMs: 5_000 }), keys, count: () => count }
}

test('§8.3: connections that drop after the service has accepted: one message, one charge', async () => {
  const { hulaki: shaky, keys, count } = await between((at) => (at < 3 ? 'drop' : 'pass'))
  const before = await hulaki.balance()
  const sent = await shaky.send({ to: '+9779841234569', text: 'Only once' })
  assert.equal(count(), 4)
  assert.equal(keys.size, 1, 'every try carries the key of the first')
  assert.equal((await hulaki.balance()).balance, before.balance - sent.cost)
  const { body } = await service.manage('GET', `/workspaces/${client.workspaceId}/messages?to=%2B9779841234569`)
  assert.equal(body.items.length, 1)
})

test('§7.4: 500, 503, a proxy that answers HTML, and a 429 that says how long: tried again until it is answered', async () => {
  const refused = (code: string) => JSON.stringify({ error: 'x', code })
  const { hulaki: shaky, count } = await between((at) => {
    if (at === 0) return [500, refused('server_error')]
    if (at === 1) return [503, refused('unavailable')]
    if (at === 2) return [502, '<html>Bad gateway</html>']
    return at === 3 ? [429, refused('rate_limited'), { 'retry-after': '0' }] : 'pass'
  })
  assert.equal((await shaky.send({ to: '+9779841234570', text: 'At last' })).status, 'queued')
  assert.equal(count(), 5)
})

test('a call can be given up, before and while it waits', async () => {
  const { hulaki: shaky } = await between(() => [503, JSON.stringify({ error: 'x', code: 'unavailable' })])
  const given = await shaky
    .send({ to: '+9779841234571', text: 'x' }, { signal: AbortSignal.timeout(200) })
    .catch((it: unknown) => it)
  assert.ok(given instanceof HulakiError && given.code === 'aborted')
  const stopped = new AbortController()
  stopped.abort()
  const before = await shaky.balance({ signal: stopped.signal }).catch((it: unknown) => it)
  assert.ok(before instanceof HulakiError && before.code === 'aborted')
})

test('a service that does not answer in time is told as such', async () => {
  const deaf = createServer(() => {})
  await new Promise<void>((resolve) => deaf.listen(0, '127.0.0.1', resolve))
  after(() => {
    deaf.closeAllConnections()
    deaf.close()
  })
  const url = `http://127.0.0.1:${(deaf.address() as AddressInfo).port}`
  const fault = await new Hulaki({ url, apiKey: 'x', retries: 0, timeoutMs: 50 }).balance().catch((it: unknown) => it)
  assert.ok(fault instanceof HulakiError && fault.code === 'timeout')
})

test('§7.4: of every code it is known whether another try may help', () => {
  const rules = { retries: 4, longestWaitMs: 20_000 }
  const again = Object.entries(REFUSALS)
    .filter(([code, { status }]) => {
      const fault = { code: code as 'unauthorized', status, retryAfterSeconds: null }
      return waitBefore(fault, { attempt: 0, chance: 0.5 }, rules) !== null
    })
    .map(([code]) => code)
  assert.deepEqual(again.toSorted(), ['rate_limited', 'server_error', 'sms_disabled', 'unavailable'])
  const running = { code: 'idempotency_conflict', status: 409, retryAfterSeconds: 1 } as const
  assert.equal(waitBefore(running, { attempt: 0, chance: 0 }, rules), 1_000)
  const cooldown = { code: 'rate_limited', status: 429, retryAfterSeconds: 55 } as const
  assert.equal(waitBefore(cooldown, { attempt: 0, chance: 0 }, rules), null, 'what is far away is told to the caller')
  assert.equal(waitBefore(cooldown, { attempt: 4, chance: 0 }, { ...rules, longestWaitMs: 60_000 }), null)
})

test('waiting for a message ends when its status is final', async () => {
  const { messageId } = await hulaki.send({ to: '+9779841234572', text: 'Looked at' })
  const looking = hulaki.messages.waitUntilFinal(messageId, { withinMs: 50 })
  assert.equal((await looking).status, 'queued', 'the time was up')
  const tested = await makeClient(service, { mode: 'test' })
  const trying = new Hulaki({ url: service.url, apiKey: tested.apiKey })
  const { messageId: id } = await trying.send({ to: '+9779841234572', text: 'x' })
  assert.equal((await trying.messages.waitUntilFinal(id)).status, 'test')
})
