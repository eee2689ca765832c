// Links by mail: only the recipient sees them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Authenticator } from '../../harness/authenticator.ts'
import { makeWorkspace } from '../../harness/client.ts'
import { startMailServer } from '../../harness/mail-server.ts'
import { Browser, makePerson, PASSWORD } from '../../harness/people.ts'
import { assertRefused } from '../../harness/refused.ts'
import { query } from '../../harness/server.ts'
import { ownService } from '../../harness/service.ts'
import { until } from '../../harness/until.ts'

const mail = await startMailServer()
const service = await ownService({
  env: {
    HULAKI_ROLES: 'api',
    HULAKI_SMTP_URL: mail.url,
    HULAKI_MAIL_FROM: 'Hulaki <hulaki@example.com>',
    HULAKI_PUBLIC_URL: 'https://sms.example.com',
  },
})
const shown = await ownService({ beside: service, env: { HULAKI_ROLES: 'api' } })
const workspaceId = await makeWorkspace(service)

/** The link in the latest mail to an address, at the address of the tests. */
function linkTo(email: string): string {
  const letter = mail.received.findLast(({ to }) => to.includes(email))
  const plain = letter?.text.replaceAll('=\n', '').replaceAll('=3D', '=') ?? ''
  assert.match(plain, /^From: Hulaki <hulaki@example\.com>$/m)
  const link = /https:\/\/sms\.example\.com\/console\/welcome#\w+/.exec(plain)?.[0]
  assert.ok(link, plain)
  return link
}

test('mails an invitation without showing it, and verifies the address when it is used', async () => {
  const made = await service.manage('POST', `/workspaces/${workspaceId}/invitations`, {
    email: 'sita@example.com',
    role: 'developer',
  })
  assert.deepEqual([made.status, made.body.link], [201, null])
  assert.equal((await new Browser(service).use(linkTo('sita@example.com'), { password: PASSWORD })).status, 200)
  const [row] = await query(service.address, `select email_verified_at from person where email = 'sita@example.com'`)
  assert.ok(row?.email_verified_at)
  const open = await service.manage('POST', '/operators/invitations', {})
  assert.match(open.body.link, /#hulaki_link_/, 'for nobody in particular: there is nobody to mail to')
})

test('reports a mail that could not be sent', async () => {
  mail.refuse.all = true
  const at = `/workspaces/${workspaceId}/invitations`
  assertRefused(await service.manage('POST', at, { email: 'ram@example.com', role: 'viewer' }), 503, 'unavailable')
  mail.refuse.all = false
  assert.equal((await service.manage('POST', at, { email: 'ram@example.com', role: 'viewer' })).status, 201)
})

test('resets a password by mail without revealing whether the account exists, and still requires TOTP', async () => {
  const person = await makePerson(shown, { workspaceId })
  const ask = (email: string) => new Browser(service).ask('POST', '/recovery', { email })
  const before = mail.received.length
  const [known, unknown] = [await ask(person.email), await ask('nobody@example.com')]
  assert.deepEqual([known.status, known.body], [202, { mailed: true }])
  assert.deepEqual([unknown.status, unknown.body], [202, { mailed: true }])
  await until(() => mail.received.length > before)
  const used = await new Browser(service).use(linkTo(person.email), { password: 'kathmandu-taxi-9-gray' })
  assert.deepEqual(used.body, { signedIn: true, needs: null })
  for (let times = 0; times < 8; times++) await ask(person.email)
  await until(() => mail.received.length >= before + 6)
  assert.equal(mail.received.filter(({ to }) => to.includes(person.email)).length, 6, "nobody's inbox is filled")
  await query(
    service.address,
    `update person set totp_sealed = 'x', totp_confirmed_at = created_at where id = '${person.id}'`,
  )
  const again = await new Browser(service).use(linkTo(person.email), { password: 'kathmandu-taxi-10-blue' })
  assert.deepEqual([again.body, again.headers.getSetCookie()], [{ signedIn: false, needs: 'sign_in' }, []])
  assertRefused(await new Browser(shown).ask('POST', '/recovery', { email: person.email }), 409, 'conflict')
})

test('takes the same time for a password reset with or without an account', async () => {
  const { email } = await makePerson(shown, { workspaceId })
  for (const asked of [email, 'nobody@example.com']) {
    const before = performance.now()
    assert.equal((await new Browser(service).ask('POST', '/recovery', { email: asked })).status, 202)
    const tookMs = performance.now() - before
    assert.ok(tookMs >= 249, `${tookMs} ms for ${asked}`)
  }
})

test('lets an owner mail a reset to a person of another workspace: the link is not shown, and TOTP stays', async () => {
  const { browser: owner } = await makePerson(shown, { workspaceId })
  const operator = await makePerson(shown)
  await query(
    service.address,
    `insert into membership values ('${operator.id}', '${workspaceId}', 'viewer', '2026-11-20')`,
  )
  const there = new Browser(service, { origin: 'https://sms.example.com' })
  for (const [name, value] of owner.cookies) there.cookies.set(name, value)
  const made = await there.ask('POST', `/workspaces/${workspaceId}/members/${operator.id}/recovery`)
  assert.deepEqual([made.status, made.body.link], [201, null])
  await query(
    service.address,
    `update person set totp_sealed = 'x', totp_confirmed_at = created_at where id = '${operator.id}'`,
  )
  const used = await new Browser(service).use(linkTo(operator.email), { password: 'kathmandu-taxi-9-gray' })
  assert.deepEqual(used.body, { signedIn: false, needs: 'sign_in' })
})

test('removes earlier passkeys of an unverified address after a reset by mail', async () => {
  const squatter = await makePerson(shown, { workspaceId })
  const device = new Authenticator(shown.url)
  const { id, options } = (await squatter.browser.ask('POST', '/account/passkeys/options')).body
  const added = { id, name: 'Of another', response: device.create(options) }
  assert.equal((await squatter.browser.ask('POST', '/account/passkeys', added)).status, 201)
  const byPasskey = async () => {
    const browser = new Browser(shown)
    const asked = (await browser.ask('POST', '/sign-in/passkey/options')).body
    return browser.ask('POST', '/sign-in/passkey', { id: asked.id, response: device.get(asked.options) })
  }
  assert.equal((await byPasskey()).status, 200)
  const before = mail.received.length
  await new Browser(service).ask('POST', '/recovery', { email: squatter.email })
  await until(() => mail.received.length > before)
  const used = await new Browser(service).use(linkTo(squatter.email), { password: 'kathmandu-taxi-9-gray' })
  assert.equal(used.body.signedIn, true)
  assertRefused(await byPasskey(), 401, 'unauthorized')
})
