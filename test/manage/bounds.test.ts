// What owners cannot do to other workspaces, and cannot undo of the operator (D43).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getBalance, makeClient, makeOwner, makeWorkspace } from '../harness/client.ts'
import { assertRefused } from '../harness/refused.ts'
import { query } from '../harness/server.ts'
import { ownService } from '../harness/service.ts'
import { clientBody, templateBody } from './fixtures.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api' } })
const second = await ownService({ env: { HULAKI_ROLES: 'api' }, beside: service })
const { manage } = service

/** A client, and the calls of its owner about it. */
async function belongings(fields: Record<string, unknown> = {}) {
  const client = await makeClient(service, fields)
  const { token } = await makeOwner(service, client.workspaceId)
  const path = `/clients/${client.id}`
  return {
    ...client,
    path,
    restrict: (restrictions: object, by: 'owner' | 'operator' = 'owner') =>
      manage('PATCH', path, { restrictions }, ...(by === 'owner' ? [token] : [])),
    owner: (method: string, address: string, body?: object) => manage(method, address, body, token),
  }
}

test('limits a workspace to maxClients clients, 20 by default, also for concurrent creation on two processes (D43)', async () => {
  const workspaceId = await makeWorkspace(service)
  const { token } = await makeOwner(service, workspaceId)
  const path = `/workspaces/${workspaceId}`
  assert.equal((await manage('GET', path)).body.maxClients, 20)
  const make = (it: typeof service) => it.manage('POST', `${path}/clients`, clientBody, token)
  const made = await Promise.all(Array.from({ length: 15 }, () => [make(service), make(second)]).flat())
  const refused = made.filter((it) => it.status !== 201)
  assert.equal(refused.length, 10)
  for (const answer of refused) assertRefused(answer, 409, 'conflict')
  assert.match(refused[0]?.body.error, /20 clients/)

  const [first] = (await manage('GET', `${path}/clients?limit=1`)).body.items
  await manage('POST', `/clients/${first.id}/disable`, undefined, token)
  assertRefused(await make(service), 409, 'conflict')
  assertRefused(await manage('POST', `${path}/clients`, clientBody), 409, 'conflict')
  assert.equal((await manage('PATCH', path, { maxClients: 21 })).body.maxClients, 21)
  assert.equal((await make(service)).status, 201)
  assertRefused(await make(service), 409, 'conflict')
})

test('lets only the operator set maxClients; a lower limit deletes no client (D43)', async () => {
  const workspaceId = await makeWorkspace(service, { maxClients: 1 })
  const client = await makeClient(service, { workspaceId })
  const { token } = await makeOwner(service, workspaceId)
  assertRefused(await manage('PATCH', `/workspaces/${workspaceId}`, { maxClients: 5 }, token), 404, 'not_found')
  assert.equal((await manage('PATCH', `/workspaces/${workspaceId}`, { maxClients: 0 })).status, 200)
  assert.equal((await getBalance(service, client.apiKey)).status, 200)
  for (const maxClients of [-1, 1001, 1.5, null])
    assertRefused(await manage('PATCH', `/workspaces/${workspaceId}`, { maxClients }), 400, 'invalid_request')
})

test('limits an allow list to 100 networks and an hourly cap to 1000, with the field and the limit in the 400 (D43)', async () => {
  const { restrict } = await belongings()
  const networks = (count: number) => Array.from({ length: count }, (_, number) => `203.0.113.${number}`)
  assert.equal((await restrict({ ipAllowlist: networks(100), hourlyCapPerNumber: 1000 })).status, 200)
  const many = await restrict({ ipAllowlist: networks(101) })
  assertRefused(many, 400, 'invalid_request', ['restrictions', 'ipAllowlist'])
  assert.match(many.body.details[0].message, /100/)
  const high = await restrict({ hourlyCapPerNumber: 1001 })
  assertRefused(high, 400, 'invalid_request', ['restrictions', 'hourlyCapPerNumber'])
  assert.match(high.body.details[0].message, /1000/)
})

test('keeps values above a later limit, also when a patch changes something else (D43)', async () => {
  const { id, apiKey, owner, path } = await belongings()
  const networks = Array.from({ length: 101 }, (_, number) => `"127.0.0.${number}"`)
  await query(
    service.address,
    `update client set hourly_cap_per_number = 5000, only_networks = '{${networks}}' where id = '${id}'`,
  )
  const changed = await owner('PATCH', path, { name: 'Renamed', restrictions: { dailyCap: 5 } })
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  const { ipAllowlist, hourlyCapPerNumber } = changed.body.restrictions
  assert.deepEqual([ipAllowlist.length, hourlyCapPerNumber], [101, 5000])
  assert.equal((await getBalance(service, apiKey)).status, 200)
})

test('limits a workspace to 100 pending templates and 100 active owner tokens (D43)', async () => {
  const workspaceId = await makeWorkspace(service)
  const submit = () => manage('POST', `/workspaces/${workspaceId}/templates`, templateBody)
  const templates = await Promise.all(Array.from({ length: 101 }, submit))
  const [late, ...more] = templates.filter((it) => it.status !== 201)
  assert(late && more.length === 0)
  assertRefused(late, 409, 'conflict')
  const pending = templates.find((it) => it.status === 201)
  await manage('POST', `/templates/${pending?.body.id}/approve`)
  assert.equal((await submit()).status, 201)

  const path = `/workspaces/${workspaceId}/owner-tokens`
  const make = () => manage('POST', path, { name: 'Asha' })
  const tokens = await Promise.all(Array.from({ length: 101 }, make))
  const refused = tokens.filter((it) => it.status !== 201)
  assert.equal(refused.length, 1)
  await manage('DELETE', `${path}/${tokens.find((it) => it.status === 201)?.body.id}`)
  assert.equal((await make()).status, 201)
})

test('lets only the operator enable a client that the operator disabled (D43)', async () => {
  const { owner, path, apiKey } = await belongings()
  assert.equal((await owner('POST', `${path}/disable`)).body.disabledBy, 'owner')
  // The owner disabled the client first, then the operator.
  assert.equal((await manage('POST', `${path}/disable`)).body.disabledBy, 'operator')
  const refused = await owner('POST', `${path}/enable`)
  assertRefused(refused, 409, 'conflict')
  assert.equal((await owner('POST', `${path}/disable`)).body.disabledBy, 'operator')
  assertRefused(await getBalance(service, apiKey), 403, 'client_disabled')
  const enabled = await manage('POST', `${path}/enable`)
  assert.deepEqual([enabled.body.disabledAt, enabled.body.disabledBy], [null, null])
  await owner('POST', `${path}/disable`)
  assert.equal((await owner('POST', `${path}/enable`)).body.disabledAt, null)
})

test('lets an owner make restrictions of the operator stricter, never looser (D43)', async () => {
  const { restrict } = await belongings()
  const bounds = {
    types: ['transactional', 'otp'],
    ipAllowlist: ['203.0.113.0/24', '2001:db8::/32'],
    numberPrefixes: ['+97798', '+91'],
    dailyCap: 100,
    hourlyCapPerNumber: 5,
    pumpingGuard: 'monitor',
  }
  const set = await restrict(bounds, 'operator')
  assert.deepEqual(set.body.setByOperator, { ...bounds, pumpingAllowlist: [] })
  const looser: [field: string, value: unknown][] = [
    ['types', ['otp', 'promotional']],
    ['ipAllowlist', ['203.0.112.0/23']],
    ['ipAllowlist', ['203.0.113.7', '198.51.100.1']],
    ['ipAllowlist', ['::/0']],
    ['numberPrefixes', ['+977']],
    ['numberPrefixes', ['+977984', '+1']],
    ['dailyCap', 101],
    ['hourlyCapPerNumber', 6],
    ['pumpingGuard', 'off'],
    ['pumpingAllowlist', ['+977']],
  ]
  for (const [field, value] of looser) {
    const refused = await restrict({ [field]: value, ...(field !== 'dailyCap' && { dailyCap: 1 }) })
    assertRefused(refused, 409, 'conflict', ['restrictions', field])
  }
  const stricter = {
    types: ['otp'],
    ipAllowlist: ['203.0.113.7', '2001:db8:1::/48'],
    numberPrefixes: ['+977984'],
    dailyCap: 99,
    hourlyCapPerNumber: 0,
    pumpingGuard: 'block',
  }
  const narrowed = await restrict(stricter)
  assert.deepEqual(narrowed.body.restrictions, { ...stricter, pumpingAllowlist: null })
  assert.deepEqual(narrowed.body.setByOperator, { ...bounds, pumpingAllowlist: [] })
  const lifted = await restrict({
    ...{ types: null, ipAllowlist: null, numberPrefixes: null, dailyCap: null, hourlyCapPerNumber: null },
    ...{ pumpingGuard: 'monitor', pumpingAllowlist: null },
  })
  assert.deepEqual(lifted.body.restrictions, { ...bounds, pumpingAllowlist: null })
})

test('returns a restriction to the owner when the operator lifts it, and keeps the owner’s own restrictions (D43)', async () => {
  const { restrict } = await belongings({ restrictions: { dailyCap: 10 } })
  assertRefused(await restrict({ dailyCap: 11 }), 409, 'conflict')
  assert.equal((await restrict({ hourlyCapPerNumber: 3 })).status, 200)
  assert.equal((await restrict({ hourlyCapPerNumber: null })).body.restrictions.hourlyCapPerNumber, null)
  const lifted = await restrict({ dailyCap: null }, 'operator')
  assert.deepEqual([lifted.body.restrictions.dailyCap, lifted.body.setByOperator], [null, {}])
  assert.equal((await restrict({ dailyCap: 11 })).status, 200)
})

test('applies the combined restrictions to requests, whoever set them (D43)', async () => {
  const { restrict, send } = await belongings()
  await restrict({ numberPrefixes: ['+97798'] }, 'operator')
  assert.equal((await restrict({ numberPrefixes: ['+977980'] })).status, 200)
  assertRefused(await send({ to: '+9779841234567' }), 403, 'prefix_not_allowed')
  assert.equal((await restrict({ numberPrefixes: null })).status, 200)
  assert.equal((await send({ to: '+9779841234567' })).status, 200)
  assertRefused(await send({ to: '+9779741234567' }), 403, 'prefix_not_allowed')
})

test('hides the address of the operator in the audit log of the owner, and shows the owner’s changes completely (D43)', async () => {
  const { workspaceId, path, owner } = await belongings()
  await owner('POST', `${path}/rotate-key`)
  await manage('POST', `${path}/rotate-key`)
  const [byOperator, byOwner] = (await owner('GET', `/workspaces/${workspaceId}/audit-log`)).body.items
  assert.deepEqual([byOperator.actor, byOperator.address, byOperator.requestId], ['operator', null, null])
  assert.equal(byOwner.address, '127.0.0.1')
  assert.match(byOwner.requestId, /^[0-9a-f-]{36}$/)
  const [whole] = (await manage('GET', `/workspaces/${workspaceId}/audit-log`)).body.items
  assert.equal(whole.address, '127.0.0.1')
})
