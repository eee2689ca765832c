// D70: a person changes the address of their account, and learns nothing about other accounts.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { makeWorkspace } from '../../harness/client.ts'
import { startMailServer } from '../../harness/mail-server.ts'
import { Browser, makePerson, PASSWORD, secretOf, type TestPerson } from '../../harness/people.ts'
import { assertRefused } from '../../harness/refused.ts'
import { query } from '../../harness/server.ts'
import { ownService } from '../../harness/service.ts'
import { until } from '../../harness/until.ts'

const mail = await startMailServer()
const service = await ownService({
  env: {
    HULAKI_ROLES: 'api,upkeep',
    HULAKI_SMTP_URL: mail.url,
    HULAKI_MAIL_FROM: 'Hulaki <hulaki@example.com>',
    HULAKI_PUBLIC_URL: 'https://sms.example.com',
  },
})
const withoutMail = await ownService({ beside: service, env: { HULAKI_ROLES: 'api' } })
const workspaceId = await makeWorkspace(service)
const HOUR = 3600

/** A person in a browser, at the service with mail. */
async function person(role = 'owner'): Promise<TestPerson> {
  const made = await makePerson(withoutMail, { workspaceId, role })
  return { ...made, browser: at(service, made.browser) }
}

async function operator(): Promise<TestPerson> {
  const made = await makePerson(withoutMail)
  return { ...made, browser: at(service, made.browser) }
}

function at(there: { url: string }, { cookies }: Browser): Browser {
  const browser = new Browser(there)
  for (const [name, value] of cookies) browser.cookies.set(name, value)
  return browser
}

let addresses = 0
function newAddress(): string {
  addresses += 1
  return `new-${addresses}@example.com`
}

const lettersTo = (email: string) =>
  mail.received
    .filter(({ to }) => to.includes(email))
    .map(({ text }) => text.replaceAll('=\n', '').replaceAll('=3D', '='))

function linkTo(email: string): string {
  const letter = lettersTo(email).at(-1) ?? ''
  const link = /https:\/\/sms\.example\.com\/console\/welcome#\w+/.exec(letter)?.[0]
  assert.ok(link, `no link to ${email} in: ${letter}`)
  return link
}

const look = (browser: Browser, link: string) => browser.ask('POST', '/links/view', { secret: secretOf(link) })
const change = (browser: Browser, email: string) => browser.ask('PATCH', '/account', { email })
const addressOf = async (browser: Browser) => (await browser.ask('GET', '/account')).body.email

test('changes the address when its link is used, and notifies the old address', async () => {
  const { browser, email: before, id } = await person()
  const email = newAddress()
  const asked = await browser.ask('PATCH', '/account', { email, name: 'Asha Rai' })
  assert.deepEqual([asked.status, asked.body.email, asked.body.pendingEmail], [200, before, email])
  assert.equal(asked.body.name, 'Asha Rai')
  assert.deepEqual((await browser.ask('GET', '/account')).body, asked.body)
  const link = linkTo(email)
  const [row] = await query(service.address, `select secret_hash from email_link where person_id = '${id}'`)
  assert.deepEqual(row?.secret_hash, createHash('sha256').update(secretOf(link)).digest(), 'only the hash is kept')
  assert.deepEqual((await look(browser, link)).body, {
    ...{ kind: 'email', email, workspace: null, role: null, needs: 'nothing' },
    expiresAt: new Date(service.clock.now().getTime() + HOUR * 1000).toISOString(),
  })
  const used = await browser.use(link)
  assert.deepEqual([used.status, used.body], [200, { signedIn: true, needs: null }])
  const after = (await browser.ask('GET', '/account')).body
  assert.deepEqual([after.email, after.pendingEmail], [email, null])
  await until(() => lettersTo(before).length > 0)
  assert.match(lettersTo(before)[0] ?? '', /^Subject: The address of your Hulaki account was changed$/m)
  assert.doesNotMatch(lettersTo(before)[0] ?? '', /new-\d/, 'the old mailbox does not learn the new address')
  assert.equal((await new Browser(service).signIn(email)).status, 200)
  assertRefused(await new Browser(service).signIn(before), 401, 'unauthorized')
  const [verified] = await query(service.address, `select email_verified_at from person where id = '${id}'`)
  assert.ok(verified?.email_verified_at)
  const entries = await query(
    service.address,
    `select details from audit_entry where subject = '${id}' and action = 'person.changed' and details ? 'email'`,
  )
  assert.deepEqual(entries, [{ details: { email: { from: before, to: email } } }])
})

test('answers the same with or without an existing account; only the mailbox learns which', async () => {
  const { browser } = await person()
  const other = await person()
  const removed = await person()
  await service.manage('DELETE', `/workspaces/${workspaceId}/members/${removed.id}`)
  const free = newAddress()
  const answers = []
  for (const email of [free, other.email, removed.email]) {
    const { status, body } = await change(browser, email)
    assert.equal(body.pendingEmail, email)
    answers.push([status, { ...body, pendingEmail: null }])
    assert.equal(lettersTo(email).length, 1, 'each is mailed, so that it takes as long')
  }
  assert.deepEqual(answers[1], answers[0])
  assert.deepEqual(answers[2], answers[0])
  for (const taken of [other.email, removed.email]) {
    assert.match(lettersTo(taken)[0] ?? '', /an account with this address exists already/)
    assert.doesNotMatch(lettersTo(taken)[0] ?? '', /hulaki_link_/)
  }
  assert.equal(await addressOf(other.browser), other.email)
})

test('accepts a link only from its person, with a recent sign-in, once, for an hour', async () => {
  const { browser, email: before } = await person()
  const stranger = await person()
  const email = newAddress()
  await change(browser, email)
  const link = linkTo(email)
  for (const wrong of [new Browser(service), stranger.browser]) {
    assert.equal((await look(wrong, link)).body.needs, 'sign_in')
    assertRefused(await wrong.use(link, { password: PASSWORD }), 401, 'unauthorized')
  }
  await service.advance(601)
  assertRefused(await change(browser, newAddress()), 403, 'sign_in_again')
  assertRefused(await browser.use(link), 403, 'sign_in_again')
  assert.equal(await addressOf(browser), before)
  assert.equal((await browser.ask('POST', '/session/refresh', { password: PASSWORD })).status, 200)
  assert.equal((await browser.use(link)).status, 200)
  assertRefused(await browser.use(link), 404, 'not_found')
  assertRefused(await look(browser, link), 404, 'not_found')
  const late = newAddress()
  await change(browser, late)
  const lateLink = linkTo(late)
  await service.advance(HOUR)
  await browser.ask('POST', '/session/refresh', { password: PASSWORD })
  assertRefused(await browser.use(lateLink), 404, 'not_found')
  assert.equal((await browser.ask('GET', '/account')).body.pendingEmail, null)
  assert.deepEqual(await query(service.address, `select 1 from email_link where email = '${late}'`), [], 'it is swept')
})

test('changes the address once if a link is used twice concurrently', async () => {
  const { browser, id } = await person()
  const email = newAddress()
  await change(browser, email)
  const link = linkTo(email)
  const used = await Promise.all([1, 2, 3].map(() => browser.use(link)))
  assert.deepEqual(used.map((it) => it.status).sort(), [200, 404, 404])
  const entries = await query(
    service.address,
    `select 1 from audit_entry where subject = '${id}' and action = 'person.changed'`,
  )
  assert.equal(entries.length, 1)
})

test('ends earlier links with a later link, a new password or a recovery', async () => {
  const { browser, email: before, id } = await person()
  const [first, second, third] = [newAddress(), newAddress(), newAddress()]
  await change(browser, first)
  await change(browser, second)
  assertRefused(await browser.use(linkTo(first)), 404, 'not_found')
  assert.equal((await browser.ask('PUT', '/account/password', { password: 'kathmandu-taxi-9-gray' })).status, 204)
  assertRefused(await browser.use(linkTo(second)), 404, 'not_found')
  await change(browser, third)
  const recovery = await withoutMail.manage('POST', `/people/${id}/recovery`)
  const recovered = new Browser(service)
  assert.equal((await recovered.use(recovery.body.link, { password: PASSWORD })).status, 200)
  assertRefused(await recovered.use(linkTo(third)), 404, 'not_found')
  assert.equal(await addressOf(recovered), before)
})

test('ends recovery links to the old address when the address changes', async () => {
  const { browser, email: before } = await person()
  await new Browser(service).ask('POST', '/recovery', { email: before })
  await until(() => lettersTo(before).length > 0)
  const recovery = linkTo(before)
  const email = newAddress()
  await change(browser, email)
  assert.equal((await browser.use(linkTo(email))).status, 200)
  assertRefused(await new Browser(service).use(recovery, { password: 'kathmandu-taxi-9-gray' }), 404, 'not_found')
})

test('limits mails to five an hour per person and per address, with or without an account', async () => {
  const { browser } = await person()
  const { email: taken } = await person()
  const own = newAddress()
  // A used link counts as well.
  await change(browser, own)
  assert.equal((await browser.use(linkTo(own))).status, 200)
  await service.advance(60)
  for (const email of [newAddress(), taken, newAddress(), newAddress()])
    assert.equal((await change(browser, email)).status, 200)
  const sixth = newAddress()
  const refused = await change(browser, sixth)
  assertRefused(refused, 429, 'rate_limited')
  assert.equal(refused.headers.get('retry-after'), String(HOUR - 60))
  assert.deepEqual(lettersTo(sixth), [])
  for (const target of [taken, newAddress()]) {
    const before = lettersTo(target).length
    const answers = []
    for (let times = before; times < 6; times++) answers.push(await change((await person()).browser, target))
    assert.deepEqual(new Set(answers.slice(0, -1).map((it) => it.status)), new Set([200]))
    assertRefused(answers.at(-1) ?? refused, 429, 'rate_limited')
    assert.equal(lettersTo(target).length, 5)
  }
  await service.advance(HOUR - 60)
  await browser.ask('POST', '/session/refresh', { password: PASSWORD })
  assert.equal((await change(browser, sixth)).status, 200)
})

test('keeps an address that another person took after the link was mailed', async () => {
  const [one, other] = [await person(), await person()]
  const email = newAddress()
  await change(one.browser, email)
  const link = linkTo(email)
  await change(other.browser, email)
  assert.equal((await other.browser.use(linkTo(email))).status, 200)
  assertRefused(await one.browser.use(link), 409, 'conflict')
  assert.deepEqual([await addressOf(one.browser), await addressOf(other.browser)], [one.email, email])
})

test('reports a failed mail, and keeps no pending address', async () => {
  const { browser, email: before } = await person()
  const { email: taken } = await person()
  mail.refuse.all = true
  const answers = [await change(browser, newAddress()), await change(browser, taken)]
  mail.refuse.all = false
  for (const answer of answers) assertRefused(answer, 503, 'unavailable')
  assert.deepEqual(answers[0]?.body, answers[1]?.body)
  const account = (await browser.ask('GET', '/account')).body
  assert.deepEqual([account.email, account.pendingEmail], [before, null])
})

test('without mail, lets only operators change addresses, and reveals no account', async () => {
  const member = await makePerson(withoutMail, { workspaceId })
  const other = await makePerson(withoutMail, { workspaceId })
  const account = (await member.browser.ask('GET', '/account')).body
  assert.deepEqual([account.emailChange, account.pendingEmail], ['by_operator', null])
  const answers = [await change(member.browser, newAddress()), await change(member.browser, other.email)]
  for (const answer of answers) assertRefused(answer, 409, 'conflict')
  assert.deepEqual(answers[0]?.body, answers[1]?.body)
  const same = await member.browser.ask('PATCH', '/account', { email: member.email, name: 'Asha Rai' })
  assert.deepEqual([same.status, same.body.email, same.body.name], [200, member.email, 'Asha Rai'])
  const { browser: root } = await makePerson(withoutMail)
  assert.equal((await root.ask('GET', '/account')).body.emailChange, 'at_once')
  const email = newAddress()
  const changed = await change(root, email)
  assert.deepEqual([changed.status, changed.body.email, changed.body.pendingEmail], [200, email, null])
  assertRefused(await change(root, other.email), 400, 'invalid_request', ['email'])
})

test('lets an operator change any address with a notice to the old one; others cannot', async () => {
  const { browser: root } = await operator()
  const { browser: owner } = await person()
  const member = await person('viewer')
  const pending = newAddress()
  await change(member.browser, pending)
  const path = `/people/${member.id}`
  const email = newAddress()
  assertRefused(await owner.ask('PATCH', path, { email }), 404, 'not_found')
  assert.equal((await root.ask('PATCH', path, { email })).status, 204)
  assert.equal(await addressOf(member.browser), email)
  await until(() => lettersTo(member.email).length > 0)
  assertRefused(await member.browser.use(linkTo(pending)), 404, 'not_found')
  const [row] = await query(service.address, `select email_verified_at from person where id = '${member.id}'`)
  assert.equal(row?.email_verified_at, null, 'nobody has shown that the address is theirs')
  const other = await person()
  assertRefused(await root.ask('PATCH', path, { email: other.email }), 400, 'invalid_request', ['email'])
  const nobody = '00000000-0000-7000-8000-000000000000'
  assertRefused(await root.ask('PATCH', `/people/${nobody}`, { email: newAddress() }), 404, 'not_found')
  await service.advance(601)
  assertRefused(await root.ask('PATCH', path, { email: newAddress() }), 403, 'sign_in_again')
})
