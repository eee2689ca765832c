// POST /sms/send (§4.1)
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { windowReadsOf } from '../../src/domain/sliding-window.ts'
import type { Queries } from '../../src/store/database/db.ts'
import { type Statement, sql } from '../../src/store/database/sql.ts'
import { loadWindows } from '../../src/store/sliding-windows.ts'
import { approveTemplate, makeClient, makeWorkspace, type TestClient } from '../harness/client.ts'
import { assertRefused } from '../harness/refused.ts'
import { sharedService } from '../harness/service.ts'

const service = await sharedService()
const client = await makeClient(service)

const balanceOf = async (owner: TestClient) => (await owner.get('/sms/balance')).body.balance

describe('200', () => {
  test('accepts, prices, reserves, records and queues a send (§4.1)', async () => {
    const own = await makeClient(service, { defaultSender: 'HIMAL' })
    const { status, body } = await own.send()
    assert.equal(status, 200)
    const { messageId, ...rest } = body
    assert.match(messageId, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/, 'D12: a UUIDv7')
    assert.deepEqual(rest, { success: true, status: 'queued', segments: 1, cost: 1.5, encoding: 'GSM7', from: 'HIMAL' })
    assert.equal(await balanceOf(own), 998.5)
    const queued = await service.db.query(
      sql`select priority, destination from delivery_queue where ${messageId} = any(message_ids)`,
    )
    assert.equal(queued.length, 1)
    const entries = await service.db.query(
      sql`select kind, amount_e4, messages from ledger_entry
        where id = (select reservation_id from message where id = ${messageId})`,
    )
    assert.deepEqual(entries, [{ kind: 'reservation', amount_e4: 15_000, messages: 1 }])
  })

  const forms = ['9841234567', '9779841234567', '+9779841234567', '09841234567', '009779841234567']
  for (const to of forms) {
    test(`stores and returns ${to} in E.164 (§1)`, async () => {
      const { body } = await client.send({ to })
      const message = await client.get(`/sms/messages/${body.messageId}`)
      assert.equal(message.body.to, '+9779841234567')
    })
  }

  test('accepts GSM-7 up to 918 characters and UCS-2 up to 402 code units, priced by segment (§8.4)', async () => {
    const gsm = await client.send({ text: 'a'.repeat(918) })
    assert.deepEqual([gsm.body.segments, gsm.body.cost, gsm.body.encoding], [6, 9, 'GSM7'])
    const ucs = await client.send({ text: 'न'.repeat(402) })
    assert.deepEqual([ucs.body.segments, ucs.body.encoding], [6, 'UCS2'])
  })

  test('stores senderId as from without validation (§2.1)', async () => {
    const { body } = await client.send({ senderId: '+1 (any) ☂' })
    assert.equal(body.from, '+1 (any) ☂')
    const longest = '📨'.repeat(100)
    assert.equal((await client.send({ senderId: longest })).body.from, longest, 'D4: up to 100 characters')
  })

  test('prices by type (§4.1)', async () => {
    assert.equal((await client.send({ type: 'otp' })).body.cost, 1.2)
    assert.equal((await client.send({ type: 'promotional' })).body.cost, 1)
  })

  test('renders a template with variables of strings or numbers, and uses its type (§4.1)', async () => {
    const own = await makeClient(service)
    const templateId = await approveTemplate(service, own.workspaceId, {
      type: 'otp',
      text: 'Dear {{name}}, pay {{amount}}.',
    })
    const variables = { name: 'Sita', amount: 12.5 }
    const { body } = await own.send({ text: undefined, templateId, variables })
    const capitals = await own.send({ text: undefined, templateId: templateId.toUpperCase(), variables })
    assert.equal(capitals.status, 200, 'the case of an id does not matter')
    assert.equal(body.cost, 1.2)
    const message = await own.get(`/sms/messages/${body.messageId}`)
    assert.equal(message.body.text, 'Dear Sita, pay 12.5.')
    assert.equal(message.body.type, 'otp')
  })

  test('accepts free text that matches a template of its type if templates are required (§4.1)', async () => {
    const workspaceId = await makeWorkspace(service, { templatesRequired: true })
    const own = await makeClient(service, { workspaceId })
    await approveTemplate(service, workspaceId, { text: 'Your order {{id}} is on its way.' })
    assert.equal((await own.send({ text: 'Your order 4711 is on its way.' })).status, 200)
  })

  test('answers a test client like a live one; nothing is queued or charged (D19)', async () => {
    const tester = await makeClient(service, { mode: 'test' })
    const { status, body } = await tester.send()
    assert.deepEqual([status, body.status, body.cost], [200, 'queued', 1.5])
    assert.equal((await tester.get(`/sms/messages/${body.messageId}`)).body.status, 'test')
    assert.equal(await balanceOf(tester), 1000)
    const queued = await service.db.query(sql`select from delivery_queue where ${body.messageId} = any(message_ids)`)
    assert.equal(queued.length, 0)
  })

  test('sends a request id and rate headers with every response (D28)', async () => {
    const { headers } = await client.send()
    assert.ok(headers.get('x-request-id'))
    assert.match(headers.get('ratelimit-policy') ?? '', /^"client";q=10000;w=1$/)
    assert.match(headers.get('ratelimit') ?? '', /^"client";r=\d+;t=1$/)
  })
})

describe('400 invalid_request', () => {
  const bodies: [string, unknown, (string | number)[]][] = [
    ['no to', { text: 'x' }, ['to']],
    ['to with letters', { to: '98412x4567', text: 'x' }, ['to']],
    ['to too short', { to: '984123', text: 'x' }, ['to']],
    ['to too long', { to: '9841234567890123', text: 'x' }, ['to']],
    ['to as a number', { to: 9841234567, text: 'x' }, ['to']],
    ['neither text nor templateId', { to: '9841234567' }, ['text']],
    ['both text and templateId', { to: '9841234567', text: 'x', templateId: 'y' }, ['text']],
    ['empty text', { to: '9841234567', text: '' }, ['text']],
    ['variables without templateId', { to: '9841234567', text: 'x', variables: { a: 'b' } }, ['variables']],
    ['variables of another kind', { to: '9841234567', templateId: 'x', variables: { a: true } }, ['variables', 'a']],
    ['an unknown type', { to: '9841234567', text: 'x', type: 'spam' }, ['type']],
    ['a NUL in the text', { to: '9841234567', text: 'a\u0000b' }, ['text']],
    ['a lone surrogate in the text', { to: '9841234567', text: 'a\ud800b' }, ['text']],
    ['a NUL in senderId', { to: '9841234567', text: 'x', senderId: 'a\u0000' }, ['senderId']],
    ['a line break in senderId', { to: '9841234567', text: 'x', senderId: 'a\nb' }, ['senderId']],
    ['a NUL in templateId', { to: '9841234567', templateId: 'a\u0000b' }, ['templateId']],
    ['a senderId of 101 characters', { to: '9841234567', text: 'x', senderId: '📨'.repeat(101) }, ['senderId']],
    ['an array', [], []],
    ['null', 'null', []],
    ['a string', '"text"', []],
  ]
  for (const [what, body, path] of bodies) {
    test(`rejects ${what} with the field in details (§2.6)`, async () => {
      const answer = await client.post('/sms/send', body)
      assertRefused(answer, 400, 'invalid_request')
      const fault = answer.body.details.find(
        (item: { path: unknown }) => JSON.stringify(item.path) === JSON.stringify(path),
      )
      assert.ok(fault, JSON.stringify(answer.body.details))
      assert.deepEqual(Object.keys(fault).sort(), ['code', 'message', 'path'])
    })
  }

  const raw: [string, string, Record<string, string>][] = [
    ['broken JSON', '{"to":', {}],
    ['an empty body', '', {}],
    ['another content type', 'to=9841234567&text=x', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['plain text', '{"to":"9841234567","text":"x"}', { 'content-type': 'text/plain' }],
    ['a poisoned prototype', '{"to":"9841234567","text":"x","__proto__":{"a":1}}', {}],
    ['30 000 levels', `${'['.repeat(30_000)}${']'.repeat(30_000)}`, {}],
  ]
  for (const [what, body, headers] of raw) {
    test(`rejects ${what} (§7.1)`, async () => {
      assertRefused(
        await client.post('/sms/send', body, { 'content-type': 'application/json', ...headers }),
        400,
        'invalid_request',
      )
    })
  }

  test('rejects a body over 64 KiB with 413 (D28)', async () => {
    assertRefused(await client.send({ text: 'a'.repeat(70_000) }), 413, 'invalid_request')
  })

  test('rejects seven segments in either alphabet (§8.4)', async () => {
    assertRefused(await client.send({ text: 'a'.repeat(919) }), 400, 'invalid_request')
    assertRefused(await client.send({ text: 'न'.repeat(403) }), 400, 'invalid_request')
  })

  test('rejects a text over 6 segments as invalid_request before it is matched with templates (§7.1)', async () => {
    const workspaceId = await makeWorkspace(service, { templatesRequired: true })
    const own = await makeClient(service, { workspaceId })
    await approveTemplate(service, workspaceId, { text: 'Your order {{id}} is on its way.' })
    assertRefused(await own.send({ text: 'a'.repeat(60_000) }), 400, 'invalid_request', ['text'])
  })

  test('names the template if its variables make the text too long (§2.6)', async () => {
    const own = await makeClient(service)
    const names = Array.from({ length: 10 }, (_, index) => `v${index}`)
    const templateId = await approveTemplate(service, own.workspaceId, {
      text: names.map((name) => `{{${name}}}`).join(' and '),
    })
    const variables = Object.fromEntries(names.map((name) => [name, 'x'.repeat(100)]))
    assertRefused(await own.send({ text: undefined, templateId, variables }), 400, 'invalid_request', ['templateId'])
  })

  for (const key of ['', 'x'.repeat(201), 'naïve'] as const) {
    test(`rejects an Idempotency-Key of ${key.length} characters ('${key.slice(0, 8)}') (§4)`, async () => {
      assertRefused(await client.send({}, { 'idempotency-key': key }), 400, 'invalid_request')
    })
  }
})

describe('400 invalid_number and invalid_variables', () => {
  for (const to of ['+97714412345', '014412345', '+9779941234567', '+1234567890123', '919812345678']) {
    test(`rejects ${to}, which cannot receive SMS (D2)`, async () =>
      assertRefused(await client.send({ to }), 400, 'invalid_number'))
  }

  test('names each invalid variable (§7.1)', async () => {
    const own = await makeClient(service)
    const templateId = await approveTemplate(service, own.workspaceId, { text: 'A {{a}} B {{b}} C {{c}} D {{d}}.' })
    const variables = { a: '', b: 'x'.repeat(101), c: 'x\ny', e: 'unknown' }
    const answer = await own.send({ text: undefined, templateId, variables })
    assertRefused(answer, 400, 'invalid_variables')
    const faults = answer.body.details.map(({ path, code }: { path: string[]; code: string }) => `${path[1]}:${code}`)
    assert.deepEqual(faults.sort(), ['a:empty', 'b:too_long', 'c:line_break', 'd:missing', 'e:unknown'])
    assertRefused(await own.send({ text: undefined, templateId }), 400, 'invalid_variables')
  })

  test('rejects a number that JSON cannot represent exactly, or a tab, as invalid_variables, and suggests a string for the number (D37, D4)', async () => {
    const own = await makeClient(service)
    const templateId = await approveTemplate(service, own.workspaceId, { text: 'Card {{a}}.' })
    const sending = (value: string) =>
      own.post('/sms/send', `{"to":"9841234567","templateId":"${templateId}","variables":{"a":${value}}}`)
    for (const value of ['12345678901234567890', '9007199254740993', '1e21', '1e400', '1e-7', '0.30000000000000004']) {
      const refused = await sending(value)
      assertRefused(refused, 400, 'invalid_variables', ['variables', 'a'])
      assert.match(refused.body.details[0].message, /send it as a string/)
    }
    assertRefused(await sending('"a\\tb"'), 400, 'invalid_variables', ['variables', 'a'])
    for (const [value, text] of [
      ['9007199254740991', 'Card 9007199254740991.'],
      ['1.10', 'Card 1.1.'],
      ['"12345678901234567890"', 'Card 12345678901234567890.'],
    ] as const) {
      const { body } = await sending(value)
      assert.equal((await own.get(`/sms/messages/${body.messageId}`)).body.text, text)
    }
  })
})

describe('402', () => {
  test('refuses without a charge if the balance is below the cost (§7.1)', async () => {
    const workspaceId = await makeWorkspace(service, { monthlyCredit: 2.9 })
    const own = await makeClient(service, { workspaceId })
    assert.equal((await own.send()).status, 200)
    const refused = await own.send()
    assertRefused(refused, 402, 'insufficient_balance')
    assert.deepEqual(refused.body.details, { balance: 1.4, cost: 1.5 })
    assert.equal(await balanceOf(own), 1.4)
  })

  test('accepts the same Idempotency-Key after a top-up (§7.4)', async () => {
    const workspaceId = await makeWorkspace(service, { monthlyCredit: 0 })
    const own = await makeClient(service, { workspaceId })
    const key = { 'idempotency-key': 'order-1' }
    assertRefused(await own.send({}, key), 402, 'insufficient_balance')
    await service.manage('POST', `/workspaces/${workspaceId}/credits`, { amount: 1.5 })
    assert.equal((await own.send({}, key)).status, 200)
    assert.equal(await balanceOf(own), 0)
  })

  test('never overdraws a balance that fits exactly N of many parallel sends', async () => {
    const workspaceId = await makeWorkspace(service, { monthlyCredit: 15 })
    const clients = await Promise.all([1, 2, 3].map(() => makeClient(service, { workspaceId })))
    const answers = await Promise.all(clients.flatMap((own) => Array.from({ length: 20 }, () => own.send())))
    assert.equal(answers.filter(({ status }) => status === 200).length, 10)
    assert.equal(answers.filter(({ status }) => status === 402).length, 50)
    assert.equal(await balanceOf(clients[0] as TestClient), 0)
  })

  test('equals each reservation with the messages that refer to it, and gives every charged message one (D8)', async () => {
    const workspaceId = await makeWorkspace(service, { monthlyCredit: 150 })
    const [live, testing] = await Promise.all([
      makeClient(service, { workspaceId }),
      makeClient(service, { workspaceId, mode: 'test' }),
    ])
    await Promise.all([live, testing].flatMap((own) => Array.from({ length: 30 }, () => own.send())))
    const entries = await service.db.query<{ worth: boolean; messages: number }>(sql`
      select entry.messages, (entry.amount_e4, entry.messages) = (
        select sum(cost_e4), count(*) from message where reservation_id = entry.id) as worth
      from ledger_entry entry where entry.workspace_id = ${workspaceId} and kind = 'reservation'`)
    assert.ok(entries.every((entry) => entry.worth))
    assert.equal(
      entries.reduce((sum, entry) => sum + entry.messages, 0),
      30,
    )
    assert.ok(entries.length < 30, 'sends of one moment share a reservation')
  })
})

describe('403', () => {
  test('rejects a type that the workspace may not send as forbidden (§7.1)', async () => {
    const workspaceId = await makeWorkspace(service, { plan: 'standard' })
    const own = await makeClient(service, { workspaceId })
    assertRefused(await own.send({ type: 'promotional' }), 403, 'forbidden')
  })

  test('rejects a type that the key may not send as type_not_allowed (§7.2)', async () => {
    const own = await makeClient(service, { restrictions: { types: ['otp'] } })
    assertRefused(await own.send(), 403, 'type_not_allowed')
    assert.equal((await own.send({ type: 'otp' })).status, 200)
  })

  test('rejects a number outside the prefixes of the key as prefix_not_allowed (§7.2)', async () => {
    const own = await makeClient(service, { restrictions: { numberPrefixes: ['+97798'] } })
    assert.equal((await own.send()).status, 200)
    assertRefused(await own.send({ to: '9741234567' }), 403, 'prefix_not_allowed')
  })

  test('rejects text that matches no approved template of its type as template_required (§7.1)', async () => {
    const workspaceId = await makeWorkspace(service, { templatesRequired: true })
    const own = await makeClient(service, { workspaceId })
    await approveTemplate(service, workspaceId, { text: 'Your order {{id}} is on its way.' })
    assertRefused(await own.send({ text: 'Buy now!' }), 403, 'template_required')
    assertRefused(await own.send({ text: 'Your order 4711 is on its way.', type: 'otp' }), 403, 'template_required')
  })

  test('names the closest approved template of the type and the first difference in template_required (§7.1)', async () => {
    const workspaceId = await makeWorkspace(service, { templatesRequired: true })
    const own = await makeClient(service, { workspaceId })
    const none = await own.send({ text: 'Buy now!' })
    assertRefused(none, 403, 'template_required')
    assert.equal(none.body.details, undefined)
    await approveTemplate(service, workspaceId, { name: 'Greeting', text: 'Namaste {{name}}' })
    await approveTemplate(service, workspaceId, {
      name: 'For codes',
      type: 'otp',
      text: 'Your order {{id}} is on the {{x}}.',
    })
    const templateId = await approveTemplate(service, workspaceId, {
      name: 'Shipped',
      text: 'Your order {{id}} is on its way.',
    })
    const answer = await own.send({ text: 'Your order 4711 is on the way.' })
    assertRefused(answer, 403, 'template_required')
    assert.deepEqual(answer.body.details, {
      templateId,
      name: 'Shipped',
      status: 'approved',
      difference: { position: 22, expected: "'its way.'", found: "'the way.'" },
    })
    assert.match(
      answer.body.error,
      /Closest match: 'Shipped', which has 'its way\.' at 22; the message has 'the way\.'$/,
    )
  })

  test('reports in template_required that a matching template is pending, or why it was rejected (§2.5)', async () => {
    const workspaceId = await makeWorkspace(service, { templatesRequired: true })
    const own = await makeClient(service, { workspaceId })
    const made = await service.manage('POST', `/workspaces/${workspaceId}/templates`, {
      name: 'Shipped',
      type: 'transactional',
      text: 'Your order {{id}} is on its way.',
    })
    const send = () => own.send({ text: 'Your order 4711 is on its way.' })
    const pending = await send()
    assertRefused(pending, 403, 'template_required')
    assert.deepEqual(pending.body.details, { templateId: made.body.id, name: 'Shipped', status: 'pending' })
    assert.match(pending.body.error, /pending review/)
    await service.manage('POST', `/templates/${made.body.id}/reject`, { reason: 'Say which shop it is from' })
    const rejected = await send()
    assert.equal(rejected.body.details.status, 'rejected')
    assert.match(rejected.body.error, /was rejected: Say which shop it is from/)
    await service.manage('POST', `/templates/${made.body.id}/approve`)
    assert.equal((await send()).status, 200)
  })

  test('refuses all of many wrong texts of a workspace, and explains only a few (D43)', async () => {
    const workspaceId = await makeWorkspace(service, { templatesRequired: true })
    const own = await makeClient(service, { workspaceId })
    await approveTemplate(service, workspaceId, { text: 'Your order {{id}} is on its way.' })
    const answers = await Promise.all(Array.from({ length: 100 }, () => own.send({ text: 'Buy now!' })))
    for (const answer of answers) assertRefused(answer, 403, 'template_required')
    const explained = answers.filter(({ body }) => body.details !== undefined).length
    assert.ok(explained > 0 && explained <= 50, `${explained} of 100 within a few seconds`)
  })

  test('rejects an unknown, pending, withdrawn or foreign template, or one of another type, as template_required (§7.1)', async () => {
    const own = await makeClient(service)
    const fields = { text: undefined, variables: { a: 'x' } }
    const refused = async (templateId: string, more = {}) =>
      assertRefused(await own.send({ ...fields, templateId, ...more }), 403, 'template_required')
    await refused('no-such-template')
    await refused('01890000-0000-7000-8000-000000000000')
    const pending = await service.manage('POST', `/workspaces/${own.workspaceId}/templates`, {
      name: 'P',
      type: 'transactional',
      text: 'Hi {{a}}',
    })
    await refused(pending.body.id)
    const approved = await approveTemplate(service, own.workspaceId, { text: 'Hi {{a}}!' })
    assert.equal((await own.send({ ...fields, templateId: approved })).status, 200)
    await refused(approved, { type: 'otp' })
    await service.manage('POST', `/templates/${approved}/reject`, { reason: 'Withdrawn' })
    await refused(approved)
    const foreign = await approveTemplate(service, await makeWorkspace(service), { text: 'Hi {{a}}' })
    await refused(foreign)
  })

  test('lets a pending or suspended workspace read but not send (§5.3)', async () => {
    for (const status of ['pending', 'suspended']) {
      const workspaceId = await makeWorkspace(service, { status })
      const own = await makeClient(service, { workspaceId })
      assertRefused(await own.send(), 403, `workspace_${status}`)
      const balance = await own.get('/sms/balance')
      assert.deepEqual([balance.status, balance.body.workspaceStatus], [200, status])
    }
  })

  test('refuses a disabled client on the next request on every process (§5.1)', async () => {
    const own = await makeClient(service)
    await service.manage('POST', `/clients/${own.id}/disable`)
    assertRefused(await own.send(), 403, 'client_disabled')
    assertRefused(await own.get('/sms/balance'), 403, 'client_disabled')
    await service.manage('POST', `/clients/${own.id}/enable`)
    assert.equal((await own.send()).status, 200)
  })

  test('rejects a call from outside the IP allow list as ip_not_allowed, for IPv4 and IPv6 (§7.2)', async () => {
    const far = await makeClient(service, { restrictions: { ipAllowlist: ['203.0.113.0/24', '2001:db8::/32'] } })
    assertRefused(await far.send(), 403, 'ip_not_allowed')
    const near = await makeClient(service, { restrictions: { ipAllowlist: ['127.0.0.0/8', '::1'] } })
    assert.equal((await near.send()).status, 200)
  })
})

describe('422', () => {
  test('returns the country of the number and the allowed countries (§2.6)', async () => {
    const answer = await client.send({ to: '+919812345678' })
    assertRefused(answer, 422, 'destination_not_supported')
    assert.deepEqual(answer.body.details, { country: 'IN', allowed: ['NP'] })
  })
})

describe('429', () => {
  test('refuses a client beyond its rate limit until the next second (§8.1)', async () => {
    const own = await makeClient(service, { requestsPerSecond: 5 })
    const answers = await Promise.all(Array.from({ length: 12 }, () => own.send()))
    assert.equal(answers.filter(({ status }) => status === 200).length, 5)
    const refused = answers.find(({ status }) => status === 429)
    assert.ok(refused)
    assertRefused(refused, 429, 'rate_limited')
    await service.advance(1)
    assert.equal((await own.get('/sms/balance')).status, 200)
  })

  test('applies the daily cap until the end of the day in the time zone of the workspace (§7.2)', async () => {
    const own = await makeClient(service, { restrictions: { dailyCap: 3 } })
    const answers = await Promise.all(Array.from({ length: 8 }, () => own.send()))
    assert.equal(answers.filter(({ status }) => status === 200).length, 3)
    const refused = await own.send()
    assertRefused(refused, 429, 'daily_cap')
    const wait = Number(refused.headers.get('retry-after'))
    const now = service.clock.now()
    // In Kathmandu a day ends at 18:15 UTC.
    const midnight = new Date(now).setUTCHours(18, 15, 0, 0)
    const seconds = Math.ceil((midnight - now.getTime()) / 1000)
    assert.equal(wait, seconds > 0 ? seconds : seconds + 86_400)
    await service.advance(wait - 1)
    assertRefused(await own.send(), 429, 'daily_cap')
    await service.advance(1)
    assert.equal((await own.send()).status, 200)
  })

  test('applies the hourly cap per number as a sliding window (§7.2)', async () => {
    const own = await makeClient(service, { restrictions: { hourlyCapPerNumber: 2 } })
    assert.equal((await own.send()).status, 200)
    await service.advance(1000)
    assert.equal((await own.send()).status, 200)
    const refused = await own.send()
    assertRefused(refused, 429, 'number_cap')
    assert.equal(refused.headers.get('retry-after'), '2600')
    assert.equal((await own.send({ to: '9841234568' })).status, 200)
    await service.advance(2600)
    assert.equal((await own.send()).status, 200)
  })

  test('counts messages from before the hourly cap was set, and none twice (D39)', async () => {
    const own = await makeClient(service)
    const cap = (hourlyCapPerNumber: number | null) =>
      service.manage('PATCH', `/clients/${own.id}`, { restrictions: { hourlyCapPerNumber } })
    await own.send()
    await service.advance(600)
    await Promise.all([own.send(), own.send()])
    await cap(4)
    assert.equal((await own.send()).status, 200)
    const refused = await own.send()
    assertRefused(refused, 429, 'number_cap')
    assert.equal(refused.headers.get('retry-after'), '3000')
    assert.equal((await own.send({ to: '9841234568' })).status, 200, 'what went to other numbers does not count')
    await cap(null)
    await service.advance(60)
    assert.equal((await own.send()).status, 200)
    await cap(6)
    assert.equal((await own.send()).status, 200, 'five of the hour, whether a cap was set or not')
    assertRefused(await own.send(), 429, 'number_cap')
    const others = await makeClient(service, { workspaceId: own.workspaceId, restrictions: { hourlyCapPerNumber: 1 } })
    assert.equal((await others.send()).status, 200, 'nor does what other clients sent')
  })

  test('reads no more of a window than the cap needs, and treats a stored cap above 1 000 as 1 000 (D43)', async () => {
    const own = await makeClient(service, { restrictions: { hourlyCapPerNumber: 3 } })
    await service.db.query(sql`update client set hourly_cap_per_number = 1000000000 where id = ${own.id}`)
    const scope = `hour:${own.id}:+9779841234567`
    const fill = (hits: number) =>
      service.db.query(sql`
        insert into rate_limit_hit (scope, at, id)
        select ${scope}, ${service.clock.now()}::timestamptz - make_interval(secs => n), gen_random_uuid()
        from generate_series(1, ${hits}::int) as n`)
    await fill(998)
    const answers = await Promise.all(Array.from({ length: 4 }, () => own.send()))
    assert.equal(answers.filter(({ status }) => status === 200).length, 2)
    const refused = answers.find(({ status }) => status === 429)
    assert.ok(refused)
    assertRefused(refused, 429, 'number_cap')
    assert.equal(refused.headers.get('retry-after'), String(3600 - 998))
    await fill(2_000)
    const limit = { scope, most: 1_000, seconds: 3600 }
    let rows = 0
    const counting: Queries = {
      query: async <Row>(statement: Statement) => {
        const read = await service.db.query<Row>(statement)
        rows += read.length
        return read
      },
    }
    await loadWindows(counting, windowReadsOf([limit, limit, limit], service.clock.now()))
    assert.equal(rows, 3)
  })

  test('sends no Retry-After for a cap of 0, because waiting does not help (D27)', async () => {
    for (const [restrictions, code] of [
      [{ dailyCap: 0 }, 'daily_cap'],
      [{ hourlyCapPerNumber: 0 }, 'number_cap'],
    ] as const) {
      const { status, body, headers } = await (await makeClient(service, { restrictions })).send()
      assert.deepEqual([status, body.code, headers.get('retry-after')], [429, code, null])
    }
  })
})

describe('503', () => {
  test('refuses sends as sms_disabled while the service is switched off, and serves reads (§7.1)', async () => {
    await service.manage('PATCH', '/service', { smsEnabled: false })
    assertRefused(await client.send(), 503, 'sms_disabled')
    assertRefused(await client.otp(), 503, 'sms_disabled')
    assert.equal((await client.get('/sms/balance')).status, 200)
    await service.manage('PATCH', '/service', { smsEnabled: true })
    assert.equal((await client.send()).status, 200)
  })
})
