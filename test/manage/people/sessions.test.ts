// Browser sessions: the cookie, its lifetime, and the protection of changes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeClient, makeWorkspace } from '../../harness/client.ts'
import { dumpDatabase, formsOf } from '../../harness/dump-database.ts'
import { Browser, makePerson, PASSWORD } from '../../harness/people.ts'
import { assertRefused } from '../../harness/refused.ts'
import { query } from '../../harness/server.ts'
import { call, ownService } from '../../harness/service.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,upkeep' } })
const second = await ownService({ beside: service, env: { HULAKI_ROLES: 'api' } })
const { manage, url } = service
const workspaceId = await makeWorkspace(service)
const HOUR = 3600

test('sets a cookie with HttpOnly and SameSite=Lax, with a plain name on localhost and a __Host- name over https', async () => {
  const { email, browser } = await makePerson(service, { workspaceId })
  const answer = await new Browser(service).signIn(email.toUpperCase())
  assert.deepEqual([answer.status, answer.body], [200, { signedIn: true, needs: null }])
  const [session = '', device = ''] = answer.headers.getSetCookie()
  assert.match(session, /^hulaki=hulaki_session_[\da-f]{64}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=1209600$/)
  assert.match(device, /^hulaki-device=[\da-f.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=31536000$/)
  const host = new URL(url).host
  const overHttps = await new Browser(service, { origin: `https://${host}` }).signIn(email)
  assert.match(overHttps.headers.getSetCookie()[0] ?? '', /^__Host-hulaki=\S+; Path=\/; HttpOnly; .*; Secure$/)
  assert.equal((await browser.ask('GET', '/whoami')).status, 200)
})

test('rejects sign-in over http and ignores a plain cookie, except on localhost', async () => {
  const { email, browser } = await makePerson(service, { workspaceId })
  const behind = await ownService({
    beside: service,
    env: { HULAKI_ROLES: 'api', HULAKI_TRUSTED_PROXIES: '127.0.0.0/8' },
  })
  const through = (scheme: string) => ({ origin: `${scheme}://sms.example.com`, 'x-forwarded-host': 'sms.example.com' })
  assertRefused(await new Browser(behind, through('http')).signIn(email), 403, 'forbidden')
  const safe = new Browser(behind, through('https'))
  assert.equal((await safe.signIn(email)).status, 200)
  assert.equal((await safe.ask('GET', '/whoami')).status, 200)
  const plain = await call(`${behind.url}/api/manage/v1/whoami`, {
    method: 'GET',
    headers: { ...through('https'), cookie: browser.cookie },
  })
  assertRefused(plain, 401, 'unauthorized')
})

test('returns person, role and workspace in whoami for the console', async () => {
  const other = await makeWorkspace(service, { name: 'Everest Air' })
  const { id, email, browser } = await makePerson(service, { workspaceId, role: 'developer' })
  await query(
    service.address,
    `insert into membership values ('${id}', '${other}', 'viewer', '2027-01-01'::timestamptz)`,
  )
  const { body } = await browser.ask('GET', '/whoami')
  const { session, ...rest } = body
  assert.deepEqual(rest, {
    kind: 'developer',
    token: null,
    workspace: { id: workspaceId, name: 'Himal Bank' },
    person: { id, email, name: 'Asha', language: null, hasPassword: true, hasTotp: false },
    isOperator: false,
    memberships: [
      { workspace: { id: workspaceId, name: 'Himal Bank' }, role: 'developer' },
      { workspace: { id: other, name: 'Everest Air' }, role: 'viewer' },
    ],
  })
  assert.equal(session.freshUntil, new Date(service.clock.now().getTime() + 600_000).toISOString())
  const there = (await browser.ask('GET', '/whoami', undefined, { 'x-workspace': other })).body
  assert.deepEqual([there.kind, there.workspace.name], ['viewer', 'Everest Air'])
  const operator = await makePerson(service)
  const opened = (await operator.browser.ask('GET', '/whoami', undefined, { 'x-workspace': other })).body
  assert.deepEqual([opened.kind, opened.isOperator, opened.workspace?.name], ['operator', true, 'Everest Air'])
})

test('acts in the workspace of the path or of x-workspace, and in no other', async () => {
  const elsewhere = await makeWorkspace(service)
  const [ours, theirs] = [
    await makeClient(service, { workspaceId }),
    await makeClient(service, { workspaceId: elsewhere }),
  ]
  const { browser } = await makePerson(service, { workspaceId, role: 'viewer' })
  const look = (path: string, named?: string) =>
    browser.ask('GET', path, undefined, named === undefined ? {} : { 'x-workspace': named })
  assert.equal((await look(`/clients/${ours.id}`)).status, 200)
  assert.equal((await look(`/clients/${ours.id}`, workspaceId.toUpperCase())).status, 200)
  assert.equal((await look(`/workspaces/${workspaceId}`, elsewhere)).status, 200)
  for (const [path, named] of [
    [`/clients/${theirs.id}`, undefined],
    [`/clients/${theirs.id}`, elsewhere],
    [`/clients/${ours.id}`, elsewhere],
    [`/clients/${ours.id}`, 'nowhere'],
    [`/workspaces/${elsewhere}`, undefined],
    [`/workspaces/${elsewhere}`, workspaceId],
  ])
    assertRefused(await look(path as string, named), 404, 'not_found')
})

test('ends a session after 12 h without a request and after 14 days, and writes its last use once a minute', async () => {
  const { id, email, browser } = await makePerson(service, { workspaceId })
  const writes = async () => {
    const [row] = await query(service.address, `select xmin::text from session where person_id = '${id}'`)
    return row?.xmin
  }
  const before = await writes()
  for (let times = 0; times < 5; times++) await browser.ask('GET', '/whoami')
  assert.equal(await writes(), before, 'a request is a write')
  await service.advance(60)
  await browser.ask('GET', '/whoami')
  assert.notEqual(await writes(), before)
  await service.advance(12 * HOUR - 1)
  assert.equal((await browser.ask('GET', '/whoami')).status, 200)
  await service.advance(12 * HOUR)
  assertRefused(await browser.ask('GET', '/whoami'), 401, 'unauthorized')
  assert.equal((await browser.signIn(email)).status, 200)
  for (let hours = 0; hours < 14 * 24 - 8; hours += 8) {
    await service.advance(8 * HOUR)
    assert.equal((await browser.ask('GET', '/whoami')).status, 200, `after ${hours + 8} h`)
  }
  await service.advance(8 * HOUR)
  assertRefused(await browser.ask('GET', '/whoami'), 401, 'unauthorized')
  assert.deepEqual(
    await query(service.address, `select 1 from session where person_id = '${id}'`),
    [],
    'they are swept',
  )
})

test('lists sessions and ends one, all others, or this one, on every process immediately', async () => {
  const { email, browser } = await makePerson(service, { workspaceId })
  const phone = new Browser(service, { 'user-agent': 'Phone\u00e9 1.0' })
  const tablet = new Browser(second)
  for (const it of [phone, tablet]) assert.equal((await it.signIn(email)).status, 200)
  const { items } = (await browser.ask('GET', '/sessions')).body
  assert.equal(items.length, 3)
  assert.deepEqual(items.filter((it: { isCurrent: boolean }) => it.isCurrent).length, 1)
  const ofPhone = items.find((it: { userAgent: string }) => it.userAgent?.startsWith('Phone'))
  assert.deepEqual([ofPhone.userAgent, ofPhone.address], ['Phone 1.0', '127.0.0.1'])
  assert.equal((await browser.ask('DELETE', `/sessions/${ofPhone.id}`)).status, 204)
  assertRefused(await browser.ask('DELETE', `/sessions/${ofPhone.id}`), 404, 'not_found')
  assertRefused(await phone.ask('GET', '/whoami'), 401, 'unauthorized')
  const { browser: stranger } = await makePerson(service, { workspaceId })
  const [{ id: current }] = items.filter((it: { isCurrent: boolean }) => it.isCurrent)
  assertRefused(await stranger.ask('DELETE', `/sessions/${current}`), 404, 'not_found')
  assert.deepEqual((await browser.ask('DELETE', '/sessions')).body, { ended: 1 })
  assertRefused(await tablet.ask('GET', '/whoami'), 401, 'unauthorized')
  const out = await browser.ask('DELETE', '/session')
  assert.equal(out.status, 204)
  assert.match(out.headers.getSetCookie()[0] ?? '', /^hulaki=; .*Max-Age=0$/)
  assertRefused(await browser.ask('GET', '/whoami'), 401, 'unauthorized')
})

test('limits a person to 20 sessions, and ends the least recently used one', async () => {
  const { email, browser } = await makePerson(service, { workspaceId })
  await service.advance(60)
  for (let times = 0; times < 20; times++) assert.equal((await new Browser(service).signIn(email)).status, 200)
  assertRefused(await browser.ask('GET', '/whoami'), 401, 'unauthorized')
})

test('requires a JSON body and the origin of the console for changes by cookie (CSRF), not for reads and tokens', async () => {
  const { browser } = await makePerson(service, { workspaceId })
  const client = await makeClient(service, { workspaceId })
  const path = `/clients/${client.id}/disable`
  const at = `${url}/api/manage/v1${path}`
  const { cookie } = browser
  const change = (headers: Record<string, string>, body?: unknown) =>
    call(at, { method: 'POST', body, headers: { cookie, ...headers } })
  const ours = { origin: url, 'sec-fetch-site': 'same-origin' }
  assertRefused(await change(ours), 400, 'invalid_request')
  assertRefused(await change({ ...ours, 'content-type': 'text/plain' }, '{}'), 400, 'invalid_request')
  assertRefused(await change({ ...ours, 'content-type': 'application/jsonp' }, '{}'), 400, 'invalid_request')
  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: url.replace('http', 'https').replace(/\d$/, '') },
    { ...ours, 'sec-fetch-site': 'same-site' },
    { ...ours, 'sec-fetch-site': 'cross-site' },
    { ...ours, origin: 'https://evil.example' },
    {},
  ]
  for (const elsewhere of foreign) assertRefused(await change(elsewhere, {}), 403, 'forbidden')
  assert.equal((await manage('GET', `/clients/${client.id}`)).body.disabledAt, null)
  assert.equal((await change({ origin: url }, {})).status, 200)
  assert.equal((await change({ 'sec-fetch-site': 'same-origin' }, {})).status, 200)
  const bodyless = await call(`${url}/api/manage/v1/sessions`, { method: 'DELETE', headers: { cookie, ...ours } })
  assertRefused(bodyless, 400, 'invalid_request')
  assert.equal((await manage('POST', `/clients/${client.id}/enable`)).status, 200)
  const elsewhere = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  assertRefused(await new Browser(service, elsewhere).signIn('x@example.com'), 403, 'forbidden')
})

test('accepts the origin of HULAKI_PUBLIC_URL, and uses it in links', async () => {
  const named = await ownService({
    beside: service,
    env: { HULAKI_ROLES: 'api', HULAKI_PUBLIC_URL: 'https://sms.example.com' },
  })
  const made = await named.manage('POST', '/operators/invitations', { email: 'mira@example.com' })
  assert.match(made.body.link, /^https:\/\/sms\.example\.com\/console\/welcome#hulaki_link_[\da-f]{64}$/)
  const browser = new Browser(named, { origin: 'https://sms.example.com' })
  assert.equal((await browser.use(made.body.link, { password: PASSWORD })).status, 200)
  // A page over http can be changed in transit.
  const downgraded = {
    origin: 'http://sms.example.com',
    host: 'sms.example.com',
    'x-forwarded-host': 'sms.example.com',
  }
  for (const at of [named, service]) {
    const proxied = await ownService({
      beside: service,
      env: {
        HULAKI_ROLES: 'api',
        HULAKI_TRUSTED_PROXIES: '127.0.0.1',
        ...(at === named && { HULAKI_PUBLIC_URL: 'https://sms.example.com' }),
      },
    })
    const scheme = at === named ? 'http' : 'https'
    const path = `${proxied.url}/api/manage/v1/sessions`
    const headers = { cookie: `__Host-${browser.cookie.replace('__Host-', '')}`, 'x-forwarded-proto': scheme }
    const change = (origin: string) =>
      call(path, { method: 'DELETE', body: {}, headers: { ...downgraded, ...headers, origin } })
    assertRefused(await change('http://sms.example.com'), 403, 'forbidden')
    assert.equal((await change('https://sms.example.com')).status, 200)
  }
})

test('requires a sign-in within ten minutes for secrets and money, renewed by the password; not for tokens', async () => {
  const { browser, email } = await makePerson(service, { workspaceId })
  const client = await makeClient(service, { workspaceId })
  const rotate = () => browser.ask('POST', `/clients/${client.id}/rotate-key`)
  assert.equal((await rotate()).status, 200)
  await service.advance(601)
  assertRefused(await rotate(), 403, 'sign_in_again')
  assertRefused(await browser.ask('POST', `/clients/${client.id}/keys`), 403, 'sign_in_again')
  assertRefused(await browser.ask('DELETE', `/clients/${client.id}/keys/${client.id}`), 403, 'sign_in_again')
  assert.equal((await browser.ask('PATCH', `/clients/${client.id}`, { name: 'Shop' })).status, 200)
  assertRefused(await browser.ask('POST', '/session/refresh', { password: 'something-else' }), 401, 'unauthorized')
  assertRefused(await rotate(), 403, 'sign_in_again')
  const fresh = await browser.ask('POST', '/session/refresh', { password: PASSWORD })
  assert.equal(fresh.status, 200)
  assert.equal(fresh.body.freshUntil, new Date(service.clock.now().getTime() + 600_000).toISOString())
  assert.equal((await rotate()).status, 200)
  await service.advance(601)
  assert.equal((await manage('POST', `/clients/${client.id}/rotate-key`)).status, 200)
  assertRefused(await browser.ask('PATCH', '/account', { email: 'other@example.com' }), 403, 'sign_in_again')
  assertRefused(await browser.ask('PUT', '/account/password', { password: 'momo-for-everybody' }), 403, 'sign_in_again')
  assert.equal((await browser.signIn(email)).status, 200)
})

test('ends every other session with a new password, and rejects the old password', async () => {
  const { browser, email } = await makePerson(service, { workspaceId })
  const other = new Browser(service)
  await other.signIn(email)
  for (const [password, status] of [
    ['short', 400],
    ['aaaaaaaaaaaa', 400],
    [`${email.split('@')[0]}123`, 400],
    ['kathmandu-taxi-413-red', 204],
  ] as const)
    assert.equal((await browser.ask('PUT', '/account/password', { password })).status, status, password)
  assertRefused(await other.ask('GET', '/whoami'), 401, 'unauthorized')
  assertRefused(await other.signIn(email), 401, 'unauthorized')
  assert.equal((await other.signIn(email, 'kathmandu-taxi-413-red')).status, 200)
  assert.equal((await browser.ask('GET', '/whoami')).status, 200)
})

test('updates name and language, and rejects an invalid address', async () => {
  const { browser } = await makePerson(service, { workspaceId })
  const { body } = await browser.ask('PATCH', '/account', { name: 'Asha Rai', language: 'ne' })
  assert.deepEqual([body.name, body.language], ['Asha Rai', 'ne'])
  assert.deepEqual((await browser.ask('GET', '/account')).body, body)
  assertRefused(await browser.ask('PATCH', '/account', { email: 'nobody' }), 400, 'invalid_request', ['email'])
  assertRefused(await manage('GET', '/account'), 404, 'not_found')
})

test('has no password, session or link in the database, the audit log or the log', async () => {
  const { browser } = await makePerson(service, { workspaceId })
  const token = browser.cookies.get('hulaki') ?? ''
  const dump = await dumpDatabase(service.address)
  const log = JSON.stringify((await manage('GET', '/audit-log?limit=200')).body)
  assert.ok(dump.includes('$argon2id$v=19$m=19456,t=2,p=1$'))
  for (const secret of [PASSWORD, token, token.slice(-64)]) {
    for (const form of formsOf(secret)) assert.ok(!dump.includes(form) && !log.includes(form))
    assert.ok(!service.logged.some((line) => line.includes(secret)))
  }
})
