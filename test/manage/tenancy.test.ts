// An owner manages one workspace, and cannot learn whether anything else exists.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { canUse } from '../../src/domain/people/permission.ts'
import { authenticateManagers } from '../../src/manage/authenticate.ts'
import { MANAGE_ROOT } from '../../src/manage/service/routes.ts'
import { makeClient, makeOwner } from '../harness/client.ts'
import { dumpDatabase } from '../harness/dump-database.ts'
import { emptyServer, mountedRoutes } from '../harness/mounted-routes.ts'
import { makePerson } from '../harness/people.ts'
import { assertRefused } from '../harness/refused.ts'
import { ownService } from '../harness/service.ts'
import { ABSENT, clientBody, makeTemplate, templateBody } from './fixtures.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,simulator' } })
const { manage, url } = service
const own = await belongings()
const foreign = await belongings()

async function belongings() {
  const sender = await makeClient(service, { webhookUrl: 'https://hooks.example.com/' })
  const { workspaceId: workspace, id: client } = sender
  const message: string = (await sender.send({ senderId: 'Himal' })).body.messageId
  // Rejected temporarily at each attempt.
  const waiting: string = (await sender.send({ to: '9841234504' })).body.messageId
  await service.settle()
  const template = await makeTemplate(service, workspace)
  const { id: ownerToken, token } = await makeOwner(service, workspace)
  const { id: spareToken } = await makeOwner(service, workspace)
  const { id: person } = await makePerson(service, { workspaceId: workspace, role: 'viewer' })
  const asked = { email: 'guest@example.com', role: 'viewer' }
  const { id: invitation } = (await manage('POST', `/workspaces/${workspace}/invitations`, asked)).body
  const { id: delivery } = (await manage('POST', `/clients/${client}/test-event`)).body
  const { id: key } = (await manage('GET', `/clients/${client}`)).body.keys[0]
  const others = { template, ownerToken, spareToken, delivery, person, invitation, token }
  return { workspace, client, key, message, waiting, ...others }
}
type Belongings = Omit<Awaited<ReturnType<typeof belongings>>, 'token'>

const NOWHERE = everywhere(ABSENT)

function everywhere(id: string): Belongings {
  return {
    workspace: id,
    client: id,
    key: id,
    message: id,
    waiting: id,
    template: id,
    ownerToken: id,
    spareToken: id,
    delivery: id,
    person: id,
    invitation: id,
  }
}

/** Calls of an owner for their own objects. */
const forOwners: [method: string, path: (of: Belongings) => string, body?: object][] = [
  ['GET', (of) => `/workspaces/${of.workspace}`],
  ['GET', (of) => `/workspaces/${of.workspace}/start`],
  ['GET', (of) => `/workspaces/${of.workspace}/simulator/messages`],
  [
    'POST',
    (of) => `/workspaces/${of.workspace}/simulator/messages`,
    { from: '+9779841234567', to: 'Himal', text: 'YES' },
  ],
  ['GET', (of) => `/workspaces/${of.workspace}/ledger`],
  ['GET', (of) => `/workspaces/${of.workspace}/audit-log`],
  ['GET', (of) => `/workspaces/${of.workspace}/usage`],
  ['GET', (of) => `/workspaces/${of.workspace}/messages`],
  ['GET', (of) => `/workspaces/${of.workspace}/messages/history`],
  ['GET', (of) => `/workspaces/${of.workspace}/requests`],
  ['GET', (of) => `/workspaces/${of.workspace}/requests/errors`],
  ['GET', (of) => `/workspaces/${of.workspace}/messages.csv`],
  ['GET', (of) => `/workspaces/${of.workspace}/messages-revealed.csv`],
  ['GET', (of) => `/workspaces/${of.workspace}/events`],
  ['GET', (of) => `/workspaces/${of.workspace}/webhook-deliveries`],
  ['GET', (of) => `/workspaces/${of.workspace}/webhook-endpoints`],
  ['POST', (of) => `/clients/${of.client}/messages`, { to: '+9779841234568', text: 'Namaste' }],
  ['POST', (of) => `/clients/${of.client}/messages/preview`, { to: '+9779841234568', text: 'Namaste' }],
  ['POST', (of) => `/clients/${of.client}/test-otp`, { to: '+9779841234568' }],
  ['POST', (of) => `/clients/${of.client}/test-otp/verify`, { to: '+9779841234568', code: '000000' }],
  ['POST', (of) => `/clients/${of.client}/trigger`, { outcome: 'delivered' }],
  ['POST', (of) => `/clients/${of.client}/listening`, { listener: 'sita@laptop', session: ABSENT, as: 'begin' }],
  ['DELETE', (of) => `/clients/${of.client}/listening/${ABSENT}`],
  ['POST', (of) => `/messages/${of.message}/reveal`],
  ['POST', (of) => `/messages/${of.waiting}/cancel`],
  ['POST', (of) => `/workspaces/${of.workspace}/messages/cancel`, { olderThanSeconds: 3600 }],
  ['GET', (of) => `/workspaces/${of.workspace}/inbound`],
  ['GET', (of) => `/workspaces/${of.workspace}/clients`],
  ['POST', (of) => `/workspaces/${of.workspace}/clients`, clientBody],
  ['GET', (of) => `/workspaces/${of.workspace}/templates`],
  ['POST', (of) => `/workspaces/${of.workspace}/templates`, templateBody],
  ['GET', (of) => `/templates/${of.template}`],
  ['GET', (of) => `/clients/${of.client}`],
  ['PATCH', (of) => `/clients/${of.client}`, { name: 'Renamed' }],
  ['GET', (of) => `/clients/${of.client}/fraud-events`],
  ['GET', (of) => `/clients/${of.client}/keys`],
  ['POST', (of) => `/clients/${of.client}/keys`],
  ['DELETE', (of) => `/clients/${of.client}/keys/${of.key}`],
  ['POST', (of) => `/clients/${of.client}/rotate-key`],
  ['POST', (of) => `/clients/${of.client}/rotate-webhook-secret`, { graceHours: 1 }],
  ['GET', (of) => `/clients/${of.client}/pumping-allowlist`],
  ['POST', (of) => `/clients/${of.client}/pumping-allowlist`, { prefix: '+97798410' }],
  ['DELETE', (of) => `/clients/${of.client}/pumping-allowlist/+97798410`],
  ['GET', (of) => `/workspaces/${of.workspace}/codes/funnel`],
  ['GET', (of) => `/workspaces/${of.workspace}/codes/by-prefix`],
  ['GET', (of) => `/workspaces/${of.workspace}/codes/fraud-events`],
  ['GET', (of) => `/workspaces/${of.workspace}/months/2026-11`],
  ['GET', (of) => `/workspaces/${of.workspace}/months/2026-11/statement`],
  ['GET', (of) => `/workspaces/${of.workspace}/usage.csv?month=2026-11`],
  ['GET', (of) => `/workspaces/${of.workspace}/ledger.csv`],
  ['PUT', (of) => `/workspaces/${of.workspace}/credit-alerts`, { below: [100] }],
  ['PUT', (of) => `/workspaces/${of.workspace}/credit-request`, { amount: 100 }],
  ['DELETE', (of) => `/workspaces/${of.workspace}/credit-request`],
  ['POST', (of) => `/workspaces/${of.workspace}/templates/match`, { text: 'Your order' }],
  ['GET', (of) => `/messages/${of.message}/timeline`],
  ['GET', (of) => `/clients/${of.client}/webhook-deliveries`],
  ['POST', (of) => `/clients/${of.client}/webhook-deliveries/replay`, { since: '2026-11-16T00:00:00Z' }],
  ['POST', (of) => `/clients/${of.client}/test-event`],
  ['GET', (of) => `/webhook-deliveries/${of.delivery}`],
  ['POST', (of) => `/webhook-deliveries/${of.delivery}/resend`],
  ['GET', (of) => `/workspaces/${of.workspace}/owner-tokens`],
  ['POST', (of) => `/workspaces/${of.workspace}/owner-tokens`, { name: 'Grafana' }],
  ['DELETE', (of) => `/workspaces/${of.workspace}/owner-tokens/${of.spareToken}`],
  ['GET', (of) => `/workspaces/${of.workspace}/members`],
  ['PATCH', (of) => `/workspaces/${of.workspace}/members/${of.person}`, { role: 'developer' }],
  ['POST', (of) => `/workspaces/${of.workspace}/members/${of.person}/recovery`],
  ['DELETE', (of) => `/workspaces/${of.workspace}/members/${of.person}`],
  ['GET', (of) => `/workspaces/${of.workspace}/invitations`],
  ['POST', (of) => `/workspaces/${of.workspace}/invitations`, { email: 'new@example.com', role: 'viewer' }],
  ['DELETE', (of) => `/workspaces/${of.workspace}/invitations/${of.invitation}`],
  ['POST', (of) => `/clients/${of.client}/disable`],
  ['POST', (of) => `/clients/${of.client}/enable`],
]

/** Calls with ids of messages in their body. */
const ofSelections: [method: string, path: () => string][] = [
  ['POST', () => '/messages/cancel'],
  ['POST', () => '/messages/export'],
]

/** Calls about the caller, which name no object. */
const aboutOneself: [method: string, path: (of: Belongings) => string, body?: object][] = [
  ['GET', () => '/whoami'],
  ['GET', () => '/names'],
  ['GET', () => '/search'],
  ['GET', () => '/simulator/outcomes'],
]

const { routes, open } = await mountedRoutes(service.ports)
const forOwner = routes.filter(({ permission }) => canUse('owner', permission))

test('every route of the management API has roles, except its document', async () => {
  assert.deepEqual(open, [`${MANAGE_ROOT}/openapi.json`])
  for (const { method, path, permission } of routes) assert.ok(permission.roles.length > 0, `${method} ${path}`)
  const app = emptyServer(service.ports)
  const mountOne = async (inside: FastifyInstance) => {
    authenticateManagers(inside, service.ports, { operatorToken: 'x', publicUrl: null })
    inside.get('/for-whom', async () => 'nobody knows')
  }
  app.register(mountOne, { prefix: MANAGE_ROOT })
  await assert.rejects(async () => app.ready(), /the route \S+\/for-whom has no permission/)
  await app.close()
})

/** The whole database, without the connection states that change over time. */
async function stored(): Promise<string> {
  const lines = (await dumpDatabase(service.address)).split('\n')
  return lines.filter((line) => !/^(carrier_bind|delivery_process) /.test(line)).join('\n')
}

/** The whole response, without the request id and the time. */
async function raw(method: string, path: string, body?: object): Promise<string> {
  const response = await fetch(`${url}/api/manage/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${own.token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const headers = [...response.headers].filter(([name]) => name !== 'x-request-id' && name !== 'date')
  return JSON.stringify([response.status, headers, await response.text()])
}

test('answers for objects of another workspace byte for byte like for missing objects, and changes nothing', async () => {
  const nothing = await raw('GET', '/no/such/address')
  const before = await stored()
  for (const [method, path, body] of forOwners) {
    assert.equal(await raw(method, path(foreign), body), nothing, `${method} ${path(foreign)}`)
    assert.equal(await raw(method, path(NOWHERE), body), nothing, `${method} ${path(NOWHERE)}`)
  }
  assert.equal(await stored(), before)
})

test('treats selected messages of another workspace byte for byte like missing messages', async () => {
  const before = await stored()
  for (const [method, path] of ofSelections) {
    const missing = await raw(method, path(), { ids: [ABSENT, ABSENT.replace(/.$/, '1')] })
    assert.equal(await raw(method, path(), { ids: [foreign.message, foreign.waiting] }), missing, path())
  }
  assert.equal(await stored(), before)
  for (const [method, path] of ofSelections)
    assert.equal((await manage(method, path(), { ids: [own.message] }, own.token)).status, 200)
})

test('answers an owner with 404 for calls of the operator, also for the own workspace, and changes nothing', async () => {
  const nothing = await raw('GET', '/no/such/address')
  const before = await stored()
  const forOperator = routes.filter((it) => !forOwner.includes(it))
  assert.ok(forOperator.length > 10)
  for (const { method, path } of forOperator) {
    for (const things of [own, foreign, NOWHERE]) {
      const asked = pathFor(path, things)
      assert.equal(
        await raw(method, asked, method === 'GET' ? undefined : { amount: 1 }),
        nothing,
        `${method} ${asked}`,
      )
    }
  }
  assert.equal(await stored(), before)
})

function pathFor(path: string, of: Belongings): string {
  const id = path.startsWith('/clients') ? of.client : path.startsWith('/templates') ? of.template : of.workspace
  return path
    .replace(':id', id)
    .replace(':tokenId', of.ownerToken)
    .replace(':captureId', of.workspace)
    .replace(':personId', of.person)
    .replace(':invitationId', of.invitation)
    .replace(':code', 'NP')
}

test('allows owners every owner call for the own workspace', async () => {
  for (const [method, path, body] of forOwners) {
    const { status } = await manage(method, path(own), body, own.token)
    assert.ok(status >= 200 && status < 300, `${method} ${path(own)}: ${status}`)
  }
})

test('tests every call that owners may make', () => {
  const any = everywhere(':id')
  const namesOf = (calls: typeof forOwners) =>
    calls.map(([method, path]) => `${method} ${path(any).replace(/\?.*/, '')}`)
  for (const [scope, tested] of [
    ['workspace', namesOf([...forOwners, ...ofSelections])] as const,
    ['caller', namesOf(aboutOneself)] as const,
  ]) {
    const mounted = forOwner.filter((it) => it.permission.scope === scope).map((it) => `${it.method} ${it.path}`)
    const isTested = (call: string) => tested.some((it) => patternOf(call).test(it))
    const untested = mounted.filter((it) => !isTested(it))
    assert.deepEqual(untested, [], 'add it to the calls an owner may make, with a body it takes')
  }
})

/** Path values that are not ids. */
function patternOf(call: string): RegExp {
  const pattern = call.replaceAll('.', '\\.').replaceAll(/:(\w+)/g, (_, name) => (name === 'id' ? ':id' : '[^/.]+'))
  return new RegExp(`^${pattern}$`)
}

test('limits whoami and the searches to the own workspace', async () => {
  const asOwner = (path: string) => manage('GET', path, undefined, own.token)
  const name = 'Himal Bank'
  const program = { person: null, session: null, memberships: [] }
  assert.deepEqual((await asOwner('/whoami')).body, {
    kind: 'owner',
    token: { id: own.ownerToken, name: 'Asha' },
    workspace: { id: own.workspace, name },
    isOperator: false,
    ...program,
  })
  const operator = { kind: 'operator', token: null, workspace: null, isOperator: true, ...program }
  assert.deepEqual((await manage('GET', '/whoami')).body, operator)
  const ids = async (ask: typeof asOwner, query: Record<string, string>) =>
    (await ask(`/names?${new URLSearchParams(query)}`)).body.items.map((it: { id: string }) => it.id)
  const byName = { kind: 'workspace', name }
  assert.deepEqual(await ids(asOwner, byName), [own.workspace])
  await manage('PATCH', `/clients/${own.client}`, { name: 'Himal app' })
  assert.deepEqual(await ids(asOwner, { kind: 'client', name: 'Himal app' }), [own.client])
  assert.deepEqual(await ids(asOwner, { kind: 'client', name: 'Himal app', workspace: foreign.workspace }), [])
  assert.ok((await ids(asOwner, { kind: 'template', name: 'Order' })).includes(own.template))
  await manage('POST', '/carriers', { name: 'Everest', host: '127.0.0.1', port: 9, systemId: 'h', password: '' })
  assert.deepEqual(await ids(asOwner, { kind: 'carrier', name: 'Everest' }), [])
  const asOperator = (path: string) => manage('GET', path)
  assert.deepEqual(await ids(asOperator, byName), [foreign.workspace, own.workspace])
  assert.equal((await ids(asOperator, { kind: 'carrier', name: 'Everest' })).length, 1)
  const there = { kind: 'client', name: 'Himal app', workspace: foreign.workspace }
  assert.deepEqual(await ids(asOperator, there), [foreign.client])
  assertRefused(await manage('GET', '/names?kind=route&name=x'), 400, 'invalid_request', ['kind'])
  const found = async (ask: typeof asOwner, q: string) =>
    (await ask(`/search?${new URLSearchParams({ q })}`)).body.items
  assert.equal((await found(asOwner, own.message)).length, 1)
  assert.equal((await found(asOperator, foreign.message)).length, 1)
  for (const thing of Object.values(foreign)) assert.deepEqual(await found(asOwner, thing), [])
})

test('lists contain nothing of another workspace', async () => {
  for (const list of ['clients', 'messages', 'templates', 'ledger', 'audit-log']) {
    const { items } = (await manage('GET', `/workspaces/${own.workspace}/${list}`, undefined, own.token)).body
    assert.ok(items.length > 0)
    for (const thing of Object.values(foreign)) assert.ok(!JSON.stringify(items).includes(thing), list)
  }
  assertRefused(await manage('GET', `/workspaces/${foreign.workspace}`, undefined, own.token), 404, 'not_found')
})
