// Sign-in with a third-party OpenID Connect provider that runs on this machine.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import Provider from 'oidc-provider'
import { makeWorkspace } from '../../harness/client.ts'
import { Browser, makePerson } from '../../harness/people.ts'
import { query } from '../../harness/server.ts'
import { ownService } from '../../harness/service.ts'

/** The person whom the provider signs in. */
const account = { sub: 'a', email: 'maya@example.com', isVerified: true }

const server = createServer()
server.listen(0, '127.0.0.1')
await once(server, 'listening')
after(() => server.closeAllConnections())
after(() => server.close())
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const first = await ownService({ env: { HULAKI_ROLES: 'api' } })
const workspaceId = await makeWorkspace(first)
const oidc = {
  HULAKI_ROLES: 'api',
  HULAKI_OIDC_ISSUER: issuer,
  HULAKI_OIDC_CLIENT_ID: 'hulaki',
  HULAKI_OIDC_CLIENT_SECRET: 'a-secret-between-the-two',
  HULAKI_OIDC_NAME: 'Himal ID',
}
const service = await ownService({ beside: first, env: oidc })
const open = await ownService({ beside: first, env: { ...oidc, HULAKI_OIDC_NEWCOMERS: workspaceId } })

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'hulaki',
      client_secret: 'a-secret-between-the-two',
      token_endpoint_auth_method: 'client_secret_post',
      redirect_uris: [service, open].map(({ url }) => `${url}/api/manage/v1/sign-in/provider/back`),
    },
  ],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  pkce: { required: () => true },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
  findAccount: async (_context: unknown, sub: string) => ({
    accountId: sub,
    claims: async () => ({ sub, email: account.email, email_verified: account.isVerified, name: 'Maya Rai' }),
  }),
  // biome-ignore lint/suspicious/noExplicitAny: the provider's own context
  loadExistingGrant: async (context: any) => {
    const { client, session } = context.oidc
    const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
    grant.addOIDCScope('openid email profile')
    await grant.save()
    return grant
  },
  cookies: { keys: ['of-the-tests'] },
})
const callback = provider.callback()
server.on('request', (request, response) => {
  if (!request.url?.startsWith('/interaction/')) return callback(request, response)
  void provider.interactionFinished(request, response, { login: { accountId: account.sub } })
})

/** A browser that follows redirects, with cookies per host; ends at the console, or where it is stopped. */
async function follow(start: string, { stopAt = /\/console/, browser = new Browser(service) } = {}) {
  const jars = new Map<string, Map<string, string>>()
  let url = new URL(start)
  for (let hops = 0; hops < 12 && !stopAt.test(url.href); hops++) {
    const jar = jars.getOrInsertComputed(
      url.host,
      () => new Map(url.host === new URL(browser.url).host ? browser.cookies : []),
    )
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      jar.set(name, value)
    }
    await response.text()
    const next = response.headers.get('location')
    assert.ok(next, `${response.status} at ${url.href}`)
    url = new URL(next, url)
  }
  for (const [name, value] of jars.get(new URL(browser.url).host) ?? []) browser.cookies.set(name, value)
  return { url, browser }
}

const signIn = (at = service, browser = new Browser(at)) =>
  follow(`${at.url}/api/manage/v1/sign-in/provider`, { browser })

test('lists the provider by name as a sign-in method', async () => {
  const ways = async (at: typeof service) => (await new Browser(at).ask('GET', '/sign-in')).body
  assert.deepEqual(await ways(service), { provider: 'Himal ID', mail: false })
  assert.deepEqual(await ways(first), { provider: null, mail: false })
})

test('signs in a verified address only where it was invited', async () => {
  const refused = await signIn()
  assert.equal(refused.url.search, '?sign-in=forbidden')
  assert.equal((await refused.browser.ask('GET', '/whoami')).status, 401)
  await service.manage('POST', `/workspaces/${workspaceId}/invitations`, { email: account.email, role: 'developer' })
  account.isVerified = false
  assert.equal((await signIn()).url.search, '?sign-in=unauthorized', 'an address that is not verified')
  account.isVerified = true
  const { url, browser } = await signIn()
  assert.equal(url.pathname + url.search, '/console')
  const who = (await browser.ask('GET', '/whoami')).body
  assert.deepEqual([who.kind, who.person.email, who.person.name], ['developer', 'maya@example.com', 'Maya Rai'])
  assert.equal((await (await signIn()).browser.ask('GET', '/whoami')).body.person.id, who.person.id)
})

test('locks out a person who used the address of another when its owner signs in', async () => {
  const squatter = await makePerson(first, { workspaceId, role: 'viewer' })
  account.email = squatter.email
  const { browser } = await signIn()
  assert.equal((await browser.ask('GET', '/whoami')).body.person.id, squatter.id)
  assert.equal((await squatter.browser.ask('GET', '/whoami')).status, 401)
  assert.equal((await new Browser(first).signIn(squatter.email)).status, 401)
})

test('locks out a person who entered by a shown link when the owner of the address signs in, also later', async () => {
  account.email = 'sita@example.com'
  const home = await makeWorkspace(first)
  const owner = await makePerson(first, { workspaceId: home })
  const invite = () =>
    owner.browser.ask('POST', `/workspaces/${home}/invitations`, { email: account.email, role: 'viewer' })
  await invite()
  const { id } = (await (await signIn()).browser.ask('GET', '/whoami')).body.person
  const chosen = 'what-the-owner-would-like'
  const takeOver = async (link: string) => {
    const browser = new Browser(first)
    assert.equal((await browser.use(link, { password: chosen })).status, 200)
    return browser
  }
  const assertShutOut = async (taken: Browser) => {
    assert.equal((await (await signIn()).browser.ask('GET', '/whoami')).body.person.id, id)
    assert.equal((await taken.ask('GET', '/whoami')).status, 401)
    assert.equal((await new Browser(first).signIn(account.email, chosen)).status, 401)
  }
  const { link } = (await owner.browser.ask('POST', `/workspaces/${home}/members/${id}/recovery`)).body
  await assertShutOut(await takeOver(link))
  assert.equal((await owner.browser.ask('DELETE', `/workspaces/${home}/members/${id}`)).status, 204)
  await assertShutOut(await takeOver((await invite()).body.link))
})

test('accepts the return of the browser that started the sign-in, once', async () => {
  account.email = 'maya@example.com'
  const start = `${service.url}/api/manage/v1/sign-in/provider`
  const { url, browser } = await follow(start, { stopAt: /provider\/back/ })
  const elsewhere = await follow(url.href, { browser: new Browser(service) })
  assert.equal(elsewhere.url.search, '?sign-in=unauthorized')
  const forged = new URL(url)
  forged.searchParams.set('state', 'another')
  assert.equal((await follow(forged.href, { browser })).url.search, '?sign-in=unauthorized')
  assert.equal((await follow(url.href, { browser })).url.search, '?sign-in=unauthorized', 'it was answered')
})

test('makes every person of the provider a viewer with HULAKI_OIDC_NEWCOMERS', async () => {
  account.email = 'new@example.com'
  const { browser } = await signIn(open)
  const who = (await browser.ask('GET', '/whoami')).body
  assert.deepEqual([who.kind, who.workspace.id], ['viewer', workspaceId])
  const rows = await query(
    service.address,
    `select action from audit_entry where subject = '${who.person.id}' order by id`,
  )
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['member.joined', 'session.started'],
  )
})

test('redirects to the console if the provider is unavailable', async () => {
  const away = await ownService({ beside: first, env: { ...oidc, HULAKI_OIDC_ISSUER: 'http://127.0.0.1:9' } })
  assert.equal((await signIn(away)).url.search, '?sign-in=unavailable')
})

test('applies the seat limit to verified identities, like to links', async () => {
  account.email = 'one-more@example.com'
  await fillWorkspace()
  assert.equal((await signIn(open)).url.search, '?sign-in=conflict', 'a newcomer')
  await service.manage('POST', `/workspaces/${workspaceId}/invitations`, { email: account.email, role: 'viewer' })
  assert.equal((await signIn()).url.search, '?sign-in=conflict', 'somebody who was invited')
  const gone = `delete from membership where person_id in (select id from person where email = 'member-1@example.com')`
  await query(service.address, gone)
  const { browser } = await signIn()
  assert.equal((await browser.ask('GET', '/whoami')).body.person.email, account.email, 'the invitation has waited')
})

test('keeps an invitation of a person at the membership limit, until a membership ends', async () => {
  const home = await makeWorkspace(first)
  const { id, email } = await makePerson(first, { workspaceId: home, role: 'viewer' })
  const elsewhere = await makeWorkspace(first)
  await service.manage('POST', `/workspaces/${elsewhere}/invitations`, { email, role: 'viewer' })
  await query(
    service.address,
    `with copies as (
      insert into workspace
      select (jsonb_populate_record(workspace, jsonb_build_object('id', gen_random_uuid(), 'name', 'Copy ' || number))).*
      from workspace, generate_series(1, 99) number where id = '${home}' returning id
    ) insert into membership (person_id, workspace_id, role, created_at) select '${id}', id, 'viewer', '2026-11-16' from copies`,
  )
  account.email = email
  const isMember = async () => {
    const { browser } = await signIn()
    const { memberships } = (await browser.ask('GET', '/whoami')).body
    return memberships.some((it: { workspace: { id: string } }) => it.workspace.id === elsewhere)
  }
  assert.equal(await isMember(), false)
  await query(service.address, `delete from membership where person_id = '${id}' and workspace_id <> '${home}'`)
  assert.equal(await isMember(), true)
})

async function fillWorkspace(): Promise<void> {
  await query(
    service.address,
    `with people as (
      insert into person (id, email, name, created_at)
      select gen_random_uuid(), 'member-' || number || '@example.com', 'Member', '2026-11-16'
      from generate_series(1, 100 - (select count(*) from membership where workspace_id = '${workspaceId}')) number
      returning id
    ) insert into membership (person_id, workspace_id, role, created_at)
    select id, '${workspaceId}', 'viewer', '2026-11-16' from people`,
  )
}
