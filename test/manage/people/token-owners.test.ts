// D67: a token belongs to its creator in one workspace. Removal and demotion revoke it in the same transaction.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeWorkspace } from '../../harness/client.ts'
import { holdWorkspace } from '../../harness/hold-workspace.ts'
import { Browser, makePerson, PASSWORD } from '../../harness/people.ts'
import { assertRefused } from '../../harness/refused.ts'
import { query } from '../../harness/server.ts'
import { ownService } from '../../harness/service.ts'
import { until } from '../../harness/until.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api' } })
const { manage } = service

type Ask = (method: string, path: string, body?: unknown) => ReturnType<typeof manage>
const withToken =
  (token: string): Ask =>
  (method, path, body) =>
    manage(method, path, body, token)
const asPerson =
  (browser: Browser): Ask =>
  (method, path, body) =>
    browser.ask(method, path, body)

async function createToken(ask: Ask, workspaceId: string | null, role = 'owner'): Promise<string> {
  const made =
    workspaceId === null
      ? await ask('POST', '/operators/tokens', { name: 'Program' })
      : await ask('POST', `/workspaces/${workspaceId}/owner-tokens`, { name: 'Program', role })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.token
}

const statusOf = async (token: string) => (await manage('GET', '/whoami', undefined, token)).status

test('removing a member revokes their tokens in the workspace, including tokens created by a token', async () => {
  const [workspaceId, elsewhere] = [await makeWorkspace(service), await makeWorkspace(service)]
  const colleague = await makePerson(service, { workspaceId })
  const person = await makePerson(service, { workspaceId })
  await query(service.address, `insert into membership values ('${person.id}', '${elsewhere}', 'owner', '2026-11-20')`)
  const own = await createToken(asPerson(person.browser), workspaceId)
  const byToken = await createToken(withToken(own), workspaceId, 'viewer')
  const there = await createToken(asPerson(person.browser), elsewhere)
  const others = await createToken(asPerson(colleague.browser), workspaceId)
  const invited = await withToken(own)('POST', `/workspaces/${workspaceId}/invitations`, {
    email: 'way-back@example.com',
    role: 'owner',
  })
  assert.equal((await manage('DELETE', `/workspaces/${workspaceId}/members/${person.id}`)).status, 204)
  assert.deepEqual(
    [await statusOf(own), await statusOf(byToken), await statusOf(there), await statusOf(others)],
    [401, 401, 200, 200],
  )
  assertRefused(await new Browser(service).use(invited.body.link, { password: PASSWORD }), 404, 'not_found')
  const { items } = (await manage('GET', `/workspaces/${workspaceId}/audit-log?action=owner_token.revoked`)).body
  assert.equal(items.length, 2)
})

test('every demotion revokes the tokens whose role exceeds the new role', async () => {
  for (const demote of ['by an owner', 'by a link']) {
    const workspaceId = await makeWorkspace(service)
    await makePerson(service, { workspaceId })
    const { id, email, browser } = await makePerson(service, { workspaceId })
    const create = (role: string) => createToken(asPerson(browser), workspaceId, role)
    const tokens = [await create('owner'), await create('developer'), await create('viewer')]
    if (demote === 'by an owner')
      assert.equal(
        (await manage('PATCH', `/workspaces/${workspaceId}/members/${id}`, { role: 'developer' })).status,
        204,
      )
    else {
      const invited = await manage('POST', `/workspaces/${workspaceId}/invitations`, { email, role: 'developer' })
      assert.equal((await browser.use(invited.body.link)).status, 200)
    }
    assert.deepEqual(await Promise.all(tokens.map(statusOf)), [401, 200, 200], demote)
    const promoted = await manage('PATCH', `/workspaces/${workspaceId}/members/${id}`, { role: 'owner' })
    assert.equal(promoted.status, 204)
    assert.deepEqual(await Promise.all(tokens.map(statusOf)), [401, 200, 200], 'a revoked token stays revoked')
  }
})

test('removing an operator revokes every token of that person, except where a membership allows it', async () => {
  const [workspaceId, own] = [await makeWorkspace(service), await makeWorkspace(service)]
  await makePerson(service)
  const operator = await makePerson(service)
  await query(service.address, `insert into membership values ('${operator.id}', '${own}', 'developer', '2026-11-20')`)
  const ask = asPerson(operator.browser)
  const ofService = await createToken(ask, null)
  const byToken = await createToken(withToken(ofService), null)
  const ofWorkspace = await createToken(ask, workspaceId, 'viewer')
  const ownOwner = await createToken(ask, own, 'owner')
  const ownViewer = await createToken(ask, own, 'viewer')
  const invited = await withToken(byToken)('POST', '/operators/invitations', { email: 'next@example.com' })
  assert.equal((await manage('DELETE', `/operators/${operator.id}`)).status, 204)
  assert.deepEqual(
    await Promise.all([ofService, byToken, ofWorkspace, ownOwner, ownViewer].map(statusOf)),
    [401, 401, 401, 401, 200],
  )
  assertRefused(await new Browser(service).use(invited.body.link, { password: PASSWORD }), 404, 'not_found')
})

test('a request that was authenticated before the removal creates neither token nor invitation', async () => {
  for (const [path, body] of [
    ['owner-tokens', { name: 'Late' }],
    ['invitations', { email: 'late@example.com', role: 'owner' }],
  ] as const) {
    const workspaceId = await makeWorkspace(service)
    await makePerson(service, { workspaceId })
    const { id, browser } = await makePerson(service, { workspaceId })
    const release = await holdWorkspace(service, workspaceId)
    const removed = manage('DELETE', `/workspaces/${workspaceId}/members/${id}`)
    await until(async () => (await waitingForLocks()) === 1)
    const late = browser.ask('POST', `/workspaces/${workspaceId}/${path}`, body)
    await until(async () => (await waitingForLocks()) === 2)
    await release()
    assert.equal((await removed).status, 204)
    assertRefused(await late, 404, 'not_found')
  }
})

test('refuses queued calls of a workspace after their token is revoked', async () => {
  const workspaceId = await makeWorkspace(service)
  const { browser } = await makePerson(service, { workspaceId })
  const token = await createToken(asPerson(browser), workspaceId)
  const { id } = (await manage('GET', `/workspaces/${workspaceId}/owner-tokens`)).body.items[0]
  const release = await holdWorkspace(service, workspaceId)
  const create = (name: string) =>
    withToken(token)('POST', `/workspaces/${workspaceId}/clients`, { name, brandName: 'Shop' })
  // The first call has the turn and waits for the row; the others wait for the turn.
  const first = create('First')
  await until(async () => (await waitingForLocks()) === 1)
  const later = Array.from({ length: 5 }, (_, index) => create(`Later ${index}`))
  // Revokes directly, because a real revocation would also wait for the row.
  await query(service.address, `update owner_token set revoked_at = created_at where id = '${id}'`)
  await release()
  assert.equal((await first).status, 201, 'it was under way')
  for (const call of later) assertRefused(await call, 401, 'unauthorized')
})

test("ends an owner's invitation with the last role of its creator", async () => {
  const workspaceId = await makeWorkspace(service)
  await makePerson(service, { workspaceId })
  const person = await makePerson(service, { workspaceId })
  const invited = await person.browser.ask('POST', `/workspaces/${workspaceId}/invitations`, {
    email: 'another-way-back@example.com',
    role: 'owner',
  })
  assert.equal(invited.status, 201, JSON.stringify(invited.body))
  await query(service.address, `update person set is_operator = true where id = '${person.id}'`)
  await makePerson(service)
  assert.equal((await manage('DELETE', `/workspaces/${workspaceId}/members/${person.id}`)).status, 204)
  assert.equal((await manage('DELETE', `/operators/${person.id}`)).status, 204)
  assertRefused(await new Browser(service).use(invited.body.link, { password: PASSWORD }), 404, 'not_found')
})

async function waitingForLocks(): Promise<number> {
  const [row] = await query(
    service.address,
    `select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
  )
  return Number(row?.count)
}
