// How people join and leave: the first operator, invitations and recovery. No link gives more access than it was created for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inviteFirstOperator } from '../../../src/actions/people/invite-people.ts'
import { makeOwner, makeWorkspace } from '../../harness/client.ts'
import { Browser, makePerson, PASSWORD, secretOf } from '../../harness/people.ts'
import { assertRefused } from '../../harness/refused.ts'
import { query } from '../../harness/server.ts'
import { ownService } from '../../harness/service.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,upkeep' } })
const { manage } = service
const HOUR = 3600

const invite = (workspaceId: string, body: object, browser?: Browser) =>
  browser
    ? browser.ask('POST', `/workspaces/${workspaceId}/invitations`, body)
    : manage('POST', `/workspaces/${workspaceId}/invitations`, body)

const look = (browser: Browser, link: string) => browser.ask('POST', '/links/view', { secret: secretOf(link) })

test('signs in the first operator once by the link of the start; name, address and password can follow', async () => {
  const first = await inviteFirstOperator(service.ports)
  assert.ok(first)
  const browser = new Browser(service)
  const link = `${service.url}/console/welcome#${first.secret}`
  assert.deepEqual((await look(browser, link)).body, {
    ...{ kind: 'operator', email: null, workspace: null, role: null, needs: 'nothing' },
    expiresAt: new Date(service.clock.now().getTime() + HOUR * 1000).toISOString(),
  })
  assert.equal((await browser.use(link)).status, 200)
  const who = (await browser.ask('GET', '/whoami')).body
  assert.deepEqual(
    [who.kind, who.isOperator, who.person.email, who.person.name, who.person.hasPassword],
    ['operator', true, 'operator@localhost', 'Operator', false],
  )
  assertRefused(await new Browser(service).use(link), 404, 'not_found')
  assertRefused(await look(new Browser(service), link), 404, 'not_found')
  assert.equal(await inviteFirstOperator(service.ports), null, 'there is an operator')
  // An account without a sign-in method needs no recent sign-in.
  await service.advance(601)
  assertRefused(await browser.ask('POST', '/session/refresh', { password: PASSWORD }), 409, 'conflict')
  assert.equal((await browser.ask('PUT', '/account/password', { password: PASSWORD })).status, 204)
  assert.equal((await new Browser(service).signIn('operator@localhost')).status, 200)
})

test('creates the link again on the command line, valid for an hour for anyone who has it', async () => {
  const open = await manage('POST', '/operators/invitations', {})
  assert.deepEqual([open.status, open.body.email], [201, null])
  const brought = { email: 'bina@example.com', name: 'Bina', password: PASSWORD }
  const taken = { ...brought, email: 'operator@localhost' }
  assertRefused(await new Browser(service).use(open.body.link, taken), 409, 'conflict')
  await service.advance(HOUR - 1)
  assert.equal((await new Browser(service).use(open.body.link, brought)).status, 200)
  const late = await manage('POST', '/operators/invitations', { email: 'late@example.com' })
  await service.advance(HOUR)
  assertRefused(await new Browser(service).use(late.body.link, { password: PASSWORD }), 404, 'not_found')
  assert.deepEqual((await manage('GET', '/operators/invitations')).body.items, [])
  assert.deepEqual(await query(service.address, `select 1 from invitation where email = 'late@example.com'`), [])
})

test('lets an owner invite to the own workspace with a role, list invitations, and revoke them', async () => {
  const workspaceId = await makeWorkspace(service)
  const elsewhere = await makeWorkspace(service)
  const { browser: owner } = await makePerson(service, { workspaceId })
  const made = await invite(workspaceId, { email: 'Dev@Example.com', role: 'developer' }, owner)
  assert.equal(made.status, 201)
  assertRefused(await invite(elsewhere, { email: 'dev@example.com', role: 'owner' }, owner), 404, 'not_found')
  assertRefused(await invite(workspaceId, { email: 'x@example.com', role: 'operator' }, owner), 400, 'invalid_request')
  const at = `/workspaces/${workspaceId}/invitations`
  const { link, ...listed } = made.body
  assert.deepEqual((await owner.ask('GET', at)).body.items, [listed])
  const guest = new Browser(service)
  const seen = (await look(guest, link)).body
  assert.deepEqual([seen.workspace, seen.role, seen.needs], ['Himal Bank', 'developer', 'password'])
  assertRefused(await guest.use(link), 400, 'invalid_request', ['password'])
  assert.equal((await guest.use(link, { name: 'Dev', password: PASSWORD })).status, 200)
  assert.equal((await guest.ask('GET', '/whoami')).body.kind, 'developer')
  const again = await invite(workspaceId, { email: 'other@example.com', role: 'viewer' }, owner)
  assert.equal((await owner.ask('DELETE', `${at}/${again.body.id}`)).status, 204)
  assertRefused(await new Browser(service).use(again.body.link, { password: PASSWORD }), 404, 'not_found')
  const twice = [1, 2].map(() => invite(workspaceId, { email: 'twice@example.com', role: 'viewer' }, owner))
  const [before, after] = [(await twice[0])?.body, (await twice[1])?.body]
  assert.equal((await owner.ask('GET', at)).body.items.length, 1, 'an address is invited once')
  const works = await Promise.all(
    [before, after].map((it) => new Browser(service).use(it.link, { password: PASSWORD })),
  )
  assert.deepEqual(works.map((it) => it.status).sort(), [200, 404])
})

test('requires the password or the session of an existing account to use a link', async () => {
  const workspaceId = await makeWorkspace(service)
  const operator = await makePerson(service)
  const { browser: owner } = await makePerson(service, { workspaceId })
  const body = { email: operator.email, role: 'viewer' }
  const { link } = (await invite(workspaceId, body, owner)).body
  assert.equal((await look(owner, link)).body.needs, 'password')
  assertRefused(await owner.use(link), 400, 'invalid_request', ['password'])
  assertRefused(await owner.use(link, { password: 'what-i-would-like' }), 401, 'unauthorized')
  assert.equal((await owner.ask('GET', '/whoami')).body.isOperator, false)
  assert.equal((await operator.browser.use(link)).status, 200)
  const elsewhere = await makeWorkspace(service)
  const other = (await invite(elsewhere, { ...body, role: 'owner' })).body
  assert.equal((await new Browser(service).use(other.link, { password: PASSWORD })).status, 200)
  const { memberships } = (await operator.browser.ask('GET', '/whoami')).body
  assert.deepEqual(
    memberships.map((it: { role: string }) => it.role),
    ['viewer', 'owner'],
  )
})

test('does not reveal whether the address of a link has an account', async () => {
  const workspaceId = await makeWorkspace(service)
  const known = await makePerson(service)
  const { browser: owner } = await makePerson(service, { workspaceId })
  const answers = async (email: string) => {
    const { link } = (await invite(workspaceId, { email, role: 'viewer' }, owner)).body
    const looked = (await look(owner, link)).body
    const without = await owner.use(link)
    const weak = await owner.use(link, { password: 'aaaaaaaaaa' })
    return [looked.needs, without.status, without.body.details, weak.status, weak.body.details]
  }
  assert.deepEqual(await answers(known.email), await answers('unknown@example.com'))
})

test('ends every session with a recovery; an owner can create one only for members of no other workspace', async () => {
  const workspaceId = await makeWorkspace(service)
  const { browser: owner } = await makePerson(service, { workspaceId })
  const member = await makePerson(service, { workspaceId, role: 'viewer' })
  const made = await owner.ask('POST', `/workspaces/${workspaceId}/members/${member.id}/recovery`)
  assert.equal(made.status, 201)
  assert.equal((await look(owner, made.body.link)).body.needs, 'new_password')
  const fresh = new Browser(service)
  assert.equal((await fresh.use(made.body.link, { password: 'kathmandu-taxi-77-green' })).status, 200)
  assertRefused(await member.browser.ask('GET', '/whoami'), 401, 'unauthorized')
  assertRefused(await new Browser(service).signIn(member.email), 401, 'unauthorized')
  const elsewhere = await makeWorkspace(service)
  const operator = await makePerson(service)
  for (const [id, at] of [
    [member.id, elsewhere],
    [operator.id, workspaceId],
  ])
    await query(service.address, `insert into membership values ('${id}', '${at}', 'viewer', '2026-11-20')`)
  for (const id of [member.id, operator.id]) {
    assertRefused(await owner.ask('POST', `/workspaces/${workspaceId}/members/${id}/recovery`), 409, 'conflict')
    assert.equal((await manage('POST', `/people/${id}/recovery`)).status, 201)
  }
  const stranger = await makePerson(service, { workspaceId: elsewhere })
  assertRefused(await owner.ask('POST', `/workspaces/${workspaceId}/members/${stranger.id}/recovery`), 404, 'not_found')
  assertRefused(await owner.ask('POST', `/workspaces/${elsewhere}/members/${stranger.id}/recovery`), 404, 'not_found')
})

test('ends a recovery link when its person joins another workspace', async () => {
  const workspaceId = await makeWorkspace(service)
  const { browser: owner } = await makePerson(service, { workspaceId })
  const member = await makePerson(service, { workspaceId, role: 'viewer' })
  const { link } = (await owner.ask('POST', `/workspaces/${workspaceId}/members/${member.id}/recovery`)).body
  const asked = (await manage('POST', '/operators/invitations', { email: member.email })).body
  assert.equal((await member.browser.use(asked.link)).status, 200)
  assertRefused(await owner.use(link, { password: 'what-i-would-like' }), 404, 'not_found')
  assert.equal((await new Browser(service).signIn(member.email)).status, 200)
})

test('ends the links of a person who was removed or may no longer invite', async () => {
  const workspaceId = await makeWorkspace(service)
  const invited = { email: 'way-back@example.com', role: 'owner' }
  for (const take of [
    (id: string) => manage('DELETE', `/workspaces/${workspaceId}/members/${id}`),
    (id: string) => manage('PATCH', `/workspaces/${workspaceId}/members/${id}`, { role: 'viewer' }),
  ]) {
    const colleague = await makePerson(service, { workspaceId })
    const kept = (await invite(workspaceId, { email: 'colleague@example.com', role: 'viewer' }, colleague.browser)).body
    const { id, browser } = await makePerson(service, { workspaceId })
    const { link } = (await invite(workspaceId, invited, browser)).body
    assert.equal((await take(id)).status, 204)
    assertRefused(await new Browser(service).use(link, { password: PASSWORD }), 404, 'not_found')
    assert.equal((await look(colleague.browser, kept.link)).status, 200, 'what others made stays')
  }
  const operator = await makePerson(service)
  await makePerson(service)
  const { link } = (await operator.browser.ask('POST', '/operators/invitations')).body
  assert.equal((await manage('DELETE', `/operators/${operator.id}`)).status, 204)
  assertRefused(await new Browser(service).use(link, { email: invited.email, password: PASSWORD }), 404, 'not_found')
})

test('changes roles and removes members immediately; the last owner and operator stay', async () => {
  const workspaceId = await makeWorkspace(service)
  const owner = await makePerson(service, { workspaceId })
  const member = await makePerson(service, { workspaceId, role: 'viewer' })
  const at = (id: string) => `/workspaces/${workspaceId}/members/${id}`
  assertRefused(await owner.browser.ask('DELETE', at(owner.id)), 409, 'conflict')
  assertRefused(await owner.browser.ask('PATCH', at(owner.id), { role: 'viewer' }), 409, 'conflict')
  assert.equal((await owner.browser.ask('PATCH', at(member.id), { role: 'owner' })).status, 204)
  assert.equal((await member.browser.ask('GET', '/whoami')).body.kind, 'owner')
  assert.equal((await owner.browser.ask('DELETE', at(owner.id))).status, 204)
  assertRefused(await owner.browser.ask('GET', '/whoami'), 401, 'unauthorized')
  assertRefused(await new Browser(service).signIn(owner.email), 401, 'unauthorized')
  const { items } = (await manage('GET', `/workspaces/${workspaceId}/members`)).body
  assert.deepEqual(
    items.map(({ id, email, role }: Record<string, string>) => [id, email, role]),
    [[member.id, member.email, 'owner']],
  )
  // A removed person can be invited again as a new person.
  const back = await invite(workspaceId, { email: owner.email, role: 'viewer' })
  assert.equal((await new Browser(service).use(back.body.link, { name: 'Asha', password: PASSWORD })).status, 200)
  const operators = (await manage('GET', '/operators')).body.items
  for (const { id } of operators.slice(1)) assert.equal((await manage('DELETE', `/operators/${id}`)).status, 204)
  assertRefused(await manage('DELETE', `/operators/${operators[0].id}`), 409, 'conflict')
})

test('lets an owner create and revoke tokens of the own workspace, with name, role, expiry and last use', async () => {
  const workspaceId = await makeWorkspace(service)
  const elsewhere = await makeWorkspace(service)
  const { browser: owner } = await makePerson(service, { workspaceId })
  const at = `/workspaces/${workspaceId}/owner-tokens`
  const expiresAt = new Date(service.clock.now().getTime() + HOUR * 1000).toISOString()
  const { id, token } = (await owner.ask('POST', at, { name: 'Grafana', role: 'viewer', expiresAt })).body
  const who = await manage('GET', '/whoami', undefined, token)
  assert.deepEqual([who.body.kind, who.body.token.name, who.body.workspace.id], ['viewer', 'Grafana', workspaceId])
  const [listed] = (await owner.ask('GET', at)).body.items
  assert.deepEqual(
    [listed.role, listed.expiresAt, listed.lastUsedAt],
    ['viewer', expiresAt, service.clock.now().toISOString()],
  )
  assertRefused(await manage('POST', at, { name: 'x' }, token), 404, 'not_found')
  assertRefused(await owner.ask('POST', at, { name: 'x', role: 'operator' }), 400, 'invalid_request', ['role'])
  const past = { name: 'x', expiresAt: service.clock.now().toISOString() }
  assertRefused(await owner.ask('POST', at, past), 400, 'invalid_request', ['expiresAt'])
  const { id: foreign } = await makeOwner(service, elsewhere)
  assertRefused(await owner.ask('DELETE', `/workspaces/${elsewhere}/owner-tokens/${foreign}`), 404, 'not_found')
  await service.advance(HOUR)
  assertRefused(await manage('GET', '/whoami', undefined, token), 401, 'unauthorized')
  assert.equal((await owner.ask('DELETE', `${at}/${id}`)).status, 204)
})

test('gives an operator token all access until it is revoked', async () => {
  const { id, token } = (await manage('POST', '/operators/tokens', { name: 'Terraform' })).body
  assert.match(token, /^hulaki_operator_[\da-f]{48}$/)
  assert.equal((await manage('GET', '/workspaces', undefined, token)).status, 200)
  assert.equal((await manage('GET', '/operators/tokens')).body.items[0].name, 'Terraform')
  assert.equal((await manage('DELETE', `/operators/tokens/${id}`)).status, 204)
  assertRefused(await manage('GET', '/workspaces', undefined, token), 401, 'unauthorized')
})

test('records the actor in the audit log, and hides name and address of operators from owners', async () => {
  const workspaceId = await makeWorkspace(service)
  const operator = await makePerson(service)
  const owner = await makePerson(service, { workspaceId })
  await operator.browser.ask('PATCH', `/workspaces/${workspaceId}`, { name: 'Himal Bank Ltd' })
  await owner.browser.ask('POST', `/workspaces/${workspaceId}/invitations`, { email: 'z@example.com', role: 'viewer' })
  const read = async (browser: Browser) => {
    const { items } = (await browser.ask('GET', `/workspaces/${workspaceId}/audit-log`)).body
    return items.slice(0, 2)
  }
  const who = { kind: 'person', name: 'Asha' }
  const [invited, renamed] = await read(operator.browser)
  assert.deepEqual([invited.actor, invited.by], [`owner:${owner.id}`, { ...who, id: owner.id, email: owner.email }])
  assert.deepEqual(renamed.by, { ...who, id: operator.id, email: operator.email })
  const [own, theirs] = await read(owner.browser)
  assert.deepEqual(own, invited)
  assert.deepEqual(
    [theirs.action, theirs.actor, theirs.by, theirs.address, theirs.requestId],
    ['workspace.changed', 'operator', null, null, null],
  )
  const { items } = (await manage('GET', '/audit-log?limit=200')).body
  const actions = new Set(items.map((it: { action: string }) => it.action))
  for (const action of [
    'session.started',
    'invitation.created',
    'member.joined',
    'operator.joined',
    'person.recovered',
  ])
    assert.ok(actions.has(action), action)
})

test('limits a workspace to 50 pending invitations and a person to five recovery links (D43)', async () => {
  const workspaceId = await makeWorkspace(service)
  const { id } = await makePerson(service, { workspaceId })
  for (let times = 0; times < 50; times++)
    assert.equal((await invite(workspaceId, { email: `guest-${times}@example.com`, role: 'viewer' })).status, 201)
  assertRefused(await invite(workspaceId, { email: 'one-more@example.com', role: 'viewer' }), 409, 'conflict')
  assert.equal((await invite(workspaceId, { email: 'guest-7@example.com', role: 'viewer' })).status, 201)
  const links: string[] = []
  for (let times = 0; times < 6; times++) links.push((await manage('POST', `/people/${id}/recovery`)).body.link)
  const first = await look(new Browser(service), links[0] ?? '')
  assertRefused(first, 404, 'not_found')
  assert.equal((await look(new Browser(service), links[1] ?? '')).status, 200)
})
