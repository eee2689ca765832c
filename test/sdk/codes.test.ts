// Every error code of §7 from the real service, as the SDK reports it, with retries where they help.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Hulaki, HulakiError, type HulakiOptions, type ServiceCode } from '../../sdk/src/index.ts'
import { REFUSALS } from '../../src/domain/refusals.ts'
import { sql } from '../../src/store/database/sql.ts'
import { approveTemplate, makeClient, makeWorkspace } from '../harness/client.ts'
import { ownService } from '../harness/service.ts'
import { machineWithoutWaits } from '../harness/shaky-network.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
const TO = '+9779841234567'

/** A machine that does not wait; the service asks for 30 s. */
const PATIENT = { maxWaitMs: 60_000, withinMs: 600_000 }

type Calling = (hulaki: Hulaki) => Promise<unknown>

interface Provoked {
  error: unknown
  waits: number[]
}

/** The error of a refused call, with the waits before it. */
async function refusalOf(apiKey: string, call: Calling, options: Partial<HulakiOptions> = {}): Promise<Provoked> {
  const machine = machineWithoutWaits()
  const hulaki = new Hulaki({ url: service.url, apiKey, ...options }, machine)
  const error = await call(hulaki).then(
    (answer) => assert.fail(`taken: ${JSON.stringify(answer)}`),
    (it: unknown) => it,
  )
  return { error, waits: machine.waits }
}

const sending = (hulaki: Hulaki) => hulaki.send({ to: TO, text: 'Namaste' })

/** The error of a send with these settings of the client. */
async function refusedTo(
  client: object,
  workspace: Record<string, unknown> = {},
  call: Calling = sending,
): Promise<Provoked> {
  const workspaceId = await makeWorkspace(service, workspace)
  return refusalOf((await makeClient(service, { workspaceId, ...client })).apiKey, call)
}

const restricted = (restrictions: object, call: Calling = sending) => refusedTo({ restrictions }, {}, call)

async function secondRefused(restrictions: Record<string, number>): Promise<Provoked> {
  const { apiKey } = await makeClient(service, { restrictions })
  await sending(new Hulaki({ url: service.url, apiKey }))
  return refusalOf(apiKey, sending)
}

/** The compiler requires every code of the service. */
const PROVOKED: Record<ServiceCode, () => Promise<Provoked>> = {
  invalid_request: () => refusedTo({}, {}, (hulaki) => hulaki.send({ to: '12', text: 'x' })),
  invalid_number: () => refusedTo({}, {}, (hulaki) => hulaki.send({ to: '+97714412345', text: 'x' })),
  invalid_variables: async () => {
    const workspaceId = await makeWorkspace(service)
    const templateId = await approveTemplate(service, workspaceId, { text: 'Order {{number}}' })
    const { apiKey } = await makeClient(service, { workspaceId })
    return refusalOf(apiKey, (hulaki) => hulaki.send({ to: TO, templateId, variables: {} }))
  },
  unauthorized: () => refusalOf(`svc_live_${'0'.repeat(48)}`, (hulaki) => hulaki.balance()),
  insufficient_balance: () => refusedTo({}, { monthlyCredit: 1 }),
  client_disabled: async () => {
    const { id, apiKey } = await makeClient(service)
    await service.manage('POST', `/clients/${id}/disable`)
    return refusalOf(apiKey, (hulaki) => hulaki.coverage())
  },
  workspace_pending: () => refusedTo({}, { status: 'pending' }),
  workspace_suspended: () =>
    refusedTo({}, { status: 'suspended' }, (hulaki) => hulaki.otp.verify({ to: TO, code: '123456' })),
  forbidden: () =>
    refusedTo({}, { plan: 'standard' }, (hulaki) => hulaki.send({ to: TO, text: 'Buy!', type: 'promotional' })),
  template_required: async () => {
    const workspaceId = await makeWorkspace(service, { templatesRequired: true })
    await approveTemplate(service, workspaceId, { text: 'Your order {{number}} is on its way' })
    const { apiKey } = await makeClient(service, { workspaceId })
    return refusalOf(apiKey, (hulaki) => hulaki.send({ to: TO, text: 'Your order 4711 is on its may' }))
  },
  type_not_allowed: () => restricted({ types: ['otp'] }),
  ip_not_allowed: () => restricted({ ipAllowlist: ['203.0.113.1'] }, (hulaki) => hulaki.messages.get('any')),
  prefix_not_allowed: () => restricted({ numberPrefixes: ['+97797'] }),
  not_found: () => refusedTo({}, {}, (hulaki) => hulaki.messages.get('0198f0a4-81d0-7c3f-8a44-0e5d7b9c1a20')),
  idempotency_conflict: async () => {
    const { apiKey } = await makeClient(service)
    const again = { idempotencyKey: 'order-4711' }
    await new Hulaki({ url: service.url, apiKey }).send({ to: TO, text: 'One' }, again)
    return refusalOf(apiKey, (hulaki) => hulaki.send({ to: TO, text: 'Another' }, again))
  },
  destination_not_supported: () => refusedTo({}, {}, (hulaki) => hulaki.send({ to: '+919812345678', text: 'x' })),
  rate_limited: async () => {
    const { apiKey } = await makeClient(service, { requestsPerSecond: 1 })
    await new Hulaki({ url: service.url, apiKey }).balance()
    return refusalOf(apiKey, (hulaki) => hulaki.balance())
  },
  daily_cap: () => secondRefused({ dailyCap: 1 }),
  number_cap: () => secondRefused({ hourlyCapPerNumber: 1 }),
  suspected_pumping: async () => {
    const { apiKey } = await makeClient(service, { restrictions: { pumpingGuard: 'block' } })
    const hulaki = new Hulaki({ url: service.url, apiKey })
    for (let at = 0; at < 5; at++) await hulaki.otp.send({ to: `+977985111100${at}` })
    return refusalOf(apiKey, (it) => it.otp.send({ to: '+9779851111005' }))
  },
  server_error: async () => {
    const { apiKey } = await makeClient(service)
    await service.db.query(sql`alter table country rename to country_away`)
    const provoked = await refusalOf(apiKey, sending)
    await service.db.query(sql`alter table country_away rename to country`)
    return provoked
  },
  sms_disabled: async () => {
    await service.manage('PATCH', '/service', { smsEnabled: false })
    const provoked = await refusedTo({})
    await service.manage('PATCH', '/service', { smsEnabled: true })
    return provoked
  },
  unavailable: async () => {
    // D40: no carrier has worked for half a minute.
    await service.advance(31)
    const { apiKey } = await makeClient(service)
    return refusalOf(apiKey, (hulaki) => hulaki.otp.send({ to: '+9779841234999' }), PATIENT)
  },
}

/** §2.6: the details beside the message. */
const DETAILS: Partial<Record<ServiceCode, string[]>> = {
  insufficient_balance: ['balance', 'cost'],
  destination_not_supported: ['allowed', 'country'],
  template_required: ['difference', 'name', 'status', 'templateId'],
}
const FIELD_ERRORS = ['invalid_request', 'invalid_variables']

/** §7.4: waits of these codes; a daily cap and the fraud guard are too far away. */
const TRIED_AGAIN = ['rate_limited', 'server_error', 'sms_disabled', 'unavailable']

const OF_MANAGEMENT = ['conflict', 'key_limit', 'sign_in_again']

for (const [code, provoke] of Object.entries(PROVOKED) as [ServiceCode, () => Promise<Provoked>][])
  test(`reports ${code} with its status, details and request id (§7)`, async () => {
    const { error, waits } = await provoke()
    assert.ok(error instanceof HulakiError, String(error))
    assert.deepEqual([error.code, error.status], [code, REFUSALS[code].status], error.message)
    assert.match(error.requestId ?? '', /^[0-9a-f-]{36}$/)
    assert.ok(error.message.length > 0)
    if (FIELD_ERRORS.includes(code)) assert.ok(Array.isArray(error.details) && error.details[0]?.path)
    else assert.deepEqual(error.details && Object.keys(error.details).toSorted(), DETAILS[code])
    if (error.status === 429) assert.ok((error.retryAfterSeconds ?? 0) >= 1)
    assert.equal(waits.length, TRIED_AGAIN.includes(code) ? 4 : 0, `waited ${waits}`)
    for (const wait of waits) assert.ok(wait >= (error.retryAfterSeconds ?? 0) * 1000, `${wait} ms is too early`)
  })

test('narrows the type of details by the error code (§2.6)', async () => {
  const { error } = await refusedTo({}, {}, (hulaki) => hulaki.send({ to: '+919812345678', text: 'x' }))
  assert.ok(error instanceof HulakiError && error instanceof Error)
  assert.ok(error.code === 'destination_not_supported')
  assert.deepEqual([error.details?.country, error.details?.allowed.length], ['IN', 1])
  const { error: mistyped } = await refusedTo({}, {}, (hulaki) => hulaki.otp.send({ to: '98-41234567' }))
  assert.ok(mistyped instanceof HulakiError && mistyped.code === 'invalid_request')
  assert.deepEqual(
    mistyped.details?.map(({ path }) => path[0]),
    ['to'],
  )
})

test('covers every code of §7 except the codes of the management API', () => {
  assert.deepEqual(Object.keys(REFUSALS).toSorted(), [...Object.keys(PROVOKED), ...OF_MANAGEMENT].toSorted())
})
