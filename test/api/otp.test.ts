// POST /sms/otp/send and /sms/otp/verify (§4.2, §4.3, §8.2)
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../src/store/database/sql.ts'
import { clientAt, makeClient, makeWorkspace, type TestClient } from '../harness/client.ts'
import { assertRefused } from '../harness/refused.ts'
import { addCarrierElsewhere } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'

const service = await ownService()
const known = await ownService({ beside: service })
await addCarrierElsewhere(service)
const tester = () => makeClient(service, { mode: 'test', testOtpCode: '246813' })

let lastNumber = 9_840_000_000
const freshNumber = () => {
  lastNumber += 20_000
  return `+977${lastNumber}`
}

/** The OTP as the handset receives it: the text is sealed with the keyring of the service. */
async function codeSentBy(messageId: string): Promise<string> {
  const [row] = await service.db.query<{ sealed: Buffer }>(
    sql`select sealed from sealed_text where message_id = ${messageId}`,
  )
  assert.ok(row)
  const text = service.ports.keyring.open('texts', messageId, row.sealed)
  const match = /^Himal: (\d{6}) is your verification code, valid for 5 minutes\. Do not share it with anyone\.$/.exec(
    text,
  )
  assert.ok(match?.[1], 'D5: the text is the built-in template')
  return match[1]
}

describe('send', () => {
  test('creates an OTP, seals it, charges one OTP segment, and never shows it (§4.2)', async () => {
    const client = await makeClient(service)
    const { status, body } = await client.otp({ to: freshNumber(), senderId: 'BANK' })
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body).sort(), ['expiresInSeconds', 'messageId', 'otpId', 'success'])
    assert.equal(body.expiresInSeconds, 300)
    const message = await client.get(`/sms/messages/${body.messageId}`)
    const { text, type, encoding, segments, cost, from } = message.body
    assert.deepEqual(
      { text, type, encoding, segments, cost, from },
      { text: '(OTP hidden)', type: 'otp', encoding: 'GSM7', segments: 1, cost: 1.2, from: 'BANK' },
    )
    const code = await codeSentBy(body.messageId)
    assert.equal((await client.verify({ to: message.body.to, code })).body.verified, true)
  })

  test('fits one segment with the longest brand name (§2.2)', async () => {
    const client = await makeClient(service, { brandName: '[{€}]'.repeat(6) })
    const { body } = await client.otp({ to: freshNumber() })
    const message = await client.get(`/sms/messages/${body.messageId}`)
    assert.deepEqual([message.body.encoding, message.body.segments], ['GSM7', 1])
  })

  for (const [what, body, path] of [
    ['no to', {}, 'to'],
    ['a purpose of 51 characters', { to: '9841234567', purpose: 'p'.repeat(51) }, 'purpose'],
    ['an ip of 65 characters', { to: '9841234567', ip: '1'.repeat(65) }, 'ip'],
    ['a NUL in the purpose', { to: '9841234567', purpose: 'a\u0000' }, 'purpose'],
    ['a purpose that is a number', { to: '9841234567', purpose: 7 }, 'purpose'],
  ] as const) {
    test(`rejects ${what} as invalid_request (§4.2)`, async () => {
      const answer = await (await tester()).post('/sms/otp/send', body)
      assertRefused(answer, 400, 'invalid_request')
      assert.deepEqual(answer.body.details[0].path, [path])
    })
  }

  test('rejects a landline as invalid_number, another country with 422, and a plan without OTP as forbidden (§4.2)', async () => {
    const client = await makeClient(service)
    assertRefused(await client.otp({ to: '+97714412345' }), 400, 'invalid_number')
    assertRefused(await client.otp({ to: '+8801712345678' }), 422, 'destination_not_supported')
    const workspaceId = await makeWorkspace(service, { allowedTypes: ['transactional'] })
    assertRefused(await (await makeClient(service, { workspaceId })).otp(), 403, 'forbidden')
  })

  test('answers 402 if the balance is below one OTP segment (§4.2)', async () => {
    const workspaceId = await makeWorkspace(service, { monthlyCredit: 1.1 })
    assertRefused(
      await (await makeClient(service, { workspaceId })).otp({ to: freshNumber() }),
      402,
      'insufficient_balance',
    )
  })
})

describe('limits of §8.2', () => {
  test('allows one OTP per 60 s for a client, number and purpose, with the remaining time in Retry-After', async () => {
    const client = await makeClient(service)
    const to = freshNumber()
    assert.equal((await client.otp({ to })).status, 200)
    await service.advance(20)
    const refused = await client.otp({ to })
    assertRefused(refused, 429, 'rate_limited')
    assert.equal(refused.headers.get('retry-after'), '40')
    assert.equal((await client.otp({ to, purpose: 'login' })).status, 200, 'another purpose does not collide')
    await service.advance(40)
    assert.equal((await client.otp({ to })).status, 200)
  })

  test('allows three OTPs in 10 min for a number across all customers', async () => {
    const clients = await Promise.all([1, 2, 3, 4].map(() => makeClient(service)))
    const to = freshNumber()
    for (const client of clients.slice(0, 3)) assert.equal((await client.otp({ to })).status, 200)
    const last = clients[3] as TestClient
    const refused = await last.otp({ to })
    assertRefused(refused, 429, 'rate_limited')
    assert.equal(refused.headers.get('retry-after'), '600')
    await service.advance(599)
    assertRefused(await last.otp({ to }), 429, 'rate_limited')
    await service.advance(1)
    assert.equal((await last.otp({ to })).status, 200)
  })

  test('of 60 parallel sends to one number on two processes, one per client and three across clients pass', async () => {
    const clients = await Promise.all([1, 2, 3, 4, 5].map(() => makeClient(service)))
    const to = freshNumber()
    const asked = clients.flatMap((client) => {
      const beside = clientAt(known.url, client)
      return Array.from({ length: 12 }, (_, index) => ({
        id: client.id,
        answer: (index % 2 ? client : beside).otp({ to }),
      }))
    })
    const answers = await Promise.all(asked.map(async ({ id, answer }) => ({ id, ...(await answer) })))
    const passed = answers.filter(({ status }) => status === 200)
    assert.equal(passed.length, 3)
    assert.equal(new Set(passed.map(({ id }) => id)).size, 3)
    for (const answer of answers.filter(({ status }) => status !== 200)) assertRefused(answer, 429, 'rate_limited')
  })

  test('returns the longest wait in Retry-After, so that a caller who waits is not refused again', async () => {
    const client = await makeClient(service)
    const to = freshNumber()
    for (const purpose of ['one', 'two', 'three']) assert.equal((await client.otp({ to, purpose })).status, 200)
    const refused = await client.otp({ to, purpose: 'three' })
    assertRefused(refused, 429, 'rate_limited')
    assert.equal(refused.headers.get('retry-after'), '600')
    await service.advance(600)
    assert.equal((await client.otp({ to, purpose: 'three' })).status, 200)
  })

  test('allows ten OTPs in 10 min for an end user, only if ip is given', async () => {
    const client = await makeClient(service)
    const ip = '2001:db8:1:2::7'
    for (let count = 0; count < 10; count++) assert.equal((await client.otp({ to: freshNumber(), ip })).status, 200)
    assertRefused(await client.otp({ to: freshNumber(), ip }), 429, 'rate_limited')
    const written = '2001:0DB8:1:2:0::7'
    assertRefused(await client.otp({ to: freshNumber(), ip: written }), 429, 'rate_limited')
    assert.equal((await client.otp({ to: freshNumber() })).status, 200)
    assert.equal((await client.otp({ to: freshNumber(), ip: '2001:db8:1:2::8' })).status, 200)
    await service.advance(600)
    assert.equal((await client.otp({ to: freshNumber(), ip })).status, 200)
  })

  test('allows 60 requests a minute for a calling address, including refused requests', async () => {
    const client = await makeClient(service)
    const to = freshNumber()
    const answers = await Promise.all(Array.from({ length: 61 }, () => client.otp({ to })))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    const refused = await client.otp({ to: freshNumber() })
    assertRefused(refused, 429, 'rate_limited')
    assert.equal(refused.headers.get('retry-after'), '60')
    await service.advance(60)
    assert.equal((await client.otp({ to: freshNumber() })).status, 200)
  })

  test('counts every OTP send of a calling address, whatever its result and process (D39)', async () => {
    const client = await makeClient(service, { restrictions: { types: ['otp'], numberPrefixes: ['+9779'] } })
    const beside = clientAt(known.url, client)
    const refusals: [TestClient, object | string, number][] = [
      [client, 'no JSON', 400],
      [beside, {}, 400],
      [client, { to: '9841234567', purpose: 7 }, 400],
      [beside, { to: '+97714412345' }, 400],
      [client, { to: '+8801712345678' }, 422],
      [beside, { to: '9841234567', text: 'a'.repeat(70_000) }, 413],
    ]
    for (let round = 0; round < 9; round++) {
      const answers = await Promise.all(refusals.map(([own, body]) => own.post('/sms/otp/send', body)))
      assert.deepEqual(
        answers.map(({ status }) => status),
        refusals.map(([, , status]) => status),
      )
    }
    const change = (restrictions: object) => service.manage('PATCH', `/clients/${client.id}`, { restrictions })
    await change({ ipAllowlist: ['203.0.113.0/24'] })
    assertRefused(await client.otp(), 403, 'ip_not_allowed')
    await change({ ipAllowlist: null, types: ['transactional'] })
    assertRefused(await client.otp(), 403, 'type_not_allowed')
    await change({ types: null })
    await service.manage('POST', `/clients/${client.id}/disable`)
    assertRefused(await client.otp(), 403, 'client_disabled')
    await service.manage('POST', `/clients/${client.id}/enable`)
    await service.advance(20)
    for (const own of [client, beside]) assert.equal((await own.otp({ to: freshNumber() })).status, 200)
    assertRefused(await client.post('/sms/otp/send', 'no JSON'), 400, 'invalid_request')
    const refused = await beside.otp({ to: freshNumber() })
    assertRefused(refused, 429, 'rate_limited')
    assert.equal(refused.headers.get('retry-after'), '40')
    assert.equal((await client.send()).status, 200, 'only requests for codes are counted')
    await service.advance(39)
    assertRefused(await client.otp({ to: freshNumber() }), 429, 'rate_limited')
    await service.advance(1)
    assert.equal((await client.otp({ to: freshNumber() })).status, 200)
  })

  test('accepts exactly 60 of 100 concurrent OTP sends from one address on two processes (D39)', async () => {
    const client = await makeClient(service)
    const beside = clientAt(known.url, client)
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => (index % 2 ? client : beside).otp({ to: freshNumber() })),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 60)
    for (const answer of answers.filter(({ status }) => status !== 200)) assertRefused(answer, 429, 'rate_limited')
  })

  test('gives a test client its own cooldown, without an effect on other clients (D24)', async () => {
    const to = freshNumber()
    for (let count = 0; count < 4; count++) {
      const own = await tester()
      assert.equal((await own.otp({ to })).status, 200)
      assertRefused(await own.otp({ to }), 429, 'rate_limited')
    }
    assert.equal((await (await makeClient(service)).otp({ to })).status, 200)
  })
})

describe('verify', () => {
  test('verifies an OTP once, then answers no_active_otp (§4.3)', async () => {
    const client = await tester()
    await client.otp()
    const right = await client.verify({ code: '246813' })
    assert.deepEqual([right.status, right.body], [200, { success: true, verified: true }])
    const again = await client.verify({ code: '246813' })
    assert.deepEqual([again.status, again.body], [200, { success: true, verified: false, reason: 'no_active_otp' }])
  })

  test('answers five wrong attempts with invalid_code, and every further attempt with too_many_attempts, even a correct one (D22)', async () => {
    const client = await tester()
    await client.otp()
    for (let tries = 0; tries < 5; tries++)
      assert.equal((await client.verify({ code: '000000' })).body.reason, 'invalid_code')
    assert.equal((await client.verify({ code: '000000' })).body.reason, 'too_many_attempts')
    assert.equal((await client.verify({ code: '246813' })).body.reason, 'too_many_attempts')
    await service.advance(60)
    await client.otp()
    assert.equal((await client.verify({ code: '246813' })).body.verified, true, 'a new code starts anew')
  })

  test('reports a locked OTP for exactly 24 hours from its sending, with or without a sweep (§3.2)', async () => {
    const unswept = await ownService({ env: { HULAKI_ROLES: 'api' } })
    for (const { advance, client } of [
      { advance: service.advance, client: await tester() },
      { advance: unswept.advance, client: await makeClient(unswept, { mode: 'test', testOtpCode: '246813' }) },
    ]) {
      const reason = async () => (await client.verify({ code: '246813' })).body.reason
      await client.otp()
      for (let tries = 0; tries < 5; tries++) await client.verify({ code: '000000' })
      for (const seconds of [299, 1, 86_099]) {
        assert.equal(await reason(), 'too_many_attempts')
        await advance(seconds)
      }
      assert.equal(await reason(), 'too_many_attempts')
      await advance(1)
      assert.equal(await reason(), 'no_active_otp')
      assert.equal((await client.otp()).status, 200)
      assert.equal(await reason(), undefined, 'a new code is a new start')
    }
  })

  test('keeps an OTP valid for 300 s (§3.2)', async () => {
    const client = await tester()
    await client.otp()
    await service.advance(299)
    assert.equal((await client.verify({ code: '000000' })).body.reason, 'invalid_code')
    await service.advance(1)
    assert.equal((await client.verify({ code: '246813' })).body.reason, 'no_active_otp')
  })

  test('scopes an OTP to client, number and purpose (§2.2)', async () => {
    const client = await tester()
    const sibling = await makeClient(service, { workspaceId: client.workspaceId, mode: 'test', testOtpCode: '246813' })
    await client.otp({ purpose: 'login' })
    assert.equal((await client.verify({ code: '246813' })).body.reason, 'no_active_otp')
    assert.equal((await sibling.verify({ code: '246813', purpose: 'login' })).body.reason, 'no_active_otp')
    assert.equal((await client.verify({ code: '246813', purpose: 'login', to: '9841234567' })).body.verified, true)
  })

  test('replaces the previous OTP with a new send', async () => {
    const client = await makeClient(service)
    const to = freshNumber()
    const first = await codeSentBy((await client.otp({ to })).body.messageId)
    await service.advance(60)
    const second = await codeSentBy((await client.otp({ to })).body.messageId)
    if (first !== second) assert.equal((await client.verify({ to, code: first })).body.reason, 'invalid_code')
    assert.equal((await client.verify({ to, code: second })).body.verified, true)
  })

  test('verifies once for 80 parallel correct attempts on two processes', async () => {
    const client = await tester()
    const beside = clientAt(known.url, client)
    await client.otp()
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, index) => (index % 2 ? client : beside).verify({ code: '246813' })),
    )
    assert.equal(answers.filter(({ body }) => body.verified).length, 1)
    assert.equal(answers.filter(({ body }) => body.reason === 'no_active_otp').length, 79)
  })

  test('answers invalid_code five times for 80 parallel wrong attempts on two processes', async () => {
    const client = await tester()
    const beside = clientAt(known.url, client)
    await client.otp()
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, index) => (index % 2 ? client : beside).verify({ code: '000000' })),
    )
    assert.equal(answers.filter(({ body }) => body.reason === 'invalid_code').length, 5)
    assert.equal(answers.filter(({ body }) => body.reason === 'too_many_attempts').length, 75)
  })

  test('rejects a code that is not six digits with 400; an invalid number has no OTP (D23)', async () => {
    const client = await tester()
    for (const code of ['12345', '1234567', 'abcdef', '١٢٣٤٥٦', 123456]) {
      assertRefused(await client.verify({ code }), 400, 'invalid_request')
    }
    assert.equal((await client.verify({ to: '0123456', code: '123456' })).body.reason, 'no_active_otp')
    assertRefused(await client.verify({ to: 'nonsense', code: '123456' }), 400, 'invalid_request')
  })

  test('refuses to verify for a pending or suspended workspace (§5.3)', async () => {
    for (const status of ['pending', 'suspended']) {
      const workspaceId = await makeWorkspace(service, { status })
      assertRefused(
        await (await makeClient(service, { workspaceId })).verify({ code: '123456' }),
        403,
        `workspace_${status}`,
      )
    }
  })
})

describe('fraud guard (D33)', () => {
  const attack = async (client: TestClient, block: string, count: number) => {
    for (let index = 0; index < count; index++)
      await client.otp({ to: `${block}${String(1000 + index).padStart(4, '0')}` })
  }

  test('block: refuses neighbouring numbers that never verify with the remaining time, and shows the reason to the owner', async () => {
    const client = await makeClient(service, { restrictions: { pumpingGuard: 'block' } })
    await attack(client, '+977985111', 5)
    const refused = await client.otp({ to: '+9779851111005' })
    assertRefused(refused, 429, 'suspected_pumping')
    assert.equal(refused.headers.get('retry-after'), '900')
    assert.equal((await client.otp({ to: '+9779852221005' })).status, 200, 'other blocks are not held')
    const holds = await service.manage('GET', `/clients/${client.id}/fraud-events`)
    assert.equal(holds.body.items[0].mode, 'block')
  })

  test('block: checks concurrent requests for neighbouring numbers one after another', async () => {
    const client = await makeClient(service, { restrictions: { pumpingGuard: 'block' } })
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => client.otp({ to: `+97798566610${String(10 + index)}` })),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 5)
    for (const answer of answers) if (answer.status !== 200) assertRefused(answer, 429, 'suspected_pumping')
    const holds = await service.manage('GET', `/clients/${client.id}/fraud-events`)
    assert.deepEqual(
      holds.body.items.map((hold: { strikes: number }) => hold.strikes),
      [1],
    )
  })

  test('counts neither a replay nor an earlier refusal as a strike (D6)', async () => {
    const client = await makeClient(service, { restrictions: { pumpingGuard: 'off' } })
    await attack(client, '+977985777', 5)
    const key = { 'idempotency-key': 'pumping' }
    assert.equal((await client.otp({ to: '+9779857771005' }, key)).status, 200)
    const change = (restrictions: object) => service.manage('PATCH', `/clients/${client.id}`, { restrictions })
    await change({ pumpingGuard: 'block' })
    const replay = await client.otp({ to: '+9779857771005' }, key)
    assert.equal(replay.headers.get('idempotent-replayed'), 'true')
    await change({ types: ['transactional'] })
    assertRefused(await client.otp({ to: '+9779857771006' }), 403, 'type_not_allowed')
    assert.deepEqual((await service.manage('GET', `/clients/${client.id}/fraud-events`)).body.items, [])
  })

  test('monitor: detects the same, and refuses nothing', async () => {
    const client = await makeClient(service)
    await attack(client, '+977985333', 5)
    assert.equal((await client.otp({ to: '+9779853331005' })).status, 200)
    const holds = await service.manage('GET', `/clients/${client.id}/fraud-events`)
    assert.equal(holds.body.items[0].mode, 'monitor')
    assert.match(holds.body.items[0].reason, /^5 numbers side by side in \+977985333xxxx in 10 min, 0 verified/)
  })

  test('always allows a number of the allow list, and still refuses the others', async () => {
    const restrictions = { pumpingGuard: 'block', pumpingAllowlist: ['+9779858881005', '+97798588820'] }
    const client = await makeClient(service, { restrictions })
    await attack(client, '+977985888', 5)
    assertRefused(await client.otp({ to: '+9779858881006' }), 429, 'suspected_pumping')
    assert.equal((await client.otp({ to: '+9779858881005' })).status, 200)
    assert.equal((await client.otp({ to: '+9779858882011' })).status, 200)
  })

  test('off: detects nothing; a number that verified before is always allowed', async () => {
    const off = await makeClient(service, { restrictions: { pumpingGuard: 'off' } })
    await attack(off, '+977985444', 8)
    assert.deepEqual((await service.manage('GET', `/clients/${off.id}/fraud-events`)).body.items, [])
    const client = await makeClient(service, { restrictions: { pumpingGuard: 'block' } })
    const to = '+9779855551003'
    const code = await codeSentBy((await client.otp({ to })).body.messageId)
    assert.equal((await client.verify({ to, code })).body.verified, true)
    await service.advance(3600)
    await attack(client, '+977985555', 3)
    await service.advance(60)
    for (const last of ['1010', '1011', '1012']) await client.otp({ to: `+977985555${last}` })
    assertRefused(await client.otp({ to: '+9779855551013' }), 429, 'suspected_pumping')
    assert.equal((await client.otp({ to })).status, 200)
  })
})
