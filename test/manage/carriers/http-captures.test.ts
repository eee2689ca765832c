// Captures of HTTP carriers (D60): calls, responses and receipts, without OTP, text, number or secret in any place or spelling.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { freePort } from '../../harness/free-port.ts'
import { ALLOWED, addHttpCarrier, answer, describe, type Got, startProvider } from '../../harness/http-carrier.ts'
import { addRoute, makeSender } from '../../harness/sending.ts'
import { ownService } from '../../harness/service.ts'
import { until } from '../../harness/until.ts'
import { hasWireshark } from '../../smpp/wireshark.ts'

const port = await freePort()
const publicUrl = `http://127.0.0.1:${port}`
const service = await ownService({ env: { ...ALLOWED, PORT: String(port), HULAKI_PUBLIC_URL: publicUrl } })
const { manage } = service
const provider = await startProvider()
after(() => provider.close())
const sender = await makeSender(service)

const SECRET = 'canary/S3cret+"77"'
const CODE = '482917'
const TEXT = `Brand: "${CODE}" is your code & कोड ${devanagari(CODE)}`
const READING = { id: '/id', state: '/status', to: '/to' }
const receipts = { kind: 'callback', reading: READING }
const bodyOf = { to: '{to}', deep: [{ text: '>>{text}<<' }], ref: '{reference}', callback: '{callbackUrl}' }
const JSON_BODY = { kind: 'json', value: bodyOf }

/** Each description has text and secret in another place. */
const descriptions: Record<string, Record<string, unknown>> = {
  'JSON and a header': { body: { kind: 'json', value: { ...bodyOf, inner: '{secret.token}' } }, receipts },
  'a form and an account': {
    auth: { kind: 'basic', user: 'canary-user', password: '{secret.token}' },
    body: {
      kind: 'form',
      fields: { to: '{toDigits}', text: '{text}', callback: '{callbackUrl}', pin: 'p-{secret.token}' },
    },
    receipts,
  },
  'a query': {
    method: 'GET',
    url: `${provider.url}/send?to={toNational}&text={text}&ref={reference}&extra={secret.token}&cb={callbackUrl}`,
    auth: { kind: 'query', name: 'k', value: '{secret.token}' },
    body: null,
    receipts,
  },
  'a path and a header of its own': {
    url: `${provider.url}/{secret.token}/send?t={text}`,
    headers: { 'X-Account': 'a {secret.token} b', 'X-To': '{to}' },
    body: JSON_BODY,
    receipts,
  },
  'a list of one item': {
    body: { kind: 'json', value: { messages: [bodyOf] } },
    answer: { id: '/results/0/id', said: '/error', rules: [] },
    receipts,
  },
}

/** Everything that the carrier received, repeated in all spellings. */
function echo(got: Got): Record<string, unknown> {
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const whole = { url: got.url, headers: got.headers, body: got.body, json: got.json }
  return {
    id: 'id-1',
    results: [{ id: 'id-1', said: got.body }],
    whole,
    again: JSON.stringify(whole),
    code: Number(CODE),
    text: TEXT,
    secret: SECRET,
    base64: [base64(TEXT), base64(CODE), base64(SECRET), base64(JSON.stringify(whole))],
    hex: [Buffer.from(TEXT).toString('hex'), Buffer.from(TEXT, 'utf16le').swap16().toString('hex')],
    url: `https://provider.example/?t=${encodeURIComponent(TEXT)}&s=${encodeURIComponent(SECRET)}`,
    [CODE]: { [`k ${SECRET}`]: `cut ${CODE.slice(0, 5)}` },
  }
}

type Shown = {
  bind: number
  exchange: number | null
  outgoing: boolean
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers whose shape is what it tests
  decoded: Record<string, any>
}

async function begin(carrierId: string, seconds = 60): Promise<string> {
  const begun = await manage('POST', `/carriers/${carrierId}/captures`, { seconds })
  assert.equal(begun.status, 201, JSON.stringify(begun.body))
  await service.settle()
  return `/carriers/${carrierId}/captures/${begun.body.id}`
}

async function end(at: string, seconds = 60): Promise<{ shown: Shown[]; all: string; file: Buffer }> {
  await service.advance(seconds)
  const { body } = await manage('GET', at)
  const file = Buffer.from((await manage('GET', `${at}/pcap`)).body.pcap, 'base64')
  return { shown: body.exchanged, all: JSON.stringify(body), file }
}

let last = 0
/** The only route until the test ends. */
async function workingCarrier(t: TestContext, more: Record<string, unknown>, settings: Record<string, unknown> = {}) {
  const [http, name] = [describe(provider.url, more), `Carrier ${++last}`]
  const carrierId = await addHttpCarrier(service, provider.url, { name, http, secrets: { token: SECRET }, ...settings })
  const route = await addRoute(service, carrierId)
  t.after(() => manage('DELETE', `/routes/${route}`))
  await until(async () => (await manage('GET', `/carriers/${carrierId}`)).body.health.state === 'working')
  return carrierId
}

for (const [name, description] of Object.entries(descriptions)) {
  test(`${name}: shows request, response and receipt, without OTP, text, number and secret`, async (t) => {
    const carrierId = await workingCarrier(t, description)
    const { callbackUrl } = (await manage('POST', `/carriers/${carrierId}/callback`, {})).body
    const token = callbackUrl.split('/')[4] ?? assert.fail()
    const at = await begin(carrierId)
    provider.does((got, response) =>
      answer(response, 200, echo(got), { 'x-echo': CODE, 'x-said': encodeURIComponent(TEXT) }),
    )
    const to = `98410001${String(last).padStart(2, '0')}`
    const sent = await sender.send({ to, text: TEXT })
    assert.equal(sent.status, 200, JSON.stringify(sent.body))
    await service.settle()
    await until(async () => (await sender.get(sent.body.messageId)).status === 'sent')
    for (const [type, body] of callbacks(`+977${to}`)) {
      const called = await fetch(`${callbackUrl}?quoted=${encodeURIComponent(TEXT)}&s=${encodeURIComponent(SECRET)}`, {
        method: 'POST',
        headers: { 'content-type': type, 'x-echo': CODE, authorization: `Bearer ${SECRET}`, referer: callbackUrl },
        body,
      })
      assert.ok([200, 400].includes(called.status), String(called.status))
    }
    const { shown, all, file } = await end(at)
    const hidden = [CODE, devanagari(CODE), 'is your code', to, SECRET, token, 'canary-user']
    assertNoneOf(t.name, { all, file, hidden })
    const [asked, answered] = shown
    assert.deepEqual([asked?.outgoing, answered?.outgoing, answered?.decoded.status], [true, false, 200])
    assert.equal(asked?.exchange, answered?.exchange)
    assert.deepEqual(asked?.decoded.messageIds, [sent.body.messageId])
    assert.equal(asked?.decoded.host, new URL(provider.url).host)
    if (name === 'a query')
      assert.match(asked?.decoded.path, /^\/send\?to=\{toNational\}&text=\{text\}&ref=\{reference\}&/)
    else assert.ok(JSON.stringify(asked?.decoded.body).includes('"string('), 'the shape of the body is shown')
    const idAt = name === 'a list of one item' ? '/results/0/id' : '/id'
    assert.equal(answered?.decoded.read[idAt], 'id-1')
    assert.equal(answered?.decoded.read['/error'], '<missing>')
    assert.ok(answered?.decoded.headers.includes('x-echo'))
    assert.equal(answered?.decoded.body.text, `string(${TEXT.length})`)
    assert.equal(typeof answered?.decoded.milliseconds, 'number')
    const called = shown.filter((it) => it.bind === 0)
    assert.equal(called.length, callbacks('').length * 2)
    const { path, query, read, body } = called[0]?.decoded ?? assert.fail()
    assert.equal(path, '/carriers/:token/receipts')
    assert.deepEqual(Object.keys(query).sort(), ['quoted', 's'])
    assert.deepEqual(read, { '/id': 'id-1', '/status': 'delivered', '/to': `+**********${to.slice(-3)}` })
    assert.equal(body.code, `string(${CODE.length})`)
    if (description === descriptions['JSON and a header']) openInWireshark(t, file, shown.length)
  })
}

function callbacks(to: string): [type: string, body: string][] {
  const receipt = { id: 'id-1', status: 'delivered', to, text: TEXT, secret: SECRET, code: CODE }
  const part = (name: string, value: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  return [
    ['application/json', JSON.stringify(receipt)],
    ['application/json', JSON.stringify({ inner: JSON.stringify(receipt) })],
    ['application/x-www-form-urlencoded', new URLSearchParams(receipt).toString()],
    ['multipart/form-data; boundary=b', `${part('text', TEXT)}${part('secret', SECRET)}--b--\r\n`],
    ['text/xml', `<?xml version="1.0"?><r><text>${CODE}</text><s>${SECRET}</s></r>`],
  ]
}

test('shows receipt polls', async (t) => {
  const polled = { kind: 'poll', url: `${provider.url}/messages/{id}?k={secret.token}`, reading: { state: '/status' } }
  provider.does((got, response) => {
    if (got.method !== 'GET') return answer(response, 200, { id: '7001234' })
    answer(response, 200, { status: 'delivered', text: TEXT, key: SECRET, ref: 123456 })
  })
  const carrierId = await workingCarrier(t, { receipts: polled })
  const at = await begin(carrierId, 600)
  const sent = await sender.send({ to: '9841000301', text: TEXT })
  await until(async () => {
    await service.advance(5)
    return (await sender.get(sent.body.messageId)).status === 'delivered'
  })
  const { shown, all, file } = await end(at, 600)
  assertNoneOf(t.name, { all, file, hidden: [CODE, devanagari(CODE), 'is your code', '9841000301', SECRET] })
  const question = shown.find((it) => it.bind === 0 && it.outgoing)
  assert.equal(question?.decoded.path, '/messages/{id}?k={secret.token}')
  assert.deepEqual(question?.decoded.messageIds, [sent.body.messageId])
  const received = shown.find((it) => it.bind === 0 && !it.outgoing)
  assert.deepEqual(received?.decoded.read, { '/status': 'delivered' })
  assert.deepEqual(received?.decoded.body, {
    ...{ status: 'string(9)', text: `string(${TEXT.length})`, key: `string(${SECRET.length})`, ref: 'number' },
  })
})

test('shows failed calls: a timeout and a closed connection', async (t) => {
  const carrierId = await workingCarrier(t, { body: JSON_BODY, receipts }, { answerSeconds: 1, window: 1 })
  const at = await begin(carrierId)
  const failed = async () => (await manage('GET', `/carriers/${carrierId}`)).body.state[0].lastError
  let answerLate: (() => void) | undefined
  provider.does((_, response) => {
    answerLate = () => answer(response, 200, { id: 'late', said: TEXT })
  })
  const first = await sender.send({ to: '9841000201', text: TEXT })
  const second = sender.send({ to: '9841000202', text: TEXT })
  await until(() => answerLate !== undefined)
  const answerFirst = answerLate
  provider.does((_, response) => response.socket?.destroy())
  // The window is 1: the second call starts when the first is aborted.
  await second
  await until(async () => (await failed()) === 'connection closed before a response')
  answerFirst?.()
  await until(async () => (await sender.get(first.body.messageId)).status === 'sent')
  const { shown, all, file } = await end(at)
  assertNoneOf(t.name, { all, file, hidden: [CODE, 'is your code', '98410002', SECRET] })
  const failures = shown.filter((it) => it.decoded.failure)
  assert.deepEqual(
    failures.map((it) => [it.decoded.failure, it.decoded.wasWritten]),
    [
      ['no response within 1 s', true],
      ['connection closed before a response', true],
    ],
  )
  const late = shown.find((it) => it.decoded.isLate)
  assert.deepEqual([late?.decoded.status, late?.exchange], [200, failures[0]?.exchange])
})

function assertNoneOf(name: string, { all, file, hidden }: { all: string; file: Buffer; hidden: string[] }): void {
  const wire = file.toString()
  const read = [all, wire, unspelt(all), unspelt(wire), unspelt(unspelt(all))]
  for (const it of hidden) {
    for (const text of read)
      assert.ok(
        !text.includes(it),
        `${name}: ${it} in ${text.slice(Math.max(0, text.indexOf(it) - 200), text.indexOf(it) + 50)}`,
      )
    for (const code of ['base64', 'hex'] as const) {
      const spelled = Buffer.from(it)
        .toString(code)
        .replace(/.?={0,2}$/, '')
      assert.ok(!all.includes(spelled) && !wire.includes(spelled), `${name}: ${it} in ${code}`)
    }
  }
}

function unspelt(text: string): string {
  return text
    .replaceAll(/\\+u([0-9a-f]{4})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll(/(?:%[0-9a-f]{2})+/gi, (it) => Buffer.from(it.replaceAll('%', ''), 'hex').toString())
    .replaceAll(/\\+"/g, '"')
}

function devanagari(digits: string): string {
  return digits.replaceAll(/\d/g, (it) => String.fromCodePoint(0x966 + Number(it)))
}

function openInWireshark(t: TestContext, file: Buffer, messages: number): void {
  if (!hasWireshark) t.diagnostic('Wireshark is missing, so that nobody else read the file')
  const folder = mkdtempSync(join(tmpdir(), 'capture-'))
  try {
    if (!hasWireshark) return
    const name = join(folder, 'wire.pcap')
    writeFileSync(name, file)
    const fields = ['http.request.method', 'http.response.code', 'http.request_in', 'json', 'tcp.analysis.lost_segment']
    const asked = [...fields, '_ws.expert.severity'].flatMap((it) => ['-e', it])
    const { stdout } = spawnSync('tshark', ['-r', name, '-Y', 'http', '-T', 'fields', ...asked], { encoding: 'utf8' })
    const read = stdout.split('\n').filter((it) => it.trim() !== '')
    const rows = read.map((line) => line.split('\t'))
    assert.equal(rows.length, messages)
    assert.equal(rows.filter(([method]) => method !== '').length, messages / 2)
    assert.equal(rows.filter(([, code, call]) => code !== '' && call !== '').length, messages / 2, 'each has its call')
    assert.ok(rows.filter(([, , , json]) => json !== '').length >= 4, 'JSON is read as such')
    const faults = rows.filter(([, , , , lost, severity]) => lost !== '' || severity?.includes('8388608'))
    assert.deepEqual(faults, [], 'nothing is malformed or missing')
  } finally {
    rmSync(folder, { recursive: true })
  }
}
