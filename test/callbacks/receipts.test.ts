// Receipt callbacks of an HTTP carrier through the whole service (D52, D53).
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { SystemClock } from '../../src/runtime/clock.ts'
import { createLog } from '../../src/runtime/log.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { startSimulator } from '../../src/simulator/simulator.ts'
import { freePort } from '../harness/free-port.ts'
import { ALLOWED, addHttpCarrier, answer, describe, startProvider } from '../harness/http-carrier.ts'
import { addRoute, makeSender } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const port = await freePort()
const publicUrl = `http://127.0.0.1:${port}`
const service = await ownService({
  env: { ...ALLOWED, PORT: String(port), HULAKI_PUBLIC_URL: publicUrl },
})
const sender = await makeSender(service)
const statusOf = async (id: string) => (await sender.get(id)).status

const provider = await startProvider()
after(() => provider.close())
const BY_JSON = { id: '/id', state: '/status', code: '/error/code', to: '/to' }
const described = (receipts: Record<string, unknown>, url = provider.url) => ({
  ...describe(url),
  body: {
    kind: 'json',
    value: { to: '{to}', from: '{from}', text: '{text}', ref: '{reference}', callback: '{callbackUrl}' },
  },
  receipts: { kind: 'callback', ...receipts },
})
const carrierId = await addHttpCarrier(service, provider.url, { http: described({ reading: BY_JSON }) })
const route = await addRoute(service, carrierId)
await until(async () => (await service.manage('GET', `/carriers/${carrierId}`)).body.health.state === 'working')

let last = 0
/** Sends a message; returns the id of the provider and the call with the callback address. */
async function send() {
  const to = `984${String(2_000_000 + ++last)}`
  const sent = await sender.send({ to })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  await service.settle()
  const call = provider.got.at(-1)
  return { messageId: sent.body.messageId as string, to: `+977${to}`, id: `id-${provider.got.length}`, call }
}

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

const changeReceipts = async (receipts: Record<string, unknown>, secrets: Record<string, string> = {}) => {
  const changed = await service.manage('PATCH', `/carriers/${carrierId}`, { http: described(receipts), secrets })
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  await service.settle()
  await until(async () => (await service.manage('GET', `/carriers/${carrierId}`)).body.health.state === 'working')
}
const callbackUrl = async (renew = false): Promise<string> =>
  (await service.manage('POST', `/carriers/${carrierId}/callback`, { renew })).body.callbackUrl

test('reads compressed callbacks and callbacks with a byte order mark', async () => {
  const url = await callbackUrl()
  const call = (bytes: Buffer, headers: Record<string, string> = {}) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: new Uint8Array(bytes),
    })
  const mark = Buffer.from('\uFEFF')
  const spellings: [(json: Buffer) => Buffer, Record<string, string>?][] = [
    [(json) => gzipSync(json), { 'content-encoding': 'gzip' }],
    [(json) => Buffer.concat([mark, json])],
  ]
  for (const [spell, headers] of spellings) {
    const { id, messageId } = await send()
    const { status } = await call(spell(Buffer.from(JSON.stringify({ id, status: 'DELIVRD' }))), headers)
    assert.deepEqual([status, await statusOf(messageId)], [200, 'delivered'])
  }
  const large = gzipSync(Buffer.alloc(2 * 1024 * 1024, ' '))
  assert.equal((await call(large, { 'content-encoding': 'gzip' })).status, 400)
})

test('a callback to the address of the message updates its status', async () => {
  const cases = [
    ['delivered', {}, 'delivered'],
    ['UNDELIV', { error: { code: '7' } }, 'undelivered'],
    ['rejected', {}, 'rejected'],
    ['expired', {}, 'undelivered'],
    ['on its way', {}, 'sent'],
  ] as const
  for (const [status, more, becomes] of cases) {
    const { id, call, messageId, to } = await send()
    const reported = await post(call?.json.callback, { id, status, to, ...more })
    assert.deepEqual([reported.status, await reported.text()], [200, ''])
    assert.equal(await statusOf(messageId), becomes, status)
  }
})

test('matches by id without a number, and a repetition changes nothing', async () => {
  const { id, call, messageId } = await send()
  for (let times = 0; times < 3; times++)
    assert.equal((await post(call?.json.callback, { id, status: 'delivered' })).status, 200)
  assert.equal(await statusOf(messageId), 'delivered')
  await service.advance(120)
  const unmatched = await service.manage('GET', `/carriers/${carrierId}/receipts`)
  assert.deepEqual(unmatched.body.items, [])
})

test('a receipt ahead of its answer waits for it; an unmatched receipt is listed', async () => {
  let early: Promise<Response> | undefined
  provider.does(async (got, response) => {
    early = post(got.json.callback, { id: 'early', status: 'delivered' })
    await early
    answer(response, 200, { id: 'early' })
  })
  const { messageId, call } = await send()
  await until(async () => early && (await early).status === 200)
  await service.advance(5)
  await until(async () => (await statusOf(messageId)) === 'delivered')
  provider.does((_, response) => answer(response, 200, { id: `id-${provider.got.length}` }))
  assert.equal((await post(call?.json.callback, { id: 'nobody’s', status: 'delivered' })).status, 200)
  await service.advance(120)
  const unmatched = await service.manage('GET', `/carriers/${carrierId}/receipts`)
  assert.deepEqual(
    unmatched.body.items.map((it: { reference: string }) => it.reference),
    ['nobody’s'],
  )
})

test('reads a list of reports by our reference with custom states, and sends the configured answer', async () => {
  const reading = {
    list: '/reports',
    reference: '/ref',
    state: '/state',
    states: { OK: { status: 'delivered' }, '27': { status: 'undelivered', error: 'invalid_number' } },
  }
  await changeReceipts({ reading, answer: { status: 202, type: 'application/json', body: '{"ok":true}' } })
  const [one, other] = [await send(), await send()]
  const reports = [
    { ref: one.call?.json.ref, state: 'OK' },
    { ref: other.messageId, state: 27 },
    { nothing: 'to read' },
  ]
  const reported = await post(one.call?.json.callback, { reports })
  assert.deepEqual([reported.status, await reported.json()], [202, { ok: true }])
  assert.deepEqual([await statusOf(one.messageId), await statusOf(other.messageId)], ['delivered', 'undelivered'])
  assert.equal((await sender.get(other.messageId)).error, 'invalid_number')
  assert.equal((await post(one.call?.json.callback, { reports: 'none' })).status, 400)
  assert.equal((await post(one.call?.json.callback, '{')).status, 400)
})

test('checks a signature over the body, and Twilio’s over URL and form', async () => {
  const hmac = { kind: 'hmac', header: 'X-Signature', prefix: 'sha256=', algorithm: 'sha256', encoding: 'hex' }
  await changeReceipts(
    { reading: BY_JSON, check: { ...hmac, over: 'body', key: '{secret.signing}' } },
    { signing: 'a-key-to-sign-with' },
  )
  const first = await send()
  const body = JSON.stringify({ id: first.id, status: 'delivered' })
  const signed = createHmac('sha256', 'a-key-to-sign-with').update(body).digest('hex')
  const url = first.call?.json.callback
  for (const headers of [{}, { 'x-signature': signed }, { 'x-signature': `sha256=${'0'.repeat(64)}` }])
    assert.equal((await post(url, body, headers as Record<string, string>)).status, 401)
  assert.equal((await post(url, `${body} `, { 'x-signature': `sha256=${signed}` })).status, 401)
  assert.equal(await statusOf(first.messageId), 'sent')
  assert.equal((await post(url, body, { 'x-signature': `sha256=${signed.toUpperCase()}` })).status, 200)
  assert.equal(await statusOf(first.messageId), 'delivered')

  const form = { id: 'form:MessageSid', state: 'form:MessageStatus', code: 'form:ErrorCode' }
  const twilio = { kind: 'hmac', header: 'X-Twilio-Signature', algorithm: 'sha1', encoding: 'base64' }
  await changeReceipts({ reading: form, check: { ...twilio, over: 'url_and_form', key: '{secret.signing}' } })
  const second = await send()
  const at = `${second.call?.json.callback}?region=np`
  const over = `${at}MessageSid${second.id}MessageStatus${'undelivered'}`
  const signature = createHmac('sha1', 'a-key-to-sign-with').update(over).digest('base64')
  const fields = new URLSearchParams({ MessageStatus: 'undelivered', MessageSid: second.id }).toString()
  const asForm = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature }
  assert.equal((await post(at.replace('region=np', 'region=in'), fields, asForm)).status, 401)
  assert.equal((await post(at, fields, asForm)).status, 200)
  assert.equal(await statusOf(second.messageId), 'undelivered')
})

test('refuses fields outside the signature and invalid descriptions when saving', async () => {
  const hmac = { kind: 'hmac', header: 'X-S', algorithm: 'sha256', encoding: 'hex', key: '{secret.signing}' }
  const wrong: [Record<string, unknown>, string][] = [
    [{ reading: { id: 'query:id', state: '/s' }, check: { ...hmac, over: 'body' } }, 'receipts.reading.id'],
    [{ reading: { id: 'form:id', state: '/s' }, check: { ...hmac, over: 'url_and_form' } }, 'receipts.reading.state'],
    [{ reading: { id: '/id', state: '/s' }, check: { ...hmac, over: 'body', key: 'open' } }, 'receipts.check.key'],
    [{ reading: { state: '/s' } }, 'receipts.reading'],
    [{ reading: { id: 'id', state: '/s' } }, 'receipts.reading.id'],
  ]
  for (const [receipts, where] of wrong) {
    const changed = await service.manage('PATCH', `/carriers/${carrierId}`, { http: described(receipts) })
    assert.equal(changed.status, 400)
    assert(
      changed.body.details.some((it: { path: string[] }) => it.path.join('.') === `http.${where}`),
      where,
    )
  }
  const alone = { ...described({ reading: BY_JSON }), receipts: null }
  const changed = await service.manage('PATCH', `/carriers/${carrierId}`, { http: alone })
  assert.match(JSON.stringify(changed.body.details), /needs receipts by callback/)
})

test('the callback address is secret; after a rotation the old one is 404', async () => {
  await changeReceipts({ reading: BY_JSON })
  const before = await callbackUrl()
  assert.match(before, /^http:\/\/127\.0\.0\.1:\d+\/carriers\/[\w-]{43}\/receipts$/)
  const { id, messageId } = await send()
  const after = await callbackUrl(true)
  assert.notEqual(after, before)
  const [old, unknown, nowhere] = await Promise.all(
    [before, `${publicUrl}/carriers/${'x'.repeat(43)}/receipts`, `${publicUrl}/carriers`].map(async (url) => {
      const response = await post(url, { id, status: 'delivered' })
      return [response.status, await response.text()]
    }),
  )
  assert.deepEqual([old, unknown, nowhere?.[0]], [nowhere, nowhere, 404])
  assert.equal(await statusOf(messageId), 'sent')
  assert.equal((await post(after, { id, status: 'delivered' })).status, 200)
  assert.equal(await statusOf(messageId), 'delivered')
  for (const url of [before, after]) {
    const token = url.split('/')[4] ?? ''
    assert(!service.logged.join('').includes(token))
    const audit = await service.manage('GET', '/audit-log')
    assert(!JSON.stringify(audit.body).includes(token))
    const read = await service.manage('GET', `/carriers/${carrierId}`)
    assert(!JSON.stringify(read.body).includes(token))
  }
})

test('large, slow and too many calls do not affect others', async () => {
  const url = await callbackUrl()
  assert.equal((await post(url, JSON.stringify({ id: 'x'.repeat(70_000), status: 'delivered' }))).status, 413)
  const { id, messageId } = await send()
  // Starts a body and never finishes it.
  const drip = connect(port, '127.0.0.1')
  drip.on('error', () => {})
  drip.write(`POST ${new URL(url).pathname} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"id`)
  const flood = await Promise.all(Array.from({ length: 300 }, () => post(url, { id: 'flood', status: 'delivered' })))
  const statuses = new Set(flood.map((it) => it.status))
  assert(statuses.has(200) && [...statuses].every((it) => it === 200 || it === 429), [...statuses].join())
  assert.equal((await post(url, { id, status: 'delivered' })).status, 200)
  assert.equal(await statusOf(messageId), 'delivered')
  drip.destroy()
})

test('with the HTTP API of the simulator, the number decides the receipt', async (t) => {
  const log = createLog('error', { write: () => {} })
  const simulator = await startSimulator({
    clock: new SystemClock(),
    random: systemRandom,
    log,
    settings: { port: 0, httpPort: 0 },
  })
  t.after(() => simulator.stop())
  await service.manage('DELETE', `/routes/${route}`)
  const http = described({ reading: { id: '/id', state: '/state', code: '/code', to: '/to' } }, simulator.httpUrl)
  const overHttp = await addHttpCarrier(service, simulator.httpUrl, { http, secrets: { token: 'hulaki' } })
  await addRoute(service, overHttp)
  await until(async () => (await service.manage('GET', `/carriers/${overHttp}`)).body.health.state === 'working')
  const endings = [
    ['9841000001', 'delivered'],
    ['9841000002', 'undelivered'],
    ['9841000008', 'delivered'],
    ['9841000009', 'delivered'],
    ['9841000011', 'rejected'],
  ] as const
  for (const [to, becomes] of endings) {
    const sent = await sender.send({ to })
    await service.settle()
    await until(async () => {
      await service.advance(3)
      return (await statusOf(sent.body.messageId)) === becomes
    })
  }
})
