// What a capture keeps of an HTTP exchange (D60): only values of an allow list, so never a secret, a text, an OTP or a number.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  captureAnswer,
  captureRead,
  captureRequest,
  describedPath,
  placesOfAnswer,
  placesOfReceipts,
} from '../../../src/domain/carriers/http/capture.ts'
import { readJson } from '../../../src/domain/carriers/http/content.ts'
import type { HttpDescription, ReceiptReading } from '../../../src/domain/carriers/http/description.ts'
import {
  createRedactors,
  NO_PRIVATE_PARTS,
  privateParts,
  type Redactor,
} from '../../../src/domain/carriers/http/redact.ts'
import { compileSubmission, valuesOf } from '../../../src/domain/carriers/http/request.ts'

const description: HttpDescription = {
  preset: null,
  onlyTo: [],
  method: 'POST',
  url: 'https://api.example.com/v1/{secret.key}/send?to={to}&text={text}&mode=live&both=a{secret.key}',
  headers: { 'X-From': '{from}', 'X-Key': 'k {secret.key}' },
  auth: { kind: 'query', name: 'token', value: '{secret.key}' },
  body: { kind: 'json', value: { to: ['{to}'], text: '<{text}>', inner: { key: '{secret.key}' }, fixed: true } },
  answer: { rules: [{ at: '/status', is: [0], outcome: 'accepted' }], id: '/id', said: '/error' },
  receipts: null,
}
const reading: ReceiptReading = {
  list: '/reports',
  id: '/id',
  reference: null,
  state: '/state',
  states: {},
  code: '/code',
  codes: {},
  to: '/to',
  time: '/time',
}
const NO_FIELDS = new URLSearchParams()
const nothingPrivate = createRedactors({})(NO_PRIVATE_PARTS)

function answerOf(json: unknown, redactor: Redactor = nothingPrivate, headers: Record<string, string> = {}) {
  const body = Buffer.from(typeof json === 'string' ? json : JSON.stringify(json))
  const { bytes, decoded } = captureAnswer({ status: 200, headers, body }, redactor)
  const source = { json: readJson(body), form: NO_FIELDS, query: NO_FIELDS }
  const read = captureRead(source, placesOfAnswer(description), redactor)
  return { bytes, decoded, read, all: `${bytes}\n${JSON.stringify({ decoded, read })}` }
}

function reportsOf(json: unknown, redactor: Redactor = nothingPrivate) {
  return captureRead({ json, form: NO_FIELDS, query: NO_FIELDS }, placesOfReceipts(reading), redactor)
}

const devanagari = (digits: string) => digits.replaceAll(/\d/g, (it) => String.fromCodePoint(0x966 + Number(it)))
const percent = (text: string) => Buffer.from(text).toString('hex').replaceAll(/../g, '%$&')
const escaped = (text: string) =>
  Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')
const ENCODINGS: ((text: string) => string)[] = [
  (text) => text,
  (text) => `not accepted: ${text}!`,
  (text) => JSON.stringify({ text }),
  (text) => Buffer.from(text).toString('base64'),
  (text) => Buffer.from(`key=${text}`).toString('base64url'),
  (text) => `id-${Buffer.from(text).toString('base64')}`,
  (text) => Buffer.from(text).toString('hex'),
  (text) => `a${Buffer.from(text).toString('hex')}`,
  (text) => Buffer.from(text, 'utf16le').swap16().toString('hex'),
  encodeURIComponent,
  percent,
  escaped,
  (text) => new URLSearchParams({ text }).toString(),
]

const code = fc.stringMatching(/^[1-9][0-9]{5}$/)
const words = fc.array(fc.stringMatching(/^[a-zअ-ह]{3,9}$/), { minLength: 3, maxLength: 8 }).map((it) => it.join(' '))
const texts = fc.tuple(words, code, fc.constantFrom(String, devanagari)).map(([some, digits, spell]) => ({
  text: `${some}: ${spell(digits)}, ${some}`,
  digits: spell(digits),
}))
const secretValue = fc
  .string({ minLength: 10, maxLength: 40 })
  .filter((it) => it.trim() === it && /[a-z0-9]{2}/i.test(it) && it.isWellFormed())
const number = fc.stringMatching(/^\+97798[0-9]{8}$/)

/** Private data in any encoding, anywhere: as a value, as a name, in a list, at the places that are read, in headers. */
const placements: ((it: string) => { json: unknown; headers?: Record<string, string> })[] = [
  (it) => ({ json: { error: it } }),
  (it) => ({ json: { id: it } }),
  (it) => ({ json: { status: it } }),
  (it) => ({ json: { id: 'a-1', deep: [{ other: it }] } }),
  (it) => ({ json: { [it]: { [it]: [it] } } }),
  (it) => ({ json: { error: { within: it } } }),
  (it) => ({ json: it }),
  (it) => ({ json: { id: 1 }, headers: { 'x-echo': it, [it]: 'a' } }),
  (it) => ({ json: it, headers: { 'content-type': `text/plain; ${it}` } }),
  (it) => ({ json: `a=${it}&${it}=b`, headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
]

function assertNothingOf(hidden: readonly string[], all: string): void {
  const spelled = hidden.flatMap((it) => [
    ...[it, JSON.stringify(it).slice(1, -1), encodeURIComponent(it), percent(it)],
    ...[Buffer.from(it).toString('hex'), Buffer.from(it).toString('base64').replace(/.?=*$/, '')],
  ])
  for (const it of spelled) assert.ok(!all.includes(it), `${it} in ${all}`)
}

test('never captures a secret, text, OTP or number, wherever the carrier repeats it and in any encoding', () => {
  fc.assert(
    fc.property(
      fc.record({ secret: secretValue, message: texts, to: number }),
      fc.constantFrom(...ENCODINGS),
      fc.constantFrom(...placements),
      fc.constantFrom('secret', 'text', 'digits', 'to', 'national'),
      ({ secret, message: { text, digits }, to }, encode, place, what) => {
        const values = valuesOf({ messageId: '01930000-0000-7000-8000-00000000000c', to, from: 'Brand', text })
        const redactor = createRedactors({ key: secret })(privateParts(values))
        const repeated = { secret, text, digits, to: to.slice(1), national: to.slice(4) }[what]
        const { json, headers } = place(encode(repeated))
        const hidden = [secret, text, digits, to.slice(1), to.slice(4)]
        assertNothingOf(hidden, answerOf(json, redactor, headers).all)
        const call = compileSubmission(description, { key: secret })(values)
        assert(!('unsendable' in call) || !/^[ -~]*$/.test(secret))
        if ('unsendable' in call) return
        const path = describedPath(description.url, description.auth)
        const request = { ...call, host: 'api.example.com', path, body: Buffer.from(call.body ?? '') }
        const { bytes, decoded } = captureRequest(request, redactor)
        assertNothingOf(hidden, `${bytes}\n${JSON.stringify(decoded)}`)
      },
    ),
    { numRuns: 2_000 },
  )
})

test('quotes no sixteen characters of a text, even if the carrier truncates it', () => {
  fc.assert(
    fc.property(texts, fc.nat(), fc.nat(), ({ text }, from, length) => {
      const values = valuesOf({
        messageId: '01930000-0000-7000-8000-00000000000c',
        to: '+9779841000001',
        from: '',
        text,
      })
      const redactor = createRedactors({})(privateParts(values))
      const cut = text.slice(from % text.length, (from % text.length) + (length % 60))
      const { all } = answerOf({ error: `cannot send "${cut}"` }, redactor)
      for (let at = 0; at + 16 <= text.length; at++) assert.ok(!all.includes(text.slice(at, at + 16)), all)
    }),
  )
})

test('captures nothing of a receipt callback that its description does not read', () => {
  fc.assert(
    fc.property(secretValue, texts, number, fc.constantFrom(...ENCODINGS), (secret, { text, digits }, to, encode) => {
      const redactor = createRedactors({ key: secret })(NO_PRIVATE_PARTS)
      const echo = { text: encode(text), [encode(text)]: encode(digits), key: encode(secret) }
      const report = { id: 'a-1', state: `${text} `, code: encode(secret), to, ...echo }
      const { bytes, decoded } = captureAnswer(
        { status: 200, headers: {}, body: Buffer.from(JSON.stringify({ reports: [report], ...echo })) },
        redactor,
      )
      const all = `${bytes}\n${JSON.stringify([decoded, reportsOf({ reports: [report] }, redactor)])}`
      assertNothingOf([secret, text, digits, to.slice(1), to.slice(4)], all)
    }),
    { numRuns: 500 },
  )
})

test('captures the values that the description reads: whole ids, states, codes and error texts, or that they are missing', () => {
  const body =
    '{"id":90071992547409931234,"status":7,"error":"Sender Brand is not allowed (code 21211)","more":[1,2,3]}'
  const { read, decoded } = answerOf(body, nothingPrivate, { 'content-type': 'application/json; charset=utf-8' })
  assert.deepEqual(read, {
    '/error': 'Sender Brand is not allowed (code 21211)',
    '/id': '90071992547409931234',
    '/status': '7',
  })
  assert.deepEqual(decoded, {
    status: 200,
    headers: ['content-type'],
    contentType: 'application/json',
    body: { id: 'string(20)', status: 'number', error: 'string(40)', more: ['number', 'number', '1 more'] },
    bodyBytes: 104,
  })
  assert.deepEqual(answerOf({ id: { a: 1 }, error: null }).read, {
    '/error': '<null>',
    '/id': '<object(1)>',
    '/status': '<missing>',
  })
  assert.equal(answerOf('<html>').decoded.body, 'text(6 bytes)')
})

test('captures the id, state, code and time of a receipt, and the last three digits of its number', () => {
  const time = '2026-11-16 04:00:00'
  const report = { id: '0193a7b2-1c00-7000', state: 'Delivered to handset', code: 30003, to: '+977 9841000001', time }
  assert.deepEqual(reportsOf({ reports: [report, { state: 'Your code is 482917' }] }), [
    { '/to': '+*** *******001', '/id': report.id, '/state': report.state, '/code': '30003', '/time': time },
    {
      ...{ '/to': '<missing>', '/id': '<missing>', '/state': '<string(19)>' },
      ...{ '/code': '<missing>', '/time': '<missing>' },
    },
  ])
  assert.deepEqual(reportsOf({ reports: 'none' }), { '/reports': '<string(4)>' })
  assert.deepEqual(reportsOf(undefined), { '/reports': '<missing>' })
})

test('captures a call as described: its path with placeholders, its header names, the shape of its body', () => {
  const path = describedPath(description.url, description.auth)
  assert.equal(path, '/v1/{secret.key}/send?to={to}&text={text}&mode=***&both=***&token=***')
  assert.equal(describedPath('https://a.example/x', description.auth), '/x?token=***')
  const body = Buffer.from('{"to":["+977"],"text":"Hi"}')
  const headers = { Host: 'a', 'X-Key': 'secret', 'x-482917': '' }
  const { decoded, bytes } = captureRequest(
    { method: 'POST', host: 'a.example:1', path, headers, body },
    nothingPrivate,
  )
  assert.deepEqual(decoded, {
    ...{ method: 'POST', host: 'a.example:1', path },
    headers: ['host', 'x-key', '<name(8)>'],
    body: { to: ['string(4)'], text: 'string(2)' },
    bodyBytes: 27,
  })
  assert.match(bytes.toString(), /^POST \/v1\/\S+ HTTP\/1\.1\r\nhost: a\.example:1\r\nx-key: \*\*\*\r\n/)
})

test('captures a shape of bounded size for every body, and never breaks a header line (property)', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (body) => {
      const { all, decoded } = answerOf(body, nothingPrivate, { 'x-a\r\nset-cookie': 'b' })
      assert.ok(!all.includes('\r\nset-cookie') && !JSON.stringify(decoded).includes('\\u0000'))
    }),
  )
  const large = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`f${at}`, { a: [{ b: { c: 1 } }, 1, 2] }]))
  assert.ok(answerOf([large, large, large]).all.length < 20_000)
  assert.ok(answerOf(`${'{"a":'.repeat(150_000)}1${'}'.repeat(150_000)}`).all.length < 1_000)
})
