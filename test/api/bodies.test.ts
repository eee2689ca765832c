// How bodies are read (D36, D38, D4): strictly in their bytes, leniently in what they leave out, and every fault told at once.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { sql } from '../../src/store/sql.ts'
import { makeClient } from '../harness/client.ts'
import { assertRefused } from '../harness/refused.ts'
import { call, OPERATOR_TOKEN, startTestService } from '../harness/service.ts'

const service = await startTestService()
const client = await makeClient(service)

const messagesOf = async (clientId: string) =>
  (await service.db.query(sql`select id from message where client_id = ${clientId}`)).length

const manage = (body: unknown, headers = {}) =>
  call(`${service.url}/api/manage/v1/workspaces`, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, ...headers },
  })

describe('D36: a body is JSON in UTF-8', () => {
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
    test(`${what} is 400 invalid_request, in words of its own, at both APIs`, async () => {
      const before = await messagesOf(client.id)
      for (const answer of [await client.post('/sms/send', body, headers), await manage(body, headers)]) {
        assertRefused(answer, 400, 'invalid_request')
        assert.match(answer.body.error, says)
      }
      assert.equal(await messagesOf(client.id), before)
    })
  }

  test('UTF-8 that says so, and a byte order mark in front, are read as ever', async () => {
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
    test(`the key ${what} is refused in words of its own, at both APIs`, async () => {
      for (const answer of [await client.post('/sms/send', body), await manage(body)]) {
        assertRefused(answer, 400, 'invalid_request')
        assert.match(answer.body.error, says)
      }
    })
  }

  test('the same words in a text, or deep below thousands of levels, are no fault of their own', async () => {
    assert.equal((await client.send({ text: 'What is __proto__? And "constructor"?' })).status, 200)
    const deep = `${'['.repeat(30_000)}"__proto__"${']'.repeat(30_000)}`
    assertRefused(await client.post('/sms/send', deep), 400, 'invalid_request')
  })
})
