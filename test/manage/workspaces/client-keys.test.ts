// The active API keys of a client (§5.1, D71): up to two, so that a key is replaced without an outage.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../../src/store/database/sql.ts'
import { clientAt, getBalance, makeClient, makeOwner, makeWorkspace, type TestClient } from '../../harness/client.ts'
import { hold } from '../../harness/hold-workspace.ts'
import { assertRefused } from '../../harness/refused.ts'
import { ownService, START } from '../../harness/service.ts'
import { until } from '../../harness/until.ts'
import { ABSENT } from '../fixtures.ts'

const service = await ownService()
const second = await ownService({ beside: service })
const { manage } = service
const workspaceId = await makeWorkspace(service)

interface ShownKey {
  id: string
  prefix: string
}

const prefixOf = (apiKey: string) => apiKey.slice(0, 'svc_live_'.length + 6)
const listKeys = async (id: string): Promise<ShownKey[]> => (await manage('GET', `/clients/${id}`)).body.keys

async function clientWithTwoKeys(fields = {}) {
  const client = await makeClient(service, { workspaceId: await makeWorkspace(service), ...fields })
  const added = (await manage('POST', `/clients/${client.id}/keys`)).body
  const [newKey, oldKey] = await listKeys(client.id)
  assert(newKey && oldKey)
  const other: TestClient = clientAt(service.url, { ...client, apiKey: added.apiKey })
  return { client, other, newKey, oldKey }
}

async function assertAccepted(...apiKeys: string[]): Promise<void> {
  for (const process of [second, service])
    for (const apiKey of apiKeys) assert.equal((await getBalance(process, apiKey)).status, 200)
}

async function assertUnknown(...apiKeys: string[]): Promise<void> {
  for (const process of [second, service])
    for (const apiKey of apiKeys) assertRefused(await getBalance(process, apiKey), 401, 'unauthorized')
}

test('adds a second key, shown once, and both keys work immediately on every process', async () => {
  const client = await makeClient(service, { workspaceId })
  const [first] = await listKeys(client.id)
  const { status, body } = await manage('POST', `/clients/${client.id}/keys`)
  assert.equal(status, 201)
  const { apiKey, ...shown } = body
  assert.match(apiKey, /^svc_live_[0-9a-f]{48}$/)
  assert.deepEqual(shown, { id: shown.id, prefix: prefixOf(apiKey), createdAt: START.toISOString() })
  await assertAccepted(client.apiKey, apiKey)
  const read = (await manage('GET', `/clients/${client.id}`)).body
  assert.deepEqual(read.keys, [shown, first])
  assert.equal(read.keyPrefix, shown.prefix)
  const list = await manage('GET', `/clients/${client.id}/keys`)
  assert.deepEqual(list.body, { items: [shown, first], next: null })
})

test('both keys are the same client: messages, idempotency and test OTPs', async () => {
  const { client, other } = await clientWithTwoKeys()
  const once = { 'idempotency-key': 'order-4711' }
  const sent = await client.send({}, once)
  assert.equal(sent.status, 200)
  assert.equal((await other.send({}, once)).body.messageId, sent.body.messageId)
  assert.equal((await other.get(`/sms/messages/${sent.body.messageId}`)).status, 200)
  assert.equal((await manage('POST', `/clients/${client.id}/test-otp`, { to: '+9779841234568' })).status, 200)
})

test('both keys share the rate limit of the client, also in one batch (D26)', async () => {
  const { client, other } = await clientWithTwoKeys({ requestsPerSecond: 5 })
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? client : other).get('/sms/balance')),
  )
  const count = (status: number) => answers.filter((it) => it.status === status).length
  assert.deepEqual([count(200), count(429)], [5, 15])
})

test('both keys share the OTP limit of a calling address, also in one batch (D39)', async () => {
  const { client, other } = await clientWithTwoKeys()
  const answers = await Promise.all(
    Array.from({ length: 80 }, (_, at) => (at % 2 === 0 ? client : other).otp({ to: `98${46_000_000 + at}` })),
  )
  const count = (status: number) => answers.filter((it) => it.status === status).length
  assert.deepEqual([count(200), count(429)], [60, 20])
})

test('rejects a revoked key on the next request on every process, and the other key keeps working', async () => {
  for (const which of ['old', 'new'] as const) {
    const { client, other, newKey, oldKey } = await clientWithTwoKeys()
    await assertAccepted(client.apiKey, other.apiKey)
    const [gone, kept] = which === 'old' ? [client, other] : [other, client]
    const [goneKey, keptKey] = which === 'old' ? [oldKey, newKey] : [newKey, oldKey]
    const revoked = await manage('DELETE', `/clients/${client.id}/keys/${goneKey.id}`)
    assert.equal(revoked.status, 204)
    await assertUnknown(gone.apiKey)
    await assertAccepted(kept.apiKey)
    assert.deepEqual(await listKeys(client.id), [keptKey])
    assertRefused(await manage('DELETE', `/clients/${client.id}/keys/${goneKey.id}`), 404, 'not_found')
    assert.equal((await manage('POST', `/clients/${client.id}/keys`)).status, 201)
  }
})

test('refuses a third active key', async () => {
  const { client, other } = await clientWithTwoKeys()
  assertRefused(await manage('POST', `/clients/${client.id}/keys`), 409, 'key_limit')
  await assertAccepted(client.apiKey, other.apiKey)
})

test('refuses to revoke the last active key, and says what to do instead', async () => {
  const client = await makeClient(service, { workspaceId })
  const [key] = await listKeys(client.id)
  const refused = await manage('DELETE', `/clients/${client.id}/keys/${key?.id}`)
  assertRefused(refused, 409, 'conflict')
  assert.match(refused.body.error, /rotate the key or disable the client/)
  await assertAccepted(client.apiKey)
})

test('a rotation stops both keys on every process and leaves one new key (§5.1 rule 5)', async () => {
  const { client, other } = await clientWithTwoKeys()
  await assertAccepted(client.apiKey, other.apiKey)
  const { status, body } = await manage('POST', `/clients/${client.id}/rotate-key`)
  assert.equal(status, 200)
  await assertUnknown(client.apiKey, other.apiKey)
  await assertAccepted(body.apiKey)
  assert.deepEqual(
    body.keys.map(({ prefix }: ShownKey) => prefix),
    [prefixOf(body.apiKey)],
  )
})

/** Holds the client until all requests wait for its lock. */
async function atOnce(clientId: string, requests: (() => ReturnType<typeof manage>)[]): Promise<number[]> {
  const release = await hold(service, sql`select 1 from client where id = ${clientId} for no key update`)
  const answers = requests.map((request) => request())
  await until(async () => {
    const waiting = await service.db.query(sql`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
    return waiting.length === requests.length
  })
  await release()
  return (await Promise.all(answers)).map(({ status }) => status).sort()
}

test('concurrent adds on two processes leave two active keys', async () => {
  const { id } = await makeClient(service, { workspaceId })
  const adds = [service, second, service, second].map((process) => () => process.manage('POST', `/clients/${id}/keys`))
  assert.deepEqual(await atOnce(id, adds), [201, 409, 409, 409])
  assert.equal((await listKeys(id)).length, 2)
})

test('concurrent revocations on two processes leave one active key', async () => {
  const { client, newKey, oldKey } = await clientWithTwoKeys()
  const revocations = [service, second].map(
    (process, at) => () => process.manage('DELETE', `/clients/${client.id}/keys/${[newKey, oldKey][at]?.id}`),
  )
  assert.deepEqual(await atOnce(client.id, revocations), [204, 409])
  assert.equal((await listKeys(client.id)).length, 1)
})

test('concurrent rotations and adds leave one or two active keys', async () => {
  const { client } = await clientWithTwoKeys()
  const changes = [service, second].flatMap((process) =>
    ['rotate-key', 'keys'].map((change) => () => process.manage('POST', `/clients/${client.id}/${change}`)),
  )
  const statuses = await atOnce(client.id, changes)
  assert.ok(
    statuses.every((status) => [200, 201, 409].includes(status)),
    String(statuses),
  )
  const { length } = await listKeys(client.id)
  assert.ok(length === 1 || length === 2)
})

test('the database refuses a third slot and a second key with the same hash', async () => {
  const { client } = await clientWithTwoKeys()
  const insert = (slot: number, hash: string) =>
    service.db.query(sql`
      insert into client_key (id, client_id, slot, hash, prefix, created_at)
      values (gen_random_uuid(), ${client.id}, ${slot}, sha256(${hash}::text::bytea), 'svc_', now())`)
  await assert.rejects(insert(3, 'third'), /client_key_slot_check/)
  await assert.rejects(insert(1, 'third'), /client_key_slot/)
  const { id } = await makeClient(service, { workspaceId })
  const copy = service.db.query(sql`
    insert into client_key (id, client_id, slot, hash, prefix, created_at)
    select gen_random_uuid(), ${id}, 2, hash, prefix, created_at from client_key where client_id = ${client.id} limit 1`)
  await assert.rejects(copy, /client_key_hash/)
})

test('only the operator and owners add and revoke keys; developers and viewers list them', async () => {
  const { client, oldKey } = await clientWithTwoKeys()
  const path = `/clients/${client.id}/keys`
  for (const role of ['developer', 'viewer']) {
    const made = await manage('POST', `/workspaces/${client.workspaceId}/owner-tokens`, { name: role, role })
    const { token } = made.body
    assertRefused(await manage('POST', path, undefined, token), 404, 'not_found')
    assertRefused(await manage('DELETE', `${path}/${oldKey.id}`, undefined, token), 404, 'not_found')
    assert.equal((await manage('GET', path, undefined, token)).body.items.length, 2)
  }
  const { token: owner } = await makeOwner(service, client.workspaceId)
  assert.equal((await manage('DELETE', `${path}/${oldKey.id}`, undefined, owner)).status, 204)
  assert.equal((await manage('POST', path, undefined, owner)).status, 201)
})

test('a key is revoked only through its own client', async () => {
  const { client, other, oldKey } = await clientWithTwoKeys()
  const { client: neighbour } = await clientWithTwoKeys()
  for (const id of [neighbour.id, ABSENT])
    assertRefused(await manage('DELETE', `/clients/${id}/keys/${oldKey.id}`), 404, 'not_found')
  await assertAccepted(client.apiKey, other.apiKey)
})

test('records added, revoked and rotated keys by their prefixes, and no refused change (§5.1 rule 8)', async () => {
  const { client, newKey, oldKey } = await clientWithTwoKeys()
  await manage('POST', `/clients/${client.id}/keys`)
  await manage('DELETE', `/clients/${client.id}/keys/${oldKey.id}`)
  await manage('DELETE', `/clients/${client.id}/keys/${newKey.id}`)
  const added = (await manage('POST', `/clients/${client.id}/keys`)).body
  const rotated = (await manage('POST', `/clients/${client.id}/rotate-key`)).body
  const { items } = (await manage('GET', `/workspaces/${client.workspaceId}/audit-log?action=client`)).body
  const rows = items.map(({ action, subject, details }: Record<string, unknown>) => [action, subject, details])
  assert.deepEqual(rows.slice(0, -1), [
    ['client.key_rotated', client.id, { from: `${added.prefix}, ${newKey.prefix}`, to: rotated.keyPrefix }],
    ['client.key_added', client.id, { keyPrefix: added.prefix }],
    ['client.key_revoked', client.id, { keyPrefix: oldKey.prefix }],
    ['client.key_added', client.id, { keyPrefix: newKey.prefix }],
  ])
  assert.equal(rows.at(-1)?.[0], 'client.created')
})
