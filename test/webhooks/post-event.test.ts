// Attempts to real endpoints on loopback: normal, slow, broken and hostile ones (§6.1, §6.4, D29, D31).
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { signatureHeader } from '../../src/domain/webhooks/signature.ts'
import { statusEvent } from '../../src/domain/webhooks/webhook-event.ts'
import type { AttemptResult } from '../../src/domain/webhooks/webhook-schedule.ts'
import { parseWebhookTarget } from '../../src/domain/webhooks/webhook-url.ts'
import { type Attempt, EventPoster, type PosterSettings } from '../../src/webhooks/post-event.ts'
import { listener } from '../harness/background.ts'
import { until } from '../harness/until.ts'
import { startDnsServer } from './dns-server.ts'
import { listen, startEndpoint, startRawEndpoint, testCa } from './endpoints.ts'

/** Longer than any answer takes. */
const GENEROUS_MS = 60_000
/** For endpoints that do not answer. */
const SHORT_MS = 200

const names: Record<string, string[] | 'silence'> = {
  'receiver.test': ['127.0.0.1'],
  'metadata.test': ['169.254.169.254'],
  'silent.test': 'silence',
}

async function startPoster(t: TestContext, settings: Partial<PosterSettings> = {}) {
  const { server, questions } = await startDnsServer(t, (name) => names[name] ?? [])
  const poster = new EventPoster({
    vendor: 'svc',
    isAllowed: (address) => address === '127.0.0.1',
    nameServers: [server],
    extraCa: testCa,
    monotonicNow: () => performance.now(),
    limitMilliseconds: GENEROUS_MS,
    ...settings,
  })
  t.after(() => poster.close())
  return {
    post: (attempt: Partial<Attempt> & { url: string }) => postWith(poster, attempt),
    questions,
  }
}

function postWith(
  poster: EventPoster,
  { url, ...attempt }: Partial<Attempt> & { url: string },
): Promise<AttemptResult> {
  return new Promise((resolve, reject) =>
    poster.post({ ...sampleAttempt, target: parseWebhookTarget(url), ...attempt }, (result) =>
      result ? resolve(result) : reject(new Error('the attempt was aborted')),
    ),
  )
}

const sampleAttempt: Omit<Attempt, 'target'> = {
  deliveryId: '01890a5d-ac96-774b-bcce-b302099a8058',
  event: statusEvent({
    messageId: '01890a5d-ac96-774b-bcce-b302099a8057',
    status: 'delivered',
    to: '+9779812345678',
    at: new Date('2026-01-02T03:04:05.678Z'),
    messageType: 'otp',
    segments: 1,
    error: '',
  }),
  secrets: ['whsec_0123456789abcdef'],
  unixSeconds: 1_767_323_045,
}

const at = (port: number, target = '/hook') => `https://receiver.test:${port}${target}`

test('§6.1: the request has exactly these headers and bytes, and both signatures during a rotation', async (t) => {
  const { post } = await startPoster(t)
  const { port, received } = await startEndpoint(t, (response) => response.end('thanks'))
  const secrets = ['whsec_new', 'whsec_old'] as const
  const result = await post({ url: at(port, '/hook?from=svc'), secrets })

  const { event, deliveryId, unixSeconds } = sampleAttempt
  const [attempt] = received
  assert(attempt)
  assert.equal(attempt.serverName, 'receiver.test')
  assert.equal(attempt.target, '/hook?from=svc')
  assert.deepEqual(attempt.body, Buffer.from(event.body))
  assert.deepEqual(attempt.headers, {
    host: `receiver.test:${port}`,
    connection: 'keep-alive',
    'x-svc-signature': signatureHeader({ unixSeconds, body: event.body, secrets }),
    'x-svc-event': 'message.status',
    'x-svc-delivery': deliveryId,
    'user-agent': 'svc-sms-webhooks/1',
    'content-type': 'application/json',
    'accept-encoding': 'identity',
    'content-length': String(event.body.length),
  })
  assert(result.kind === 'answered')
  assert.equal(Buffer.from(result.bodyHead).toString(), 'thanks')
})

test('D32: the vendor is part of the three headers and the user agent', async (t) => {
  const { post } = await startPoster(t, { vendor: 'acme' })
  const { port, received } = await startEndpoint(t, (response) => response.end())
  await post({ url: at(port) })
  const sent = Object.keys(received[0]?.headers ?? {}).filter((name) => name.startsWith('x-'))
  assert.deepEqual(sent, ['x-acme-signature', 'x-acme-event', 'x-acme-delivery'])
  assert.equal(received[0]?.headers['user-agent'], 'acme-sms-webhooks/1')
})

test('§6.3 rule 3: a retry has a fresh t and signature, the same delivery id and identical bytes', async (t) => {
  const { post } = await startPoster(t)
  const { port, received } = await startEndpoint(t, (response) => response.writeHead(500).end())
  await post({ url: at(port) })
  await post({ url: at(port), unixSeconds: sampleAttempt.unixSeconds + 10 })
  const [first, retry] = received
  assert(first && retry)
  assert.deepEqual(retry.body, first.body)
  assert.equal(retry.headers['x-svc-delivery'], first.headers['x-svc-delivery'])
  assert.match(String(first.headers['x-svc-signature']), /^t=1767323045,v1=[0-9a-f]{64}$/)
  assert.match(String(retry.headers['x-svc-signature']), /^t=1767323055,v1=[0-9a-f]{64}$/)
})

test('§6.4: every status is an answer', async (t) => {
  const { post } = await startPoster(t)
  const { port } = await startEndpoint(t, (response, { url }) => response.writeHead(Number(url?.slice(1))).end())
  for (const status of [200, 201, 202, 204, 299, 304, 400, 404, 408, 410, 429, 500, 503]) {
    const result = await post({ url: at(port, `/${status}`) })
    assert(result.kind === 'answered')
    assert.equal(result.statusCode, status)
  }
})

test('D29: a redirect is an answer and is not followed', async (t) => {
  const { post, questions } = await startPoster(t)
  const elsewhere = await startEndpoint(t, (response) => response.end())
  const locations = ['https://169.254.169.254/latest/meta-data/', 'https://metadata.test/', at(elsewhere.port), '/hook']
  for (const status of [301, 302, 303, 307, 308]) {
    for (const location of locations) {
      const { port, received } = await startEndpoint(t, (response) => response.writeHead(status, { location }).end())
      const result = await post({ url: at(port) })
      assert(result.kind === 'answered')
      assert.equal(result.statusCode, status)
      assert.equal(received.length, 1)
    }
  }
  assert.equal(elsewhere.connections.total, 0)
  assert(questions.every((question) => question.endsWith(' receiver.test')))
})

test('ignores interim responses', async (t) => {
  const { post } = await startPoster(t)
  const { port } = await startEndpoint(t, (response) => {
    response.writeEarlyHints({ link: '</a>' })
    response.writeHead(500).end()
  })
  const result = await post({ url: at(port) })
  assert(result.kind === 'answered')
  assert.equal(result.statusCode, 500)

  const onlyInterim = await startRawEndpoint(t, (socket) => socket.end('HTTP/1.1 103 Early Hints\r\n\r\n'))
  assert.equal((await post({ url: at(onlyInterim.port) })).kind, 'failed')
})

test('§6.4 rule 1: an answer within the limit counts, with its duration', async (t) => {
  let now = 1_000
  const { post } = await startPoster(t, { monotonicNow: () => now })
  const { port } = await startEndpoint(t, (response) => {
    now += 400
    response.end()
  })
  const inTime = await post({ url: at(port) })
  assert(inTime.kind === 'answered')
  assert.equal(inTime.milliseconds, 400)
})

test('§6.4 rule 1: an answer after the limit does not count', async (t) => {
  const { post } = await startPoster(t, { limitMilliseconds: SHORT_MS })
  const isLate = Promise.withResolvers<void>()
  const late = await startEndpoint(
    t,
    listener(async (response: ServerResponse) => {
      await isLate.promise
      response.end()
    }),
  )
  const tooLate = await post({ url: at(late.port) })
  isLate.resolve()
  assert(tooLate.kind === 'failed' && tooLate.timedOut)
  assert.equal(tooLate.why, 'no answer within 0.2 s')
  assert(tooLate.milliseconds >= SHORT_MS - 5)
  await until(() => late.connections.open === 0)
})

test('§6.4 rule 1: the limit includes DNS, TLS and slow headers', async (t) => {
  const { post } = await startPoster(t, { limitMilliseconds: SHORT_MS })
  const noTls = await listen(
    t,
    createServer((socket) => socket.resume()),
    '127.0.0.1',
  )
  const dripping = await startRawEndpoint(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const timer = setInterval(() => socket.write('x-drop: 1\r\n'), 20)
    socket.once('close', () => clearInterval(timer))
  })
  const urls = ['https://silent.test/', at(noTls.port), at(dripping.port)]
  for (const result of await Promise.all(urls.map((url) => post({ url })))) {
    assert(result.kind === 'failed' && result.timedOut)
    assert(result.milliseconds >= SHORT_MS - 5)
  }
  await until(() => noTls.connections.open === 0 && dripping.connections.open === 0)
})

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 99999999999\r\n\r\n'

test('§6.4: the status decides, also with a truncated, endless or compressed body', async (t) => {
  const { post } = await startPoster(t)
  const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024))
  const bodies: ((socket: TLSSocket) => void)[] = [
    (brokenOff) => brokenOff.end('ab'),
    (endless) => pipeline(Readable.from(chunksWithoutEnd()), endless, () => {}),
    (gzipBomb) => gzipBomb.write(bomb),
  ]
  const heads = await Promise.all(
    bodies.map(async (sendBody) => {
      const endpoint = await startRawEndpoint(t, (socket) => {
        socket.write(HEAD)
        sendBody(socket)
      })
      const result = await post({ url: at(endpoint.port) })
      assert(result.kind === 'answered')
      assert.equal(result.statusCode, 200)
      await until(() => endpoint.connections.open === 0)
      return result.bodyHead.length
    }),
  )
  assert.deepEqual(heads, [2, 16 * 1024, 16 * 1024])
})

test('§6.4: keeps the part of a slow body within the limit; the duration is that of the status', async (t) => {
  // Long enough for the status to arrive before the limit on a slow machine.
  const limitMilliseconds = 3_000
  let now = 0
  const { post } = await startPoster(t, { limitMilliseconds, monotonicNow: () => now })
  setTimeout(() => {
    now = limitMilliseconds
  }, limitMilliseconds - 100)
  const dripping = await startRawEndpoint(t, (socket) => socket.write(`${HEAD}ab`))
  const result = await post({ url: at(dripping.port) })
  assert(result.kind === 'answered')
  assert.deepEqual([result.statusCode, result.bodyHead.length, result.milliseconds], [200, 2, 0])
  await until(() => dripping.connections.open === 0)
})

function* chunksWithoutEnd(): Generator<Buffer> {
  while (true) yield Buffer.alloc(64 * 1024, 'a')
}

test('§6.4: no answer is a failure with a plain error text', async (t) => {
  const { post } = await startPoster(t)
  const good = await startEndpoint(t, (response) => response.end())
  const otherHost = await startEndpoint(t, (response) => response.end(), { certificate: 'other-host' })
  const selfSigned = await startEndpoint(t, (response) => response.end(), { certificate: 'self-signed' })
  const reset = await startEndpoint(t, (_response, request) => request.socket.destroy())
  const closing = await startRawEndpoint(t, (socket) => socket.end())
  const notHttp = await startRawEndpoint(t, (socket) => socket.write('SSH-2.0-OpenSSH_9.9\r\n'))
  const manyHeaders = await startRawEndpoint(t, (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n${`x-a: ${'b'.repeat(1000)}\r\n`.repeat(20)}\r\n`)
  })
  const plain = await listen(
    t,
    createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    '127.0.0.1',
  )
  const failures: Record<string, RegExp> = {
    'https://nowhere.test/': /DNS lookup failed/,
    'https://metadata.test/': /special address \(link-local\)/,
    [`https://[::ffff:127.0.0.1]:${good.port}/`]: /special address/,
    'https://receiver.test:1/': /connection refused/,
    [at(otherHost.port)]: /certificate is for another host/,
    [at(selfSigned.port)]: /not from a trusted authority/,
    [at(reset.port)]: /closed before a response/,
    [at(closing.port)]: /closed before a response/,
    [at(notHttp.port)]: /not HTTP/,
    [at(manyHeaders.port)]: /response headers too large/,
    [at(plain.port)]: /TLS handshake failed/,
  }
  for (const [url, why] of Object.entries(failures)) {
    const result = await post({ url })
    assert(result.kind === 'failed', url)
    assert.match(result.why, why)
    assert.equal(result.timedOut, false)
  }
  assert.equal(good.connections.total, 0)
})

test('reuses connections, and no attempt waits for another', async (t) => {
  const { post } = await startPoster(t)
  const { port, received, connections } = await startEndpoint(t, (response) => response.end('thanks'))
  for (let number = 0; number < 5; number += 1) {
    await post({ url: at(port) })
    await setImmediate() // A connection is free one tick after its answer.
  }
  assert.equal(received.length, 5)
  assert.equal(connections.total, 1)

  const waiting: (() => void)[] = []
  const slow = await startEndpoint(t, (response) => waiting.push(() => response.end()))
  const results = Array.from({ length: 8 }, () => post({ url: at(slow.port) }))
  await until(() => slow.received.length === 8)
  for (const answer of waiting) answer()
  for (const result of await Promise.all(results)) assert.equal(result.kind, 'answered')
})

test('dials again after the endpoint closed an idle connection', async (t) => {
  const { post } = await startPoster(t)
  const { port, connections } = await startEndpoint(t, (response, request) => {
    response.end()
    setTimeout(() => request.socket.end(), 1)
  })
  for (let number = 1; number <= 3; number += 1) {
    assert.equal((await post({ url: at(port) })).kind, 'answered')
    await until(() => connections.open === 0)
    assert.equal(connections.total, number)
  }
})

test('closes the connections of the longest idle origins', async (t) => {
  const { post } = await startPoster(t, { maxIdleOrigins: 2 })
  const endpoints = await Promise.all([1, 2, 3].map(() => startEndpoint(t, (response) => response.end())))
  for (const { port } of endpoints) await post({ url: at(port) })
  await until(() => endpoints[0]?.connections.open === 0)
  assert.deepEqual(
    endpoints.map(({ connections }) => connections.open),
    [0, 1, 1],
  )
})

test('keeps the connections of an origin with a running attempt', async (t) => {
  const { post } = await startPoster(t, { maxIdleOrigins: 1 })
  const waiting: (() => void)[] = []
  const busy = await startEndpoint(t, (response) => waiting.push(() => response.end()))
  const other = await startEndpoint(t, (response) => response.end())
  const first = post({ url: at(busy.port) })
  await until(() => waiting.length === 1)
  const beside = await post({ url: at(other.port) })
  assert.equal(beside.kind, 'answered', 'nor of the requested origin')
  waiting.shift()?.()
  await first
  await setImmediate()

  const second = post({ url: at(busy.port) })
  await until(() => waiting.length === 1)
  waiting.shift()?.()
  await second
  assert.equal(busy.connections.total, 1)
})

test('close waits for running attempts, then closes every connection', async (t) => {
  const { server } = await startDnsServer(t, () => ['127.0.0.1'])
  const isAllowed = () => true
  const poster = new EventPoster({
    vendor: 'svc',
    isAllowed,
    nameServers: [server],
    extraCa: testCa,
    monotonicNow: () => performance.now(),
  })
  const waiting: (() => void)[] = []
  const { port, received, connections } = await startEndpoint(t, (response) => waiting.push(() => response.end()))
  const result = postWith(poster, { url: at(port) })
  await until(() => received.length === 1)
  const closed = poster.close()
  await setImmediate()
  for (const answer of waiting) answer()
  await closed
  assert.equal((await result).kind, 'answered')
  await until(() => connections.open === 0)
})
