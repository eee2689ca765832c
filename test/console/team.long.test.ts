// The screens Team, Operators and Your account in a real browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeOf } from '../harness/authenticator.ts'
import { inBrowser, judgeScreen, openReader, type Reader } from '../harness/browser.ts'
import { makeWorkspace } from '../harness/client.ts'
import { Browser, makePerson, PASSWORD } from '../harness/people.ts'
import { ownService, systemClock } from '../harness/service.ts'

const HOSTILE = '<img src=x onerror=alert(1)>\u202Egnp.exe'

const service = await ownService({ env: { HULAKI_ROLES: 'api' }, clock: systemClock() })
const workspaceId = await makeWorkspace(service)

/** Signed in at localhost, where passkeys are possible. */
async function sitAs(email: string): Promise<Reader> {
  const reader = await openReader({ baseURL: service.url.replace('127.0.0.1', 'localhost') })
  await reader.page.goto('/console')
  await reader.page.getByLabel('E-mail address').fill(email)
  await reader.page.getByLabel('Password').fill(PASSWORD)
  await reader.page.keyboard.press('Enter')
  await reader.page.getByRole('navigation').first().waitFor()
  return reader
}

test(
  'an owner invites a member, changes a role, creates a token that is shown once, and sees the audit log',
  inBrowser,
  async () => {
    const owner = await makePerson(service, { workspaceId })
    const member = await makePerson(service, { workspaceId, role: 'viewer' })
    await member.browser.ask('PATCH', '/account', { name: HOSTILE })
    const reader = await sitAs(owner.email)
    const { page } = reader
    await page.goto(`/console/w/${workspaceId}/team`)
    await page.getByRole('cell', { name: member.email }).waitFor()
    await judgeScreen(reader, 'team')
    await page.getByRole('button', { name: 'Invite member' }).click()
    await page.getByLabel('E-mail address').fill('guest@example.com')
    await page.getByRole('dialog').getByLabel('Role').selectOption('viewer')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Invite member' }).click()
    await page.getByLabel('E-mail address').fill('guest@example.com')
    await page.keyboard.press('Enter')
    const link = await page.getByRole('dialog').locator('code').innerText()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('cell', { name: 'guest@example.com' }).waitFor()
    assert.ok(!(await page.content()).includes('hulaki_link_'), 'the link is removed from the page')
    assert.equal((await new Browser(service).use(link.trim(), { name: 'Gita', password: PASSWORD })).status, 200)
    await page.getByLabel(`Role of ${HOSTILE}`).selectOption('developer')
    await page.getByRole('link', { name: 'Tokens' }).click()
    await page.getByRole('button', { name: 'Create token' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Grafana')
    await page.keyboard.press('Enter')
    await page.getByText(/hulaki_developer_[\da-f]{48}/).waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('cell', { name: 'Grafana' }).waitFor()
    await judgeScreen(reader, 'team-tokens')
    await page.getByRole('link', { name: 'Audit log' }).click()
    await page.getByRole('button', { name: 'Changed a role' }).click()
    await page.getByText('"developer"').waitFor()
    await page.keyboard.press('Escape')
    await page.getByLabel('Resource').selectOption('invitation')
    await page.waitForURL(/action=invitation/)
    await page.getByRole('button', { name: 'Invited a member' }).first().waitFor()
    await judgeScreen(reader, 'team-audit')
    assert.equal((await member.browser.ask('GET', '/whoami')).body.kind, 'developer')
  },
)

test('a secret needs the password and a code after ten minutes, then the action continues', inBrowser, async () => {
  const owner = await makePerson(service, { workspaceId })
  const reader = await sitAs(owner.email)
  const { secret } = (await owner.browser.ask('POST', '/account/totp')).body
  const code = codeOf(secret, service.clock.now())
  assert.equal((await owner.browser.ask('POST', '/account/totp/confirm', { code })).status, 200)
  const { page } = reader
  await service.db.query({
    text: 'update session set created_at = created_at - $1::interval, signed_in_at = signed_in_at - $1::interval',
    values: ['11 minutes'],
    name: undefined,
  })
  await page.goto(`/console/w/${workspaceId}/team?tab=tokens`)
  await page.getByRole('button', { name: 'Create token' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Terraform')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Confirm your identity' }).waitFor()
  await judgeScreen(reader, 'sign-in-again')
  await page.getByLabel('Password').fill(PASSWORD)
  // The code of the next time step: the current one was used to enable the app.
  await page.getByLabel('Code').fill(codeOf(secret, service.clock.now(), 1))
  await page.keyboard.press('Enter')
  await page.getByText(/hulaki_developer_[\da-f]{48}/).waitFor()
})

test('sets up an authenticator and a passkey, ends sessions, and signs in with the passkey', inBrowser, async () => {
  const person = await makePerson(service, { workspaceId })
  const reader = await sitAs(person.email)
  const { page } = reader
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  await page.getByRole('button', { name: /Asha/ }).click()
  await page.getByRole('link', { name: 'Profile and security' }).click()
  const whole = page.getByRole('heading', { name: 'Active sessions' })
  await whole.waitFor()
  await page.reload()
  await whole.waitFor()
  await judgeScreen(reader, 'account')
  await page.getByLabel('Name', { exact: true }).fill(HOSTILE)
  await page.getByRole('button', { name: 'Add passkey' }).click()
  await page.getByRole('cell', { name: HOSTILE }).waitFor()
  await page.getByRole('button', { name: 'Set up authenticator' }).click()
  await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor()
  await judgeScreen(reader, 'account-authenticator')
  const secret = (await page.getByRole('dialog').locator('pre').innerText()).replaceAll(/\s/g, '')
  await page.getByLabel('Code from the app').fill(codeOf(secret, new Date()))
  await page.keyboard.press('Enter')
  await page.getByText('Use these if you lose your phone. Each code works once.').waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByText('requires a code from your authenticator app').waitFor()
  await page.getByRole('button', { name: 'Sign out on all other devices' }).click()
  await page.getByRole('button', { name: 'Sign out on all other devices' }).waitFor({ state: 'detached' })
  assert.equal((await person.browser.ask('GET', '/whoami')).status, 401)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByRole('heading', { name: 'Profile and security' }).waitFor()
})

test('an operator invites another and sees the audit log of the service', inBrowser, async () => {
  const operator = await makePerson(service)
  const reader = await sitAs(operator.email)
  const { page } = reader
  await page.goto('/console/people')
  await page.getByRole('button', { name: 'Invite operator' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Invite operator', exact: true }).click()
  await page.getByRole('heading', { name: 'Share this single-use link.' }).waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('cell', { name: 'anyone with the link' }).waitFor()
  await judgeScreen(reader, 'operators')
  await page.getByRole('link', { name: 'Audit log' }).click()
  await page.getByRole('button', { name: 'Invited an operator' }).first().waitFor()
})
