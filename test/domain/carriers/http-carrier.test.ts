// An HTTP carrier as data: templates, calls, responses, and what is rejected when it is saved (D48, D49, D50).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readAnswer } from '../../../src/domain/carriers/http/answer.ts'
import type { AnswerReading, HttpDescription } from '../../../src/domain/carriers/http/description.ts'
import { at, parsePointer } from '../../../src/domain/carriers/http/pointer.ts'
import { createRedactors, NO_PRIVATE_PARTS } from '../../../src/domain/carriers/http/redact.ts'
import { compileSubmission, type HttpCall, valuesOf } from '../../../src/domain/carriers/http/request.ts'
import { parseHttpTemplate } from '../../../src/domain/carriers/http/template.ts'
import { validateDescription } from '../../../src/domain/carriers/http/validate-description.ts'
import { applySecretChanges } from '../../../src/domain/carriers/secrets.ts'

const plain: HttpDescription = {
  preset: null,
  onlyTo: [],
  method: 'POST',
  url: 'https://api.example.com/send?to={to}&text={text}',
  headers: { 'X-From': '{from}' },
  auth: { kind: 'query', name: 'key', value: '{secret.key}' },
  body: { kind: 'form', fields: { text: '{text}', key: '{secret.key}' } },
  answer: { rules: [], id: '/id', said: '/error' },
  receipts: null,
}
const message = { messageId: '01930000-0000-7000-8000-00000000000c', to: '+9779841000001', from: 'Brand', text: 'Hi' }
const secrets = { key: 'k&y=1' }
const judging = { isAllowed: () => false, secretNames: ['key'], hasPublicUrl: false }

function callOf(description: HttpDescription, fields: Partial<typeof message> = {}): HttpCall {
  const call = compileSubmission(description, secrets)(valuesOf({ ...message, ...fields }))
  assert(!('unsendable' in call))
  return call
}

test('builds the call from the description and the message', () => {
  const call = callOf(plain)
  assert.equal(call.path, '/send?to=%2B9779841000001&text=Hi&key=k%26y%3D1')
  assert.deepEqual(call.headers, { 'content-type': 'application/x-www-form-urlencoded', 'x-from': 'Brand' })
  assert.equal(call.body, 'text=Hi&key=k%26y%3D1')
  const basic = callOf({ ...plain, auth: { kind: 'basic', user: 'me', password: '{secret.key}' } })
  assert.equal(basic.headers.authorization, `Basic ${Buffer.from('me:k&y=1').toString('base64')}`)
  const values = valuesOf({ ...message, to: '+4915112345678' })
  assert.deepEqual([values.toDigits, values.toNational], ['4915112345678', '15112345678'])
  assert.equal(valuesOf(message).toNational, '9841000001')
  assert.equal(values.reference, '0193000000007000800000000000000c')
})

test('keeps every text in its place (property)', () => {
  const json: HttpDescription = {
    ...plain,
    body: { kind: 'json', value: { to: ['{to}'], text: '<{text}>', '{text}': 1, fixed: true } },
  }
  const anyText = fc.string({ unit: 'binary', maxLength: 200 })
  fc.assert(
    fc.property(anyText, (text) => {
      const well = text.toWellFormed()
      const form = callOf(plain, { text })
      const url = new URL(form.origin + form.path)
      assert.deepEqual([...url.searchParams.keys()], ['to', 'text', 'key'])
      assert.equal(url.searchParams.get('text'), well)
      assert.equal(url.pathname, '/send')
      assert.deepEqual(
        [...new URLSearchParams(form.body ?? '')],
        [
          ['text', well],
          ['key', 'k&y=1'],
        ],
      )
      const body = JSON.parse(callOf(json, { text }).body ?? '')
      assert.deepEqual(body, { to: [message.to], text: `<${well}>`, '{text}': 1, fixed: true })
    }),
  )
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (from) => {
      const call = compileSubmission(plain, secrets)(valuesOf({ ...message, from }))
      assert.equal('unsendable' in call, !/^[ -~]*$/.test(from))
    }),
  )
})

test('parses or rejects templates without throwing, and supports literal braces', () => {
  assert.deepEqual(parseHttpTemplate('a{{b}}{to}'), [
    { kind: 'words', words: 'a' },
    { kind: 'words', words: '{' },
    { kind: 'words', words: 'b' },
    { kind: 'words', words: '}' },
    { kind: 'message', name: 'to' },
  ])
  for (const bad of ['{', '}', '{to', 'to}', '{too}', '{}', '{secret.}', '{secret.1x}', '{constructor}', '{to }'])
    assert.equal(typeof parseHttpTemplate(bad), 'string', bad)
  fc.assert(fc.property(fc.string(), (text) => void parseHttpTemplate(text)))
})

test('finds the value of a pointer, and nothing else', () => {
  const json = { a: [{ 'b/c': 1, '~': 2 }], '': 3 }
  const found = (text: string) => at(json, parsePointer(text) ?? ['none'])
  assert.deepEqual(['/a/0/b~1c', '/a/0/~0', '/', '/a/00', '/a/length', '/a/1', '/constructor'].map(found), [
    ...[1, 2, 3],
    ...[undefined, undefined, undefined, undefined],
  ])
  assert.equal(found(''), json)
  for (const bad of ['a', '/~2', `/${'x/'.repeat(30)}`]) assert.equal(parsePointer(bad), null)
})

test('decides by the status without a rule, and counts ambiguous ones as unknown (D49)', () => {
  const reading: AnswerReading = { rules: [], id: '/id', said: null }
  const judge = (status: number, json: unknown = {}) => {
    const { outcome, error, alarm } = readAnswer({ status, json }, reading)
    return `${outcome} ${error} ${alarm ? '!' : ''}`.trim()
  }
  for (const [statuses, said] of [
    [[200, 202, 204, 299], 'unknown'],
    [[300, 302, 303, 304, 409, 500, 502, 503, 504, 520], 'unknown'],
    [[301, 307, 308, 401, 402, 403, 404, 405, 413, 415, 501], 'other_carrier  !'],
    [[408, 421, 425], 'other_carrier'],
    [[400, 422, 499], 'rejected carrier_rejected'],
    [[429], 'throttled'],
  ] as const)
    for (const status of statuses) assert.equal(judge(status), said, String(status))
  assert.equal(judge(200, { id: 'x' }), 'accepted')
  assert.equal(judge(200, { id: 7 }), 'accepted')
  for (const id of ['', null, {}, 'x'.repeat(201)]) assert.equal(judge(200, { id }), 'unknown')
  assert.equal(judge(200, undefined), 'unknown')
})

test('applies the first matching rule, by status, pointer, value or table', () => {
  const reading: AnswerReading = {
    id: '/id',
    said: '/words',
    rules: [
      { status: ['2xx'], at: '/code', is: [0, '0'], outcome: 'accepted' },
      { at: '/code', table: { '5': { outcome: 'rejected', error: 'invalid_number' }, true: { outcome: 'throttled' } } },
      { status: [503], outcome: 'other_carrier' },
      { at: '/maybe', outcome: 'unknown' },
    ],
  }
  const judge = (status: number, json: unknown) => readAnswer({ status, json }, reading)
  assert.deepEqual(
    [judge(200, { code: 0, id: 'a' }).carrierMessageId, judge(200, { code: '0' }).outcome],
    ['a', 'accepted'],
  )
  assert.equal(judge(200, { code: '0' }).oddity, 'response has no id at /id')
  assert.deepEqual([judge(500, { code: 5 }).error, judge(400, { code: true }).outcome], ['invalid_number', 'throttled'])
  assert.deepEqual([judge(503, undefined).outcome, judge(200, { maybe: null }).outcome], ['other_carrier', 'unknown'])
  // Rules define success, so an id alone is not enough; and tables have no inherited properties.
  assert.equal(judge(200, { id: 'a' }).outcome, 'unknown')
  assert.equal(judge(422, { code: 'constructor' }).outcome, 'rejected')
  assert.equal(judge(400, { words: 'no\r\n\u0000way' }).said, 'HTTP 400 no way')
  fc.assert(fc.property(fc.integer({ min: 200, max: 599 }), fc.jsonValue(), (status, json) => void judge(status, json)))
})

test('reports all errors of a description at once, with their paths', () => {
  assert.deepEqual(validateDescription(plain, judging), [])
  const places = (change: Partial<HttpDescription>, more = {}) =>
    validateDescription({ ...plain, ...change }, { ...judging, ...more }).map(({ path }) => path.join('.'))
  for (const url of [
    ...['ftp://x.example/', 'nonsense', 'https://{to}.example/', 'https://u:p@x.example/', 'https://x.example/{text}'],
    ...[
      'https://10.0.0.1/',
      'http://8.8.8.8/',
      'https://localhost/',
      'https://x.example/ a',
      'https://x.example/{nope}',
    ],
    ...['https://x.example/#a'],
  ])
    assert.deepEqual(places({ url }), ['url'], url)
  assert.deepEqual(places({ url: 'http://10.0.0.1/' }, { isAllowed: () => true }), [])
  assert.deepEqual(places({ headers: { Host: 'x', 'a b': 'x', 'X-A': '{text}', 'X-B': '{secret.none}' } }), [
    ...['headers.Host', 'headers.a b', 'headers.X-A', 'headers.X-B'],
  ])
  assert.deepEqual(places({ auth: { kind: 'header', name: 'Authorization', value: '{to}' } }), ['auth.value'])
  assert.deepEqual(places({ auth: { kind: 'query', name: 'key', value: 'in plain words' } }), ['auth.value'])
  assert.deepEqual(places({ auth: { kind: 'basic', user: 'me', password: 'plain' } }), ['auth.password'])
  assert.deepEqual(places({ auth: { kind: 'basic', user: '{secret.key}', password: '' } }), [])
  assert.deepEqual(places({ method: 'GET' }), ['body'])
  assert.deepEqual(places({ body: { kind: 'json', value: { a: ['{b}'] } } }), ['body.value.a.0'])
  const answer = {
    id: 'x',
    said: 'y',
    rules: [{}, { outcome: 'accepted' as const, status: [200], error: 'invalid_number' as const }],
  }
  assert.deepEqual(places({ answer }), [
    ...['answer.id', 'answer.said', 'answer.rules.0', 'answer.rules.0', 'answer.rules.1.error'],
  ])
  assert.deepEqual(places({ answer: { id: null, said: null, rules: [] } }), ['answer'])
})

test('redacts secrets in every encoding, and changes them one by one (D50)', () => {
  const redactor = createRedactors({ user: 'some one', key: 'k&y=1"' })(NO_PRIVATE_PARTS)
  const basic = Buffer.from('some one:pwk&y=1"').toString('base64')
  for (const spelled of [
    'k&y=1"',
    'k%26y%3D1%22',
    'k&y=1\\"',
    'some+one',
    'some%20one',
    basic,
    encodeURIComponent(basic),
  ])
    assert.equal(redactor.words(`a ${spelled} b`), 'a *** b', spelled)
  assert.deepEqual(applySecretChanges({ a: '1', b: '2' }, { a: null, c: '3' }), { b: '2', c: '3' })
})
