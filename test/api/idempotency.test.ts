// Idempotency (§8.3, D25) on the three POST endpoints.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../src/store/database/sql.ts'
import { clientAt, makeClient } from '../harness/client.ts'
import { assertRefused } from '../harness/refused.ts'
import { ownService } from '../harness/service.ts'

const service = await ownService()
const known = await ownService({ beside: service })

const messagesOf = async (clientId: string) =>
  (await service.db.query(sql`select id from message where client_id = ${clientId}`)).length

describe('send', () => {
  test('replays the original response byte for byte, with a header, without a second message or charge', async () => {
    const client = await makeClient(service)
    const key = { 'idempotency-key': 'a key with spaces ~!' }
    const first = await client.send({}, key)
    const replay = await client.send({}, key)
    assert.deepEqual([first.status, replay.status], [200, 200])
    assert.equal(JSON.stringify(replay.body), JSON.stringify(first.body))
    assert.equal(first.headers.get('idempotent-replayed'), null)
    assert.equal(replay.headers.get('idempotent-replayed'), 'true')
    assert.equal(await messagesOf(client.id), 1)
    assert.equal((await client.get('/sms/balance')).body.balance, 998.5)
  })

  test('ignores key order and white space when it compares bodies, and nothing else', async () => {
    const client = await makeClient(service)
    const key = { 'idempotency-key': 'k' }
    await client.post('/sms/send', '{"to":"9841234567","text":"Namaste"}', key)
    const replay = await client.post('/sms/send', '{ "text" : "Namaste",  "to":"9841234567" }', key)
    assert.equal(replay.headers.get('idempotent-replayed'), 'true')
    const other = await client.post('/sms/send', '{"to":"9841234567","text":"Namaste!"}', key)
    assertRefused(other, 409, 'idempotency_conflict')
    assert.equal(other.headers.get('retry-after'), null, 'waiting does not help')
    assertRefused(await client.otp({ to: '9841234567' }, key), 409, 'idempotency_conflict')
  })

  test('creates one message and one charge for 100 parallel requests with one key on two processes', async () => {
    const client = await makeClient(service)
    const beside = clientAt(known.url, client)
    const key = { 'idempotency-key': 'knownAnswers' }
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => (index % 2 ? client : beside).send({}, key)),
    )
    const ids = new Set(answers.filter(({ status }) => status === 200).map(({ body }) => body.messageId))
    assert.equal(ids.size, 1)
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      assertRefused(answer, 409, 'idempotency_conflict')
      assert.equal(answer.headers.get('retry-after'), '1')
    }
    assert.equal(await messagesOf(client.id), 1)
    assert.equal((await client.get('/sms/balance')).body.balance, 998.5)
    assert.equal((await client.send({}, key)).headers.get('idempotent-replayed'), 'true')
  })

  test('compares each of several concurrent requests with one key by its own body', async () => {
    const client = await makeClient(service)
    const key = { 'idempotency-key': 'many bodies' }
    const first = await client.send({ text: 'one' }, key)
    for (const texts of [
      ['two', 'one', 'three'],
      ['one', 'two', 'three'],
      ['two', 'three', 'one'],
    ]) {
      const rounds = Array.from({ length: 20 }, () => texts).flat()
      const answers = await Promise.all(rounds.map((text) => client.send({ text }, key)))
      for (const [index, answer] of answers.entries()) {
        if (rounds[index] !== 'one') assertRefused(answer, 409, 'idempotency_conflict')
        else assert.equal(answer.body.messageId, first.body.messageId)
      }
    }
    assert.equal(await messagesOf(client.id), 1)
  })

  test('scopes a key to its client: another client can use the same key', async () => {
    const one = await makeClient(service)
    const other = await makeClient(service, { workspaceId: one.workspaceId })
    const key = { 'idempotency-key': 'shared' }
    const ids = [(await one.send({}, key)).body.messageId, (await other.send({ text: 'Else' }, key)).body.messageId]
    assert.equal(new Set(ids).size, 2)
  })

  test('replays after the status of the workspace changed', async () => {
    const client = await makeClient(service)
    const key = { 'idempotency-key': 'before' }
    await client.send({ type: 'promotional' }, key)
    await service.manage('PATCH', `/workspaces/${client.workspaceId}`, { plan: 'standard', allowedTypes: ['otp'] })
    assert.equal((await client.send({ type: 'promotional' }, key)).headers.get('idempotent-replayed'), 'true')
    assertRefused(await client.send({ type: 'promotional' }), 403, 'forbidden')
  })

  test('does not store a key after an error', async () => {
    const client = await makeClient(service)
    const key = { 'idempotency-key': 'retry' }
    assertRefused(await client.send({ to: '+97714412345' }, key), 400, 'invalid_number')
    assert.equal((await client.send({}, key)).status, 200)
  })

  test('keeps a key for 24 hours from the first response', async () => {
    const client = await makeClient(service)
    const key = { 'idempotency-key': 'day' }
    const first = await client.send({}, key)
    await service.advance(86_399)
    assert.equal((await client.send({}, key)).headers.get('idempotent-replayed'), 'true')
    await service.advance(1)
    const fresh = await client.send({ text: 'Another' }, key)
    assert.equal(fresh.status, 200)
    assert.notEqual(fresh.body.messageId, first.body.messageId)
    assert.equal((await client.send({ text: 'Another' }, key)).body.messageId, fresh.body.messageId)
  })
})

describe('OTP', () => {
  test('replays an OTP send without a new OTP and without the cooldown', async () => {
    const client = await makeClient(service, { mode: 'test', testOtpCode: '135790' })
    const key = { 'idempotency-key': 'otp' }
    const first = await client.otp({}, key)
    const replay = await client.otp({}, key)
    assert.deepEqual(replay.body, first.body)
    assertRefused(await client.otp(), 429, 'rate_limited')
  })

  test('replays a verification with the same result, without counting a second attempt', async () => {
    const client = await makeClient(service, { mode: 'test', testOtpCode: '135790' })
    await client.otp()
    const wrong = { 'idempotency-key': 'wrong' }
    for (let time = 0; time < 7; time++)
      assert.equal((await client.verify({ code: '000000' }, wrong)).body.reason, 'invalid_code')
    const right = { 'idempotency-key': 'right' }
    assert.equal((await client.verify({ code: '135790' }, right)).body.verified, true)
    const replay = await client.verify({ code: '135790' }, right)
    assert.deepEqual([replay.body.verified, replay.headers.get('idempotent-replayed')], [true, 'true'])
    assert.equal((await client.verify({ code: '135790' })).body.reason, 'no_active_otp')
    assertRefused(await client.verify({ code: '135791' }, right), 409, 'idempotency_conflict')
  })

  test('never answers a wrong OTP with the result of the correct one, even for concurrent requests', async () => {
    const client = await makeClient(service, { mode: 'test', testOtpCode: '135790' })
    await client.otp()
    const key = { 'idempotency-key': 'session' }
    assert.equal((await client.verify({ code: '135790' }, key)).body.verified, true)
    const codes = Array.from({ length: 30 }, () => ['111111', '135790']).flat()
    const answers = await Promise.all(codes.map((code) => client.verify({ code }, key)))
    for (const [index, answer] of answers.entries()) {
      if (codes[index] === '135790') assert.equal(answer.body.verified, true)
      else assertRefused(answer, 409, 'idempotency_conflict')
    }
  })
})

describe('a replay is checked before the workspace status (D6)', () => {
  const key = (name: string) => ({ 'idempotency-key': name })

  for (const status of ['pending', 'suspended']) {
    test(`${status}: send, OTP send and verify replay their responses and do nothing else`, async () => {
      const client = await makeClient(service, { mode: 'test', testOtpCode: '135790' })
      const calls = [
        (name: string) => client.send({}, key(`send ${name}`)),
        (name: string) => client.otp({}, key(`otp ${name}`)),
        (name: string) => client.verify({ code: '135790' }, key(`verify ${name}`)),
      ]
      const first = []
      for (const ask of calls) first.push(await ask('first'))
      await service.manage('PATCH', `/workspaces/${client.workspaceId}`, { status })
      for (const [index, ask] of calls.entries()) {
        const replay = await ask('first')
        assert.deepEqual(replay.body, first[index]?.body)
        assert.equal(replay.headers.get('idempotent-replayed'), 'true')
        assertRefused(await ask('second'), 403, `workspace_${status}`)
      }
      assert.equal(await messagesOf(client.id), 2)
      await service.manage('PATCH', `/workspaces/${client.workspaceId}`, { status: 'active' })
      assert.equal((await client.send({}, key('send second'))).headers.get('idempotent-replayed'), null)
    })

    test(`${status}: a request that is not a replay is 403, before its body or its key is checked`, async () => {
      const client = await makeClient(service)
      await client.send({}, key('first'))
      await service.manage('PATCH', `/workspaces/${client.workspaceId}`, { status })
      const answers = [
        await client.send({ text: 'Another body' }, key('first')),
        await client.send({ to: 'nobody' }, key('first')),
        await client.send({ to: 'nobody' }),
        await client.send({}, key('x'.repeat(201))),
        await client.post('/sms/send', 'no JSON', key('first')),
        await client.send({ text: 'a'.repeat(70_000) }, key('first')),
        await client.otp({ purpose: 7 }, key('first')),
        await client.verify({ code: 'none' }, key('first')),
        await client.verify({ code: 'none' }),
      ]
      for (const answer of answers) assertRefused(answer, 403, `workspace_${status}`)
    })
  }
})
