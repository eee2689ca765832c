// Workspaces in the management API.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeClient, makeWorkspace } from '../../harness/client.ts'
import { assertRefused } from '../../harness/refused.ts'
import { ownService, START } from '../../harness/service.ts'
import { ABSENT, workspaceBody } from '../fixtures.ts'

const service = await ownService()
const { manage } = service

test('creates a workspace with the given values and defaults', async () => {
  const { status, body } = await manage('POST', '/workspaces', { ...workspaceBody, status: undefined })
  assert.equal(status, 201)
  const { id, ...rest } = body
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/)
  assert.deepEqual(rest, {
    ...workspaceBody,
    status: 'pending',
    currency: 'NPR',
    timeZone: 'Asia/Kathmandu',
    plan: 'standard',
    allowedTypes: ['transactional', 'otp'],
    allowedCountries: null,
    templatesRequired: true,
    maxClients: 20,
    carrierFields: {},
    balance: 1000,
    creditAlerts: { below: [], isLow: false, clientId: null },
    creditRequest: null,
    period: '2026-11-01',
    periodEndsAt: '2026-11-30T18:15:00.000Z',
    createdAt: START.toISOString(),
    updatedAt: START.toISOString(),
  })
  assert.deepEqual((await manage('GET', `/workspaces/${id}`)).body, body)
})

test('allows promotional messages on the enterprise plan', async () => {
  const id = await makeWorkspace(service, { plan: 'enterprise' })
  const { body } = await manage('GET', `/workspaces/${id}`)
  assert.deepEqual(body.allowedTypes, ['transactional', 'otp', 'promotional'])
})

test('changes only the fields of a patch', async () => {
  const id = await makeWorkspace(service)
  const before = (await manage('GET', `/workspaces/${id}`)).body
  const patch = { status: 'suspended', rate: { otp: 2.0001 }, allowedCountries: ['NP'], templatesRequired: true }
  const { status, body } = await manage('PATCH', `/workspaces/${id}`, patch)
  assert.equal(status, 200)
  assert.deepEqual(body, { ...before, ...patch, rate: { ...before.rate, otp: 2.0001 } })
  assert.deepEqual((await manage('GET', `/workspaces/${id}`)).body, body)
})

test('records nothing for a patch without a change', async () => {
  const id = await makeWorkspace(service)
  assert.equal((await manage('PATCH', `/workspaces/${id}`, {})).status, 200)
  assert.equal((await manage('PATCH', `/workspaces/${id}`, { name: workspaceBody.name })).status, 200)
  assert.equal((await manage('GET', `/workspaces/${id}/audit-log`)).body.items.length, 1)
})

const refused: [what: string, changes: object, path: unknown[]][] = [
  ['no name', { name: undefined }, ['name']],
  ['an empty name', { name: '' }, ['name']],
  ['a NUL in the name (D4)', { name: 'a\0b' }, ['name']],
  ['half a surrogate pair in the name (D4)', { name: 'a\ud800' }, ['name']],
  ['a country that is no code', { country: 'Nepal' }, ['country']],
  ['a currency that is no code', { currency: 'Rs' }, ['currency']],
  ['a time zone nobody knows', { timeZone: 'Asia/Nowhere' }, ['timeZone']],
  ['a bare offset as time zone', { timeZone: '+05:45' }, ['timeZone']],
  ['a plan that is none', { plan: 'gold' }, ['plan']],
  ['a status that is none', { status: 'open' }, ['status']],
  ['a negative credit', { monthlyCredit: -1 }, ['monthlyCredit']],
  ['five decimals (D7)', { monthlyCredit: 0.00001 }, ['monthlyCredit']],
  ['a credit past what is exact (D7)', { monthlyCredit: 1e12 }, ['monthlyCredit']],
  ['a credit that is a text', { monthlyCredit: '5' }, ['monthlyCredit']],
  ['a missing price', { rate: { transactional: 1, otp: 1 } }, ['rate', 'promotional']],
  ['a price beyond all reason', { rate: { transactional: 1, otp: 100_000_001, promotional: 1 } }, ['rate', 'otp']],
  ['promotional outside Enterprise (§2.3)', { allowedTypes: ['promotional'] }, ['allowedTypes']],
  ['a type that is none', { allowedTypes: ['sms'] }, ['allowedTypes', 0]],
  ['a field that is none', { colour: 'red' }, []],
]
for (const [what, changes, path] of refused) {
  test(`400: ${what}`, async () => {
    assertRefused(await manage('POST', '/workspaces', { ...workspaceBody, ...changes }), 400, 'invalid_request', path)
  })
}

test('reports every fault of a body in one response', async () => {
  const answer = await manage('POST', '/workspaces', { ...workspaceBody, name: '', country: 'x', plan: 'gold' })
  assertRefused(answer, 400, 'invalid_request')
  assert.deepEqual(
    answer.body.details.map((it: { path: string[] }) => it.path[0]),
    ['name', 'country', 'plan'],
  )
})

test('rejects bodies that are not JSON objects, and invalid ids, with 400', async () => {
  for (const body of ['{"name":', '[]', '"text"', 'null']) {
    assertRefused(await manage('POST', '/workspaces', body), 400, 'invalid_request')
  }
  assertRefused(await manage('POST', '/workspaces'), 400, 'invalid_request')
  assertRefused(await manage('GET', '/workspaces/himal'), 400, 'invalid_request', ['id'])
})

test('rejects changes of country, currency and time zone, and types that the plan lacks', async () => {
  const id = await makeWorkspace(service, { plan: 'enterprise' })
  for (const patch of [{ country: 'IN' }, { currency: 'INR' }, { timeZone: 'UTC' }, { balance: 5 }]) {
    assertRefused(await manage('PATCH', `/workspaces/${id}`, patch), 400, 'invalid_request')
  }
  const downgrade = { plan: 'standard' }
  assertRefused(await manage('PATCH', `/workspaces/${id}`, downgrade), 400, 'invalid_request', ['allowedTypes'])
  assert.equal((await manage('PATCH', `/workspaces/${id}`, { ...downgrade, allowedTypes: ['otp'] })).status, 200)
})

test('answers 404 for a missing workspace', async () => {
  assertRefused(await manage('GET', `/workspaces/${ABSENT}`), 404, 'not_found')
  assertRefused(await manage('PATCH', `/workspaces/${ABSENT}`, {}), 404, 'not_found')
})

test('rejects a body over 64 KiB with 413 (D28)', async () => {
  const answer = await manage('POST', '/workspaces', { ...workspaceBody, name: 'x'.repeat(70_000) })
  assertRefused(answer, 413, 'invalid_request')
})

test('finds workspaces by a part of the name and by status, with the messages of today', async () => {
  const client = await makeClient(service, { workspaceId: await makeWorkspace(service, { name: '100% Élan_Shop' }) })
  await makeWorkspace(service, { name: '1000 elans', status: 'suspended' })
  await client.send()
  await client.send()
  const found = async (query: Record<string, string>) =>
    (await manage('GET', `/workspaces?${new URLSearchParams(query)}`)).body.items.map(
      ({ name, sentToday }: { name: string; sentToday: number }) => [name, sentToday],
    )
  assert.deepEqual(await found({ name: '100% é' }), [['100% Élan_Shop', 2]])
  assert.deepEqual(await found({ name: 'LAN_' }), [['100% Élan_Shop', 2]])
  assert.deepEqual(await found({ name: 'lan', status: 'suspended' }), [['1000 elans', 0]])
  assert.deepEqual(await found({ name: 'no such shop' }), [])
  // In the time zone of the workspace it is another day.
  await service.advance(24 * 3600)
  assert.deepEqual(await found({ name: 'LAN_' }), [['100% Élan_Shop', 0]])
})
