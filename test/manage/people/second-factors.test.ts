// TOTP, recovery codes and passkeys.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { Authenticator, codeOf } from '../../harness/authenticator.ts'
import { makeWorkspace } from '../../harness/client.ts'
import { dumpDatabase, formsOf } from '../../harness/dump-database.ts'
import { Browser, makePerson, PASSWORD } from '../../harness/people.ts'
import { assertRefused } from '../../harness/refused.ts'
import { query } from '../../harness/server.ts'
import { type Answer, sharedService } from '../../harness/service.ts'

const service = await sharedService({ roles: 'api,upkeep' })
const { manage } = service
const workspaceId = await makeWorkspace(service)
// All tests fail from one address; failures are forgotten after an hour.
beforeEach(async () => void (await service.advance(3601)))

async function withApp() {
  const person = await makePerson(service, { workspaceId })
  const { secret, uri } = (await person.browser.ask('POST', '/account/totp')).body
  assert.equal(
    uri,
    `otpauth://totp/Hulaki%3A${encodeURIComponent(person.email)}?secret=${secret}&issuer=Hulaki&period=30`,
  )
  const confirmed = await person.browser.ask('POST', '/account/totp/confirm', {
    code: codeOf(secret, service.clock.now()),
  })
  assert.equal(confirmed.status, 200)
  return { ...person, secret, codes: confirmed.body.recoveryCodes as string[] }
}

const signIn = (email: string, code?: string, browser = new Browser(service)): Promise<Answer> =>
  browser.ask('POST', '/session', { email, password: PASSWORD, ...(code === undefined ? {} : { code }) })

test('enables TOTP after a first code; then a password alone does not sign in, and no code works twice', async () => {
  const { email, browser, secret } = await withApp()
  assert.equal((await browser.ask('GET', '/account')).body.hasTotp, true)
  const without = await signIn(email)
  assert.deepEqual(
    [without.status, without.body, without.headers.getSetCookie()],
    [200, { signedIn: false, needs: 'code' }, []],
  )
  assertRefused(await signIn(email, codeOf(secret, service.clock.now())), 401, 'unauthorized')
  await service.advance(30)
  const code = codeOf(secret, service.clock.now())
  assertRefused(await signIn(email, code === '000000' ? '000001' : '000000'), 401, 'unauthorized')
  assert.equal((await signIn(email, code)).body.signedIn, true)
  assertRefused(await signIn(email, code), 401, 'unauthorized')
  await service.advance(60)
  assert.equal((await signIn(email, codeOf(secret, service.clock.now(), -1))).status, 200, 'a clock that is late')
  assert.equal((await signIn(email, codeOf(secret, service.clock.now(), 1))).status, 200, 'and one that is early')
})

test('accepts one of two concurrent uses of a code', async () => {
  const { email, secret } = await withApp()
  await service.advance(30)
  const tried = await Promise.all([1, 2, 3].map(() => signIn(email, codeOf(secret, service.clock.now()))))
  assert.deepEqual(tried.map((it) => it.status).sort(), [200, 401, 401])
})

test('accepts a recovery code once in place of a code; a recovery by the operator removes TOTP', async () => {
  const { id, email, codes } = await withApp()
  assert.equal(new Set(codes).size, 10)
  assert.match(codes[0] ?? '', /^([a-z2-7]{4}-){3}[a-z2-7]{4}$/)
  assert.equal((await signIn(email, codes[0]?.toUpperCase().replaceAll('-', ' '))).status, 200)
  assertRefused(await signIn(email, codes[0]), 401, 'unauthorized')
  const { link } = (await manage('POST', `/people/${id}/recovery`)).body
  const used = await new Browser(service).use(link, { password: PASSWORD })
  assert.deepEqual(used.body, { signedIn: true, needs: null })
  assert.equal((await signIn(email)).body.signedIn, true)
})

test('sets up and removes TOTP only after a recent sign-in with password and code', async () => {
  const { browser, email, secret } = await withApp()
  assertRefused(await browser.ask('POST', '/account/totp'), 409, 'conflict')
  await service.advance(601)
  assertRefused(await browser.ask('DELETE', '/account/totp'), 403, 'sign_in_again')
  const refresh = (body: object) => browser.ask('POST', '/session/refresh', body)
  const code = codeOf(secret, service.clock.now())
  assertRefused(await refresh({}), 400, 'invalid_request', ['password'])
  assertRefused(await refresh({ code }), 400, 'invalid_request', ['password'])
  assertRefused(await refresh({ password: PASSWORD }), 400, 'invalid_request', ['code'])
  assertRefused(
    await refresh({ password: PASSWORD, code: code === '000000' ? '000001' : '000000' }),
    401,
    'unauthorized',
  )
  assertRefused(await refresh({ password: 'something-else', code }), 401, 'unauthorized')
  assertRefused(await browser.ask('DELETE', '/account/totp'), 403, 'sign_in_again')
  assert.equal((await refresh({ password: PASSWORD, code })).status, 200, 'a wrong password uses up no code')
  assert.equal((await browser.ask('DELETE', '/account/totp')).status, 204)
  assert.equal((await signIn(email)).body.signedIn, true)
  const { browser: other } = await makePerson(service, { workspaceId })
  const onlyCode = await other.ask('POST', '/session/refresh', { code: '123456' })
  assertRefused(onlyCode, 400, 'invalid_request', ['password'])
  await other.ask('POST', '/account/totp')
  assertRefused(await other.ask('POST', '/account/totp/confirm', { code: '000000' }), 400, 'invalid_request', ['code'])
  assert.equal((await other.ask('GET', '/account')).body.hasTotp, false)
})

test('stores neither a TOTP secret nor a recovery code in plain text', async () => {
  const { secret, codes } = await withApp()
  const dump = await dumpDatabase(service.address)
  for (const kept of [secret, ...codes]) for (const form of formsOf(kept)) assert.ok(!dump.includes(form))
})

async function withPasskey() {
  const person = await makePerson(service, { workspaceId })
  const { browser } = person
  const device = new Authenticator(service.url)
  const { id, options } = (await browser.ask('POST', '/account/passkeys/options')).body
  assert.deepEqual([options.rp.id, options.authenticatorSelection.userVerification], ['127.0.0.1', 'required'])
  const response = device.create(options)
  const added = await browser.ask('POST', '/account/passkeys', { id, name: 'Phone', response })
  assert.equal(added.status, 201, JSON.stringify(added.body))
  assertRefused(await browser.ask('POST', '/account/passkeys', { id, name: 'Phone', response }), 400, 'invalid_request')
  return { ...person, device, passkeyId: added.body.id }
}

async function byPasskey(
  device: Authenticator,
  { at = '/sign-in/passkey', browser = new Browser(service), origin = service.url } = {},
) {
  const { id, options } = (await browser.ask('POST', '/sign-in/passkey/options')).body
  const answer = { id, response: device.get(options, origin) }
  return { answer, browser, first: await browser.ask('POST', at, answer) }
}

test('signs in with a passkey without a password, once per challenge, only for this site', async () => {
  const { id, device, browser: own, passkeyId } = await withPasskey()
  const { answer, browser, first } = await byPasskey(device)
  assert.deepEqual(first.body, { signedIn: true, needs: null })
  assert.equal((await browser.ask('GET', '/whoami')).body.person.id, id)
  assertRefused(await new Browser(service).ask('POST', '/sign-in/passkey', answer), 401, 'unauthorized')
  assertRefused((await byPasskey(device, { origin: 'https://evil.example' })).first, 401, 'unauthorized')
  const stranger = new Authenticator(service.url)
  const { options } = (await own.ask('POST', '/account/passkeys/options')).body
  stranger.create(options)
  assertRefused((await byPasskey(stranger)).first, 401, 'unauthorized')
  const late = (await new Browser(service).ask('POST', '/sign-in/passkey/options')).body
  await service.advance(301)
  const tooLate = { id: late.id, response: device.get(late.options) }
  assertRefused(await new Browser(service).ask('POST', '/sign-in/passkey', tooLate), 401, 'unauthorized')
  const [listed] = (await own.ask('GET', '/account/passkeys')).body.items
  assert.deepEqual([listed.id, listed.name], [passkeyId, 'Phone'])
  assert.ok(listed.lastUsedAt)
  assert.equal((await own.ask('DELETE', `/account/passkeys/${passkeyId}`)).status, 204)
  assertRefused((await byPasskey(device)).first, 401, 'unauthorized')
})

test('confirms the identity with a passkey of the person, and with no other', async () => {
  const { device, browser } = await withPasskey()
  const other = await withPasskey()
  await service.advance(601)
  const at = '/session/refresh/passkey'
  assertRefused((await byPasskey(other.device, { at, browser })).first, 401, 'unauthorized')
  assertRefused(await browser.ask('POST', '/account/totp'), 403, 'sign_in_again')
  assert.equal((await byPasskey(device, { at, browser })).first.status, 200)
  assert.equal((await browser.ask('POST', '/account/totp')).status, 201)
})

test('requires a recent sign-in to set a first password if another sign-in method exists', async () => {
  const { id, device, browser } = await withPasskey()
  await query(service.address, `update person set password_hash = null where id = '${id}'`)
  await service.advance(601)
  const choose = () => browser.ask('PUT', '/account/password', { password: 'kathmandu-taxi-77-green' })
  assertRefused(await choose(), 403, 'sign_in_again')
  assert.equal((await byPasskey(device, { at: '/session/refresh/passkey', browser })).first.status, 200)
  assert.equal((await choose()).status, 204)
})

test('limits a network to 100 challenges, and evicts only its own', async () => {
  const { device } = await withPasskey()
  const options = await new Browser(service).ask('POST', '/sign-in/passkey/options')
  const flood = (count: number, place: string) =>
    query(
      service.address,
      `insert into challenge (id, kind, details, expires_at, requester)
       select overlay(gen_random_uuid()::text placing 'ffffffff' from 1)::uuid, 'passkey', '{}', now() + interval '100 years',
         '${place}' from generate_series(1, ${count})`,
    )
  await flood(9_000, 'another network')
  assert.equal((await byPasskey(device)).first.status, 200)
  const [own] = await query(service.address, `select requester as place from challenge where id = '${options.body.id}'`)
  assert.ok(typeof own?.place === 'string' && own.place !== '', 'it belongs to the network that asked')
  await flood(100, own.place)
  await new Browser(service).ask('POST', '/sign-in/passkey/options')
  const rows = await query(
    service.address,
    `select requester as place, count(*)::int from challenge group by requester`,
  )
  const counts = Object.fromEntries(rows.map((it) => [it.place, it.count]))
  assert.deepEqual(counts, { 'another network': 9_000, [own.place]: 100 })
  await query(service.address, 'delete from challenge')
})

test('signs in with passkeys while many unused challenges are requested', async () => {
  const { device } = await withPasskey()
  await query(
    service.address,
    `insert into challenge (id, kind, details, expires_at)
     select overlay(gen_random_uuid()::text placing '01900000' from 1)::uuid, 'passkey', '{}', now() + interval '100 years'
     from generate_series(1, 10000)`,
  )
  assert.equal((await byPasskey(device)).first.status, 200)
  const kept = await query(service.address, 'select 1 from challenge')
  assert.ok(kept.length <= 10_000, `${kept.length} are kept`)
})
