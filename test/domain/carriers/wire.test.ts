// What of a call over HTTP may be shown to people (D60): no code, no secret, in whatever spelling and place; ids and numbers stay.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hider } from '../../../src/domain/carriers/http/secrets.ts'
import { hideDigits, hiderOf } from '../../../src/domain/carriers/http/wire/hide.ts'
import { hideForm } from '../../../src/domain/carriers/http/wire/hide-form.ts'
import { hideJson } from '../../../src/domain/carriers/http/wire/hide-json.ts'
import { MOST_SHOWN_BYTES, showMessage } from '../../../src/domain/carriers/http/wire/http-message.ts'

const SECRET = 'p+ss/w?rd & "quoted"'
const nothing = { json: [], form: new Set<string>(), query: new Set<string>() }
const hide = hiderOf({
  own: ['+9779841000001', '9841000001'],
  texts: [],
  hideSecrets: hider({ key: SECRET }, null),
})
const shown = (body: string | Buffer, type = 'application/json', by = hide) =>
  showMessage({ firstLine: 'HTTP/1.1 200', headers: { 'content-type': type }, body: Buffer.from(body) }, by, nothing)

/** How a carrier may repeat a text to us. */
const spellings: Record<string, (text: string) => [body: string | Buffer, type: string]> = {
  json: (text) => [JSON.stringify({ text }), 'application/json'],
  'json with spaces': (text) => [JSON.stringify({ a: [{ text }] }, null, 2), 'application/json'],
  'json in json': (text) => [JSON.stringify({ request: JSON.stringify({ text }) }), 'application/json'],
  'json, escaped': (text) => [`{"text":"${utf16(text)}"}`, 'application/json'],
  'a name in json': (text) => [JSON.stringify({ [text]: 1 }), 'application/json'],
  'broken json': (text) => [`{"text":"${text}`, 'application/json'],
  'json said to be text': (text) => [JSON.stringify({ text }), 'text/plain'],
  form: (text) => [new URLSearchParams({ text }).toString(), 'application/x-www-form-urlencoded'],
  'form, all escaped': (text) => [`text=${percent(text)}`, 'application/x-www-form-urlencoded'],
  'form, twice escaped': (text) => [`text=${encodeURIComponent(percent(text))}`, 'application/x-www-form-urlencoded'],
  'a url': (text) => [JSON.stringify({ next: `https://provider.example/?t=${percent(text)}` }), 'application/json'],
  html: (text) => [`<html><p>${text}</p></html>`, 'text/html'],
  'html, escaped': (text) => [`<p>${[...text].map((it) => `&#${it.codePointAt(0)};`).join('')}</p>`, 'text/html'],
  'html, in hex': (text) => [
    `<p>${[...text].map((it) => `&#x${it.codePointAt(0)?.toString(16)};`).join('')}`,
    'text/html',
  ],
  xml: (text) => [`<?xml version="1.0"?><sms text="${text}"/>`, 'text/xml'],
  plain: (text) => [text, 'text/plain'],
  multipart: (text) => [
    `--x\r\nContent-Disposition: form-data; name="text"\r\n\r\n${text}\r\n--x--\r\n`,
    'multipart/form-data; boundary=x',
  ],
  base64: (text) => [JSON.stringify({ text: Buffer.from(text).toString('base64') }), 'application/json'],
  'base64 in a multipart': (text) => [
    `--x\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(text).toString('base64')}\r\n--x--\r\n`,
    'multipart/form-data; boundary=x',
  ],
  hex: (text) => [JSON.stringify({ text: Buffer.from(text).toString('hex') }), 'application/json'],
  'ucs2 in hex': (text) => [
    JSON.stringify({ text: Buffer.from(text, 'utf16le').swap16().toString('hex') }),
    'application/json',
  ],
  utf16: (text) => [Buffer.from(JSON.stringify({ text }), 'utf16le'), 'application/json'],
}
const percent = (text: string) => Buffer.from(text).toString('hex').replaceAll(/../g, '%$&')
const utf16 = (text: string) =>
  Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')

test('no digit of a text is shown, however it is repeated', () => {
  const code = fc.stringMatching(/^[0-9]{6}$/)
  const texts = fc.oneof(
    code.map((it) => `Your code is ${it}.`),
    code,
    code.map((it) => `${it.slice(0, 3)}-${it.slice(3)}`),
    code.map((it) => `कोड ${inDevanagari(it)}`),
    code.map(inDevanagari),
  )
  fc.assert(
    fc.property(texts, fc.constantFrom(...Object.keys(spellings)), (text, name) => {
      const [body, type] = spellings[name]?.(text) ?? assert.fail()
      const { bytes, headers, body: told } = shown(body, type)
      const digits = (text.match(/\p{Nd}/gu) ?? []).join('')
      const all = `${bytes.toString()}\n${JSON.stringify(headers)}\n${told}`
      // In whatever it could be read as.
      for (const read of [all, unspelt(all)]) {
        assert.ok(!read.includes(digits), `${name}: ${all}`)
        assert.ok(!read.includes(text), `${name}: ${all}`)
      }
      assert.ok(!all.includes(Buffer.from(text).toString('base64').slice(0, 8)), `${name}: ${all}`)
    }),
    { numRuns: 400 },
  )
})

const inDevanagari = (digits: string) => digits.replaceAll(/\d/g, (it) => String.fromCodePoint(0x966 + Number(it)))
const unspelt = (text: string) =>
  text
    .replaceAll(/\\+u([0-9a-f]{4})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll(/(?:%[0-9a-f]{2})+/gi, (it) => Buffer.from(it.replaceAll('%', ''), 'hex').toString())
    .replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replaceAll('\u0000', '')

test('a secret is shown in no spelling', () => {
  for (const [name, spell] of Object.entries(spellings)) {
    const [body, type] = spell(SECRET)
    const { bytes, body: told } = shown(body, type)
    for (const read of [bytes.toString(), told ?? '', unspelt(bytes.toString())])
      assert.ok(
        !read.includes('p+ss/w') && !read.includes('quoted\\"') && !read.includes('"quoted"'),
        `${name}: ${read}`,
      )
  }
})

test('a secret is hidden also as a provider writes it again', () => {
  const secret = 'Zk/9q+Lm==/é'
  const hideSecrets = hider({ key: secret }, null)
  const small = (text: string) => text.replaceAll(/%../g, (it) => it.toLowerCase())
  const bytes = Buffer.from(secret)
  const spelled = [
    secret,
    secret.replaceAll('/', '\\/'),
    encodeURIComponent(secret),
    small(encodeURIComponent(secret)),
    small(new URLSearchParams({ '': secret }).toString().slice(1)),
    bytes.toString('base64'),
    bytes.toString('base64').replaceAll('/', '\\/'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
  ]
  for (const each of spelled) assert.equal(hideSecrets(`wrong key <${each}>`), 'wrong key <***>', each)
})

test('ids, numbers, times and short values stay as they were written, to the last digit', () => {
  const body =
    '{ "id": 90071992547409931234, "uuid":"0193a7b2-1c00-7000-8000-00000000000c", "to" : "+9779841000001",\n' +
    ' "at":"2026-11-16T04:00:00.123Z", "sid":"SM0123456789abcdef0123456789abcdef", "status":200, "state":"DELIVRD", "n":1.5,' +
    ' "who":"9841000001" }'
  assert.equal(shown(body).body, body)
  const said = '{"error":"To 9841000001 there is no way, see 12345"}'
  assert.equal(shown(said).body, '{"error":"To 9841000001 there is no way, see #####"}')
})

test('what stands where something is read stays, unless it is a text or quotes one', () => {
  const by = (texts: string[]) => hiderOf({ own: [], texts, hideSecrets: (it) => it })
  const places = [['id'], ['messages', null, 'ref']]
  const body = '{"id":"a-123456","messages":[{"ref":"654321","other":"654321"}],"deep":{"id":"123456"}}'
  assert.equal(
    hideJson(body, by([]), places),
    '{"id":"a-123456","messages":[{"ref":"654321","other":"######"}],"deep":{"id":"######"}}',
  )
  assert.equal(hideJson('{"id":"a-123456"}', by(['Code 123456']), places), '{"id":"a-######"}')
  assert.equal(hideJson('{"id":"12345"}', by(['Code 123456']), places), '{"id":"#####"}', 'what is left of a code')
  assert.equal(hideJson('{"id":"Code 123456"}', by([]), places), '{"id":"Code ######"}')
  assert.equal(
    hideForm('sid=12345678&x=12345678&a%5Bb%5D=%31%32%33%34', by([]), new Set(['sid'])),
    'sid=12345678&x=%23%23%23%23%23%23%23%23&a%5Bb%5D=%23%23%23%23',
  )
})

test('headers and fields that open something are shown by name only', () => {
  const { headers, body } = showMessage(
    {
      firstLine: 'HTTP/1.1 200',
      headers: {
        Authorization: 'Bearer abc',
        'X-Api-Key': 'abc',
        'set-cookie': ['a=b', 'c=d'],
        date: 'Mon, 16 Nov 2026 04:00:00 GMT',
        'retry-after': '120000',
        'x-echo': 'Your code is 123456',
        'x-123456': 'a',
      },
      body: Buffer.from('{"token":"abc","auth":{"password":"x"},"otp":123456}'),
    },
    hide,
    nothing,
  )
  assert.deepEqual(headers, {
    authorization: '***',
    'x-api-key': '***',
    'set-cookie': '***',
    date: 'Mon, 16 Nov 2026 04:00:00 GMT',
    'retry-after': '120000',
    'x-echo': 'Your code is ######',
    'x-######': 'a',
  })
  assert.equal(body, '{"token":"***","auth":{"password":"***"},"otp":"***"}')
})

test('no more of a body is shown than so much, what is no text is not, and no line of a header ends early', () => {
  const long = shown(`{"text":"${'Your code is 123456 '.repeat(5_000)}"}`)
  assert.ok(long.bytes.length < MOST_SHOWN_BYTES + 1_000)
  assert.equal(long.bodyBytes, 100_011)
  assert.match(long.body ?? '', /\(100011 bytes in all\)$/)
  assert.ok(!/[1-9]{3,}/.test((long.body ?? '').replace(/\(.*/, '')))
  for (let before = 0; before < 20; before++) {
    const cut = shown(`[${'"x",'.repeat(4_090)}${' '.repeat(before)}123456,123456]`)
    assert.ok(!/\d/.test((cut.body ?? '').replace(/…?\s\(\d+ bytes in all\)$/, '')), String(before))
  }
  assert.equal(
    shown(Buffer.from(Array.from({ length: 400 }, (_, at) => at % 256))).body,
    '(400 bytes that are no text)',
  )
  const split = showMessage(
    { firstLine: 'HTTP/1.1 200', headers: { 'x-a': 'one\r\nset-cookie: two' }, body: null },
    hide,
    nothing,
  )
  assert.ok(!split.bytes.includes('\r\nset-cookie'))
  for (const spelled of [
    '\\u000d\\u000aset-cookie: two',
    '%0d%0aset-cookie: two',
    'a\\u0000b',
    'a&#xD800;b',
    'a\\udc00b',
  ]) {
    const { bytes, headers } = showMessage({ firstLine: '', headers: { 'x-a': spelled }, body: null }, hide, nothing)
    assert.ok(!bytes.includes('\r\nset-cookie'))
    assert.ok(headers['x-a']?.isWellFormed() && !headers['x-a'].includes('\u0000'), spelled)
  }
})

test('whatever comes is shown without a fault, and every digit of Devanagari goes', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array().map((it) => Buffer.from(it)),
        fc.json(),
      ),
      (body) => {
        const { bytes, body: told } = shown(body, '')
        assert.ok(bytes.toString().includes('content-length'))
        assert.ok(told?.isWellFormed() && !told.includes('\u0000'))
      },
    ),
    { numRuns: 100 },
  )
  assert.equal(hideDigits('४5६'), '###')
})

test('a secret that the cut would halve is hidden whole, in a body and in a header', () => {
  const before = SECRET.slice(0, 8)
  for (let room = 0; room <= SECRET.length; room++) {
    const body = `${'x'.repeat(MOST_SHOWN_BYTES - room)}${SECRET}${'y'.repeat(100)}`
    const header = `${'x'.repeat(1_000 - room)}${SECRET}`
    const by = { firstLine: 'HTTP/1.1 200', headers: { 'x-said': header }, body: Buffer.from(body) }
    const { bytes } = showMessage(by, hide, nothing)
    assert.ok(!bytes.includes(before), `${room} of it before the cut`)
  }
})
