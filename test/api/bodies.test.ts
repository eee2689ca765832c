// Request bodies (D36, D38, D4): strict about bytes, tolerant of missing optional fields, and all faults in one response.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { FieldError } from '../../src/domain/refusals.ts'
import { sql } from '../../src/store/database/sql.ts'
import { approveTemplate, makeClient } from '../harness/client.ts'
import { assertRefused } from '../harness/refused.ts'
import { call, OPERATOR_TOKEN, ownService } from '../harness/service.ts'

const service = await ownService()
const client = await makeClient(service)

const messagesOf = async (clientId: string) =>
  (await service.db.query(sql`select id from message where client_id = ${clientId}`)).length

const manage = (body: unknown, headers = {}) =>
  call(`${service.url}/api/manage/v1/workspaces`, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, ...headers },
  })

describe('a body is JSON in UTF-8 (D36)', () => {
  const namaste = '{"to":"9841234567","text":"नमस्ते"}'
  const cutShort = Buffer.from(namaste).subarray(0, -3)
  const refused: [what: string, body: Uint8Array | string, headers: Record<string, string>, says: RegExp][] = [
    ['Latin-1', Buffer.from('{"to":"9841234567","text":"caf\u00e9"}', 'latin1'), {}, /UTF-8/],
    ['a character cut short', Buffer.concat([cutShort, Buffer.from('"}')]), {}, /UTF-8/],
    ['a surrogate in UTF-8', Buffer.from('{"to":"9841234567","text":"\xed\xa0\x80"}', 'latin1'), {}, /UTF-8/],
    ['UTF-16', Buffer.from(`\ufeff${namaste}`, 'utf16le'), {}, /UTF-8/],
    ['a body that says it is Latin-1', namaste, { 'content-type': 'application/json; charset=iso-8859-1' }, /charset/],
    ['a body that says it is UTF-16', namaste, { 'content-type': 'application/json;charset="UTF-16"' }, /charset/],
    ['gzip', gzipSync(namaste), { 'content-encoding': 'gzip' }, /compressed/],
    ['a body that says it is gzip', namaste, { 'content-encoding': 'gzip' }, /compressed/],
    ['a body that is empty', '', {}, /empty/],
  ]
  for (const [what, body, headers, says] of refused) {
    test(`${what} is 400 invalid_request with its own message, in both APIs`, async () => {
      const before = await messagesOf(client.id)
      for (const answer of [await client.post('/sms/send', body, headers), await manage(body, headers)]) {
        assertRefused(answer, 400, 'invalid_request')
        assert.match(answer.body.error, says)
      }
      assert.equal(await messagesOf(client.id), before)
    })
  }

  test('accepts an explicit UTF-8 charset and a byte order mark', async () => {
    const own = await makeClient(service)
    const key = { 'idempotency-key': 'bom' }
    const first = await own.post('/sms/send', namaste, key)
    assert.equal(first.status, 200)
    for (const charset of ['utf-8', 'UTF-8', '"utf-8"', 'utf8']) {
      const answer = await own.post('/sms/send', namaste, {
        ...key,
        'content-type': `application/json; charset=${charset}`,
      })
      assert.equal(answer.body.messageId, first.body.messageId, charset)
    }
    const marked = await own.post('/sms/send', Buffer.from(`\ufeff${namaste}`), key)
    assert.equal(marked.headers.get('idempotent-replayed'), 'true')
    const plain = await own.post('/sms/send', namaste, { ...key, 'content-encoding': 'identity' })
    assert.equal(plain.headers.get('idempotent-replayed'), 'true')
  })

  const poisoned: [what: string, body: string, says: RegExp][] = [
    ['__proto__ in the body', '{"to":"9841234567","text":"x","__proto__":{"a":1}}', /__proto__/],
    ['__proto__ in variables', '{"to":"9841234567","templateId":"t","variables":{"__proto__":"x"}}', /__proto__/],
    ['__proto__ in escapes', '{"to":"9841234567","text":"x","\\u005f_prot\\u006F__":1}', /__proto__/],
    ['constructor.prototype', '{"to":"9841234567","text":"x","constructor":{"prototype":{}}}', /constructor/],
  ]
  for (const [what, body, says] of poisoned) {
    test(`rejects the key ${what} with its own message, in both APIs`, async () => {
      for (const answer of [await client.post('/sms/send', body), await manage(body)]) {
        assertRefused(answer, 400, 'invalid_request')
        assert.match(answer.body.error, says)
      }
    })
  }

  test('accepts reserved names in a text, or below thousands of levels', async () => {
    assert.equal((await client.send({ text: 'What is __proto__? And "constructor"?' })).status, 200)
    const deep = `${'['.repeat(30_000)}"__proto__"${']'.repeat(30_000)}`
    assertRefused(await client.post('/sms/send', deep), 400, 'invalid_request')
  })
})

describe('missing and invalid fields (D38)', () => {
  const to = '9841234567'
  const pathsOf = (details: { path: string[] }[]) => details.map(({ path }) => path.join('.')).sort()

  test('treats null like a missing optional field: same response, and same body for an Idempotency-Key', async () => {
    const own = await makeClient(service, { mode: 'test', testOtpCode: '246813', defaultSender: 'HIMAL' })
    const key = (name: string) => ({ 'idempotency-key': name })
    const bodies: [path: string, lean: object, nulls: object][] = [
      ['/sms/send', { to, text: 'x' }, { templateId: null, variables: null, type: null, senderId: null }],
      ['/sms/otp/send', { to }, { purpose: null, ip: null, senderId: null }],
      ['/sms/otp/verify', { to, code: '246813' }, { purpose: null }],
    ]
    for (const [path, lean, nulls] of bodies) {
      const first = await own.post(path, { ...lean, ...nulls }, key(path))
      assert.equal(first.status, 200, JSON.stringify(first.body))
      const replay = await own.post(path, lean, key(path))
      assert.deepEqual([replay.headers.get('idempotent-replayed'), replay.body], ['true', first.body])
    }
    const templateId = await approveTemplate(service, own.workspaceId, { text: 'Hi!' })
    assert.equal((await own.post('/sms/send', { to, text: null, templateId })).body.from, 'HIMAL')
    for (const field of ['to', 'code']) {
      const answer = await own.post('/sms/otp/verify', { to, code: '246813', [field]: null })
      assertRefused(answer, 400, 'invalid_request', [field])
    }
  })

  test('treats an empty ip like a missing one: no limit, and the same body', async () => {
    const own = await makeClient(service, { mode: 'test' })
    for (let sent = 0; sent < 11; sent++)
      assert.equal((await own.otp({ to: `98421000${10 + sent}`, ip: '' })).status, 200)
    await own.otp({ ip: '' }, { 'idempotency-key': 'ip' })
    assert.equal((await own.otp({}, { 'idempotency-key': 'ip' })).headers.get('idempotent-replayed'), 'true')
  })

  test('treats an empty senderId like a missing one: the default sender, and the same body', async () => {
    const own = await makeClient(service, { defaultSender: 'HIMAL' })
    const first = await own.send({ senderId: '' }, { 'idempotency-key': 'sender' })
    assert.equal(first.body.from, 'HIMAL')
    assert.equal((await own.send({}, { 'idempotency-key': 'sender' })).headers.get('idempotent-replayed'), 'true')
    const { messageId } = (await own.otp({ senderId: '' })).body
    assert.equal((await own.get(`/sms/messages/${messageId}`)).body.from, 'HIMAL')
  })

  test('ignores unknown fields with any name', async () => {
    const more = { priority: 'high', constructor: 1, prototype: 2, toString: 'x' }
    assert.equal((await client.send(more)).status, 200)
    assert.equal((await client.otp({ to: '9842999999', ...more })).status, 200)
    assert.equal((await client.verify({ code: '123456', ...more })).status, 200)
  })

  test('accepts a variable named constructor', async () => {
    const own = await makeClient(service)
    const templateId = await approveTemplate(service, own.workspaceId, { text: 'Built by {{constructor}}.' })
    const { body } = await own.post('/sms/send', { to, templateId, variables: { constructor: 'Ram & Sons' } })
    assert.equal((await own.get(`/sms/messages/${body.messageId}`)).body.text, 'Built by Ram & Sons.')
  })

  test('lists every fault in details, also faults between fields', async () => {
    const wrong = { to: '12', type: 'spam', senderId: 'a\n', variables: { a: true, b: null, c: ['x'], d: {} } }
    const answer = await client.post('/sms/send', wrong)
    assertRefused(answer, 400, 'invalid_request')
    assert.deepEqual(pathsOf(answer.body.details), [
      'senderId',
      'text',
      'to',
      'type',
      'variables',
      'variables.a',
      'variables.b',
      'variables.c',
      'variables.d',
    ])
    const both = await client.post('/sms/send', { text: '', templateId: 7 })
    assert.deepEqual(pathsOf(both.body.details), ['templateId', 'text', 'text', 'to'])
    const otp = await client.post('/sms/otp/send', { purpose: 7, ip: '1'.repeat(65), senderId: '\t' })
    assert.deepEqual(pathsOf(otp.body.details), ['ip', 'purpose', 'senderId', 'to'])
  })

  test('lists the fault of an Idempotency-Key beside the faults of the body, in both APIs', async () => {
    const key = { 'idempotency-key': 'k'.repeat(201) }
    for (const [path, body, faults] of [
      ['/sms/send', { to: '12', text: 'x' }, ['idempotency-key', 'to']],
      ['/sms/otp/send', {}, ['idempotency-key', 'to']],
      ['/sms/otp/verify', { to, code: '1' }, ['code', 'idempotency-key']],
      ['/sms/send', { to, text: 'x' }, ['idempotency-key']],
    ] as const) {
      const answer = await client.post(path, body, key)
      assertRefused(answer, 400, 'invalid_request')
      assert.deepEqual(pathsOf(answer.body.details), faults)
    }
    const unread = await client.post('/sms/send', 'no JSON', key)
    assertRefused(unread, 400, 'invalid_request', ['idempotency-key'])
    assert.match(unread.body.error, /JSON/)
    const topUp = await call(`${service.url}/api/manage/v1/workspaces/${client.workspaceId}/credits`, {
      method: 'POST',
      body: { amount: 'much' },
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, ...key },
    })
    assertRefused(topUp, 400, 'invalid_request')
    assert.deepEqual(pathsOf(topUp.body.details), ['amount', 'idempotency-key'])
  })

  const cases: [path: string, body: unknown, faults: Record<string, string>][] = [
    ['/sms/send', { to, text: '' }, { text: 'Must not be empty' }],
    ['/sms/send', { text: 'x' }, { to: 'Must be given' }],
    ['/sms/send', { to: 9841234567, text: ['x'] }, { to: 'Must be a string', text: 'Must be a string' }],
    ['/sms/send', { to: '12', text: 'x' }, { to: 'Must be a phone number of 7 to 15 digits' }],
    ['/sms/send', { to, text: 'a\u0000' }, { text: 'Must not contain control characters or invalid Unicode' }],
    ['/sms/send', { to, text: 'x', type: 'spam' }, { type: 'Must be one of transactional, otp, promotional' }],
    ['/sms/send', { to, text: 'x', type: 7 }, { type: 'Must be one of transactional, otp, promotional' }],
    ['/sms/send', { to, templateId: 7 }, { templateId: 'Must be a string' }],
    ['/sms/send', { to, templateId: 't', variables: 'x' }, { variables: 'Must be an object' }],
    ['/sms/send', { to, templateId: 't', variables: { a: true } }, { 'variables.a': 'Must be a string or a number' }],
    ['/sms/send', { to, text: 'x', variables: { a: 1 } }, { variables: 'Send variables only with a templateId' }],
    ['/sms/send', { to }, { text: 'Send exactly one of text and templateId' }],
    ['/sms/send', { to, text: 'x', senderId: 's'.repeat(101) }, { senderId: 'Must have at most 100 characters' }],
    ['/sms/send', [], { '': 'Must be an object' }],
    ['/sms/send', 'null', { '': 'Must be an object' }],
    ['/sms/otp/send', { to, purpose: 'p'.repeat(51) }, { purpose: 'Must have at most 50 characters' }],
    ['/sms/otp/send', { to, ip: 7 }, { ip: 'Must be a string' }],
    ['/sms/otp/send', {}, { to: 'Must be given' }],
    ['/sms/otp/verify', { to }, { code: 'Must be given' }],
    ['/sms/otp/verify', { to, code: '12345' }, { code: 'Must be six digits' }],
    ['/sms/otp/verify', { to, code: 123456 }, { code: 'Must be a string' }],
  ]
  for (const [path, body, faults] of cases) {
    test(`explains what is wrong with ${JSON.stringify(body).slice(0, 60)} for ${path} (§2.6)`, async () => {
      const answer = await client.post(path, body)
      assertRefused(answer, 400, 'invalid_request')
      const messages = answer.body.details.map((it: FieldError) => [it.path.join('.'), it.message])
      assert.deepEqual(Object.fromEntries(messages), faults)
    })
  }

  test('uses the same messages in the management API (§2.6)', async () => {
    const wrong = { name: '', country: 'NP', monthlyCredit: '5', rate: 7, maxClients: 1.5, colour: 'red', plan: 'gold' }
    const answer = await manage(wrong)
    assertRefused(answer, 400, 'invalid_request')
    const messages = answer.body.details.map((it: FieldError) => [it.path.join('.'), it.message])
    assert.deepEqual(Object.fromEntries(messages), {
      name: 'Must not be empty',
      monthlyCredit: 'Must be a number',
      rate: 'Must be an object',
      maxClients: 'Must be a whole number',
      plan: 'Must be one of standard, enterprise',
      '': 'Must not have colour',
    })
    const list = await service.manage('GET', '/workspaces?limit=1000&cursor=x')
    const words = list.body.details.map((it: FieldError) => it.message).sort()
    assert.deepEqual(words, ['Must be a UUID', 'Must be at most 200'])
  })

  test('lists the first hundred faults of a body with thousands', async () => {
    const variables = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [index, true]))
    const answer = await client.post('/sms/send', { to, templateId: 't', variables })
    assertRefused(answer, 400, 'invalid_request')
    assert.equal(answer.body.details.length, 100)
  })

  test('explains that a variable must be a string or a number', async () => {
    const answer = await client.post('/sms/send', { to, templateId: 't', variables: { a: true } })
    assertRefused(answer, 400, 'invalid_request')
    assert.deepEqual(answer.body.details, [
      { path: ['variables', 'a'], message: 'Must be a string or a number', code: 'custom' },
    ])
  })

  test('accepts empty variables beside a text', async () => {
    assert.equal((await client.send({ variables: {} })).status, 200)
  })

  for (const [path, field, value] of [
    ['/sms/otp/send', 'senderId', 'a\tb'],
    ['/sms/otp/send', 'senderId', 's'.repeat(101)],
    ['/sms/otp/send', 'ip', '1.2.3.4\u0000'],
    ['/sms/otp/verify', 'purpose', 'a\u009fb'],
    ['/sms/send', 'templateId', 'a\u0000'],
  ] as const) {
    test(`rejects ${JSON.stringify(value.slice(0, 10))} as ${field} of ${path} with 400 invalid_request (D4)`, async () => {
      const answer = await client.post(path, { to, code: '123456', [field]: value })
      assertRefused(answer, 400, 'invalid_request', [field])
    })
  }
})
