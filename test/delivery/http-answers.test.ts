// Every response of a provider has an outcome, and unreadable ones are logged. Nothing counts as sent or not sent without evidence (D15,
// D49).
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { Dispatcher } from 'undici'
import type { OutgoingSegment, SubmissionResult } from '../../src/delivery/connection.ts'
import { type CallResult, Exchange } from '../../src/delivery/http/exchange.ts'
import { type Act, answer, type OpenHttpOptions, openHttp, startProvider } from '../harness/http-carrier.ts'
import { until } from '../harness/until.ts'

const segment = (fields: Partial<OutgoingSegment> = {}): OutgoingSegment => ({
  messageId: '01930000-0000-7000-8000-000000000001',
  type: 'otp',
  requestsReceipt: true,
  fields: {},
  to: '+9779841000001',
  source: { kind: 'word', address: 'Brand' },
  text: 'Your code is 483920',
  segment: 1,
  ofSegments: 1,
  expiresAt: new Date(Date.now() + 3_600_000),
  ...fields,
})

async function provided(t: Parameters<typeof openHttp>[0], options: OpenHttpOptions = {}) {
  const provider = await startProvider()
  const { connection, logged } = openHttp(t, provider, options)
  await connection.firstAttempt
  const late: SubmissionResult[] = []
  const submit = (fields?: Partial<OutgoingSegment>) =>
    new Promise<SubmissionResult>((onResult) => {
      connection.submit(segment(fields), { onResult, onLateAnswer: (it) => void late.push(it) })
    })
  return { provider, connection, logged, late, submit }
}

const raw =
  (text: string): Act =>
  (_, _response, socket) =>
    socket.end(text)
const page = (response: ServerResponse, status: number, bytes: Buffer) =>
  response.writeHead(status, { 'content-type': 'text/html' }).end(bytes)
const HTML = Buffer.from('<html>Your code is 483920')
const LARGE = Buffer.alloc(10 * 1024 * 1024, 'a')

const BAD: [string, Act, string, string | null][] = [
  ['a page of HTML', (_, response) => page(response, 200, HTML), 'unknown', 'response is not JSON'],
  ['a page of HTML with an error status', (_, response) => page(response, 403, HTML), 'other_carrier', null],
  ['10 MB', (_, response) => page(response, 200, LARGE), 'unknown', 'response larger than 1 MB'],
  ['10 MB with an error status', (_, response) => page(response, 422, LARGE), 'rejected', 'response larger than 1 MB'],
  ['no body', (_, response) => response.writeHead(200).end(), 'unknown', 'response is not JSON'],
  [
    'no id',
    (_, response) => answer(response, 200, { ok: true }),
    'unknown',
    'no rule matches the response, and it has no id at /id',
  ],
  ['a redirect', (_, response) => response.writeHead(302, { location: '/messages' }).end(), 'unknown', null],
  ['no HTTP', raw('220 mail.example ESMTP\r\n'), 'unknown', null],
  ['a reset before the response', (_, _response, socket) => socket.resetAndDestroy(), 'unknown', null],
  ['an end before the response', (_, _response, socket) => socket.end(), 'unknown', null],
  ['a truncated status', raw('HTTP/1.1 2'), 'unknown', null],
  [
    'a body that is cut off',
    raw('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"id": "a'),
    'unknown',
    'response incomplete: connection closed before a response',
  ],
  ['headers without end', raw(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(100_000)}`), 'unknown', null],
]

test('an unreadable response has a safe outcome and is logged once, without text or secrets', async (t) => {
  const { provider, connection, logged, submit } = await provided(t)
  for (const [what, act, outcome, oddity] of BAD) {
    await until(() => connection.places > 0)
    const before = provider.got.length
    provider.does(act)
    assert.equal((await submit()).outcome, outcome, what)
    assert.equal(provider.got.length, before + 1, `${what}: sent once`)
    if (oddity)
      assert(
        logged.some((line) => JSON.parse(line).why === oddity),
        what,
      )
  }
  assert.equal(logged.filter((line) => JSON.parse(line).why === 'response is not JSON').length, 1)
  assert(!logged.join('').includes('483920') && !logged.join('').includes('a-token-that-is-secret'))
})

test('reads compressed responses and byte order marks, and reports failed decompression', async (t) => {
  const { provider, logged, submit } = await provided(t)
  const json = Buffer.from('{"id":"read"}')
  const answering = async (bytes: Buffer, encoding?: string) => {
    const headers = { 'content-type': 'application/json', ...(encoding && { 'content-encoding': encoding }) }
    provider.does((_, response) => response.writeHead(200, headers).end(bytes))
    return (await submit()).carrierMessageId
  }
  assert.equal(await answering(gzipSync(json), 'gzip'), 'read')
  assert.equal(await answering(gzipSync(json)), 'read', 'without its header')
  assert.equal(await answering(deflateSync(json), 'deflate'), 'read')
  assert.equal(await answering(brotliCompressSync(json), 'br'), 'read')
  assert.equal(await answering(Buffer.concat([Buffer.from('\uFEFF'), json])), 'read')
  assert.equal(await answering(gzipSync(Buffer.concat([Buffer.from('\uFEFF'), json])), 'gzip'), 'read')
  const why = 'response cannot be decompressed or is larger than 1 MB'
  assert.equal(await answering(gzipSync(Buffer.alloc(2 * 1024 * 1024, ' ')), 'gzip'), null)
  assert(logged.some((line) => JSON.parse(line).why === why))
  assert.equal(await answering(json, 'gzip'), null)
})

test('a slow or silent provider times out, and its late response counts', async (t) => {
  const { provider, connection, late, submit } = await provided(t, { answerSeconds: 0.3 })
  const open: ServerResponse[] = []
  provider.does((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{"id": ')
    open.push(response)
  })
  assert.equal((await submit()).outcome, 'unknown')
  assert(connection.places > 0, 'a slow carrier stays connected')
  open[0]?.end('"late"}')
  assert.deepEqual([(await until(() => late[0])).outcome, late[0]?.carrierMessageId], ['accepted', 'late'])
})

test('quotes of a provider contain no secret or private data', async (t) => {
  const { provider, submit } = await provided(t)
  const error = 'a-token-that-is-secret may not send 483920 to 9779841000001 (98)'
  provider.does((_, response) => answer(response, 400, { error }))
  assert.equal((await submit()).said, 'HTTP 400 *** may not send *** to *** (98)')
})

test('secrets are redacted at the end of a quote and with changed white space', async (t) => {
  const { provider, submit } = await provided(t)
  const saying = async (error: unknown, fields?: Partial<OutgoingSegment>) => {
    provider.does((_, response) => answer(response, 400, { error }))
    return (await submit(fields)).said ?? ''
  }
  // The quote is cut at 200 characters, within a token or an OTP.
  const upTo = (length: number) => 'x'.repeat(200 - 'HTTP 400 '.length - length)
  assert.doesNotMatch(await saying(`${upTo(12)}a-token-that-is-secret`), /a-token/)
  assert.doesNotMatch(await saying(`${upTo(5)}483920`), /48392/)
  const text = 'Dear Sita,\nyour test was positive'
  assert.equal(await saying(`Cannot send: ${text}`, { text }), 'HTTP 400 Cannot send: ***')
  assert((await saying('y'.repeat(500_000))).length <= 200)
})

test('a deeply nested response causes no error', async (t) => {
  const { provider, submit } = await provided(t)
  const nested = `${'{"0":'.repeat(150_000)}1${'}'.repeat(150_000)}`
  provider.does((_, response) =>
    response.writeHead(400, { 'content-type': 'application/json' }).end(`{"error":${nested}}`),
  )
  assert.deepEqual([(await submit()).outcome, (await submit()).said], ['rejected', 'HTTP 400'])
})

test('copies each chunk, so that a reused buffer does not change the response (D50)', () => {
  const settled: CallResult[] = []
  const unused = () => {}
  const settle = (it: CallResult) => settled.push(it)
  const options = { limitMs: 60_000, lateMs: 0, written: unused, onLateResult: unused, over: unused, settle }
  const exchange = new Exchange(options)
  const controller = {} as Dispatcher.DispatchController
  exchange.onResponseStart(controller, 200, {})
  const chunk = Buffer.alloc(1)
  for (const letter of '{"id": "in pieces"}') {
    chunk.write(letter)
    exchange.onResponseData(controller, chunk)
  }
  exchange.onResponseEnd()
  const [only] = settled
  assert.equal(only?.kind === 'answered' && only.body?.toString(), '{"id": "in pieces"}')
})

test('respects Retry-After', async (t) => {
  const { provider, connection, submit } = await provided(t)
  provider.does((_, response) => answer(response, 429, {}, { 'retry-after': '1' }))
  assert.equal((await submit()).outcome, 'throttled')
  assert.deepEqual([connection.room, connection.places], [0, 4])
  await until(() => connection.room === 4)
})

test('rejects a single segment of a long message', async (t) => {
  const { provider, submit } = await provided(t)
  assert.equal((await submit({ segment: 2, ofSegments: 3 })).outcome, 'other_carrier')
  assert.equal(provider.got.length, 0)
})

test('a closed provider gives unwritten once the connection loss is detected', async (t) => {
  const { provider, connection, submit } = await provided(t)
  await provider.close()
  const outcome = (await submit()).outcome
  // The checked connection may still look open; then the call counts as cut off.
  assert(['unwritten', 'unknown'].includes(outcome), outcome)
  await until(() => connection.places === 0)
  assert.equal((await submit()).outcome, 'unwritten')
  await until(() => connection.health.lastError === 'connection refused')
})

test('quotes of a carrier contain neither number nor OTP', async (t) => {
  const { provider, submit } = await provided(t)
  const error = 'no ५५५१२३ to 9779841000002, 9841000002: a771204b (code 21211)'
  provider.does((_, response) => answer(response, 400, { error }))
  const { said } = await submit({ to: '+9779841000002', text: 'Yours is ५५५१२३ or 771204' })
  assert.equal(said, 'HTTP 400 no *** to ***, ***: a***b (code 21211)')
})
