// D70 in a real browser: a new e-mail address, the page that its link opens, and the operator who changes an address.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser, judgeScreen, openReader, type Reader } from '../harness/browser.ts'
import { makeWorkspace } from '../harness/client.ts'
import { startMailServer } from '../harness/mail-server.ts'
import { Browser, makePerson, PASSWORD } from '../harness/people.ts'
import { ownService, systemClock } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const mail = await startMailServer()
const service = await ownService({
  env: {
    HULAKI_ROLES: 'api',
    HULAKI_SMTP_URL: mail.url,
    HULAKI_MAIL_FROM: 'Hulaki <hulaki@example.com>',
    HULAKI_PUBLIC_URL: 'https://sms.example.com',
  },
  clock: systemClock(),
})
const withoutMail = await ownService({ beside: service, env: { HULAKI_ROLES: 'api' } })
const workspaceId = await makeWorkspace(service)
const ACCOUNT = `/console/w/${workspaceId}/account`

async function sitAs(email: string, { url } = service, language = 'en'): Promise<Reader> {
  const reader = await openReader({ baseURL: url })
  await reader.page.context().addCookies([{ name: 'hulaki-language', value: language, url }])
  await reader.page.goto('/console')
  await signIn(reader, email)
  await reader.page.getByRole('navigation').first().waitFor()
  return reader
}

async function signIn({ page }: Reader, email: string): Promise<void> {
  await page.locator('input[name=email]').fill(email)
  await page.locator('input[name=password]').fill(PASSWORD)
  await page.keyboard.press('Enter')
}

/** The path of the link in the mail to an address. */
function linkTo(email: string): string {
  const letter = mail.received.findLast(({ to }) => to.includes(email))?.text ?? ''
  const secret = /#(hulaki_link_\w+)/.exec(letter.replaceAll('=\n', ''))?.[1]
  assert.ok(secret, letter)
  return `/console/welcome#${secret}`
}

async function askForAddress({ page }: Reader, email: string): Promise<void> {
  await page.goto(ACCOUNT)
  await page.getByLabel('E-mail address').fill(email)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText(`We sent a link to \u2068${email}\u2069.`).waitFor()
}

test('an address changes when its link is opened, after a recent sign-in', inBrowser, async () => {
  const person = await makePerson(withoutMail, { workspaceId })
  const other = await makePerson(withoutMail, { workspaceId })
  const reader = await sitAs(person.email)
  const { page } = reader
  await askForAddress(reader, other.email)
  await askForAddress(reader, 'asha.rai@example.com')
  // The note appears with the new data of the account, the old address right after it.
  await until(async () => (await page.getByLabel('E-mail address').inputValue()) === person.email)
  await page.reload()
  await page.getByText('We sent a link to').waitFor()
  await judgeScreen(reader, 'account-link-sent')
  await service.db.query({
    text: `update session set created_at = created_at - $1::interval, signed_in_at = signed_in_at - $1::interval`,
    values: ['11 minutes'],
    name: undefined,
  })
  await page.goto(linkTo('asha.rai@example.com'))
  await page.getByRole('button', { name: 'Use this address' }).waitFor()
  assert.ok(!page.url().includes('hulaki_link_'))
  await judgeScreen(reader, 'new-address')
  await page.getByRole('button', { name: 'Use this address' }).click()
  await page.getByRole('heading', { name: 'Confirm your identity' }).waitFor()
  await page.getByLabel('Password').fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Your e-mail address was changed' }).waitFor()
  await judgeScreen(reader, 'new-address-used')
  await page.goto(ACCOUNT)
  await page.getByLabel('E-mail address').waitFor()
  assert.equal(await page.getByLabel('E-mail address').inputValue(), 'asha.rai@example.com')
  assert.equal(await page.getByText('We sent a link to').count(), 0)
  await until(() => mail.received.some(({ to }) => to.includes(person.email)))
  await page.goto(linkTo('asha.rai@example.com'))
  await page.getByText('The link was used').waitFor()
})

test('a signed-out person signs in before the link changes the address', inBrowser, async () => {
  const person = await makePerson(withoutMail, { workspaceId })
  const stranger = await makePerson(withoutMail, { workspaceId })
  const asked = new Browser(service)
  await asked.signIn(person.email)
  assert.equal((await asked.ask('PATCH', '/account', { email: 'bina@example.com' })).status, 200)
  const reader = await openReader({ baseURL: service.url })
  const { page } = reader
  await page.goto(linkTo('bina@example.com'))
  await page.getByText('Sign in to the account with its current address.').waitFor()
  await judgeScreen(reader, 'new-address-sign-in')
  await signIn(reader, stranger.email)
  await page.getByText(`You are signed in as ${stranger.email}`).waitFor()
  await judgeScreen(reader, 'new-address-other-account')
  await signIn(reader, person.email)
  await page.getByRole('button', { name: 'Use this address' }).click()
  await page.getByRole('heading', { name: 'Your e-mail address was changed' }).waitFor()
  assert.equal((await asked.ask('GET', '/account')).body.email, 'bina@example.com')
})

test('without mail only an operator changes an address, and the account page says so', inBrowser, async () => {
  const person = await makePerson(withoutMail, { workspaceId, role: 'viewer' })
  const operator = await makePerson(withoutMail)
  const own = await sitAs(person.email, withoutMail)
  await own.page.goto(ACCOUNT)
  await own.page.getByText('Ask an operator to change it.').waitFor()
  assert.equal(await own.page.getByLabel('E-mail address').isEditable(), false)
  await judgeScreen(own, 'account-without-mail')
  const reader = await sitAs(operator.email, withoutMail)
  const { page } = reader
  await page.goto(`/console/w/${workspaceId}/team`)
  await page.getByRole('row', { name: person.email }).getByRole('button', { name: 'Change e-mail' }).click()
  const field = page.getByRole('textbox', { name: 'E-mail address' })
  await field.fill(operator.email)
  await page.keyboard.press('Enter')
  await page.getByText('This e-mail address is already in use').waitFor()
  await judgeScreen(reader, 'change-email')
  await field.fill('chandra@example.com')
  await page.keyboard.press('Enter')
  await page.getByRole('cell', { name: 'chandra@example.com' }).waitFor()
  await judgeScreen(reader, 'team-of-operator')
  assert.equal((await person.browser.ask('GET', '/account')).body.email, 'chandra@example.com')
})

test('the pages of an address change are translated to Nepali, and fit', inBrowser, async () => {
  const person = await makePerson(withoutMail, { workspaceId })
  const reader = await sitAs(person.email, service, 'ne')
  const { page } = reader
  await page.goto(ACCOUNT)
  await page.getByLabel('इमेल ठेगाना').fill('devi@example.com')
  await page.getByRole('button', { name: 'सुरक्षित गर्नुहोस्' }).click()
  await page.getByText('मा लिङ्क पठायौं').waitFor()
  await page.reload()
  await page.getByText('मा लिङ्क पठायौं').waitFor()
  await judgeScreen(reader, 'account-link-sent-ne')
  await page.goto(linkTo('devi@example.com'))
  await page.getByRole('button', { name: 'यो ठेगाना प्रयोग गर्नुहोस्' }).waitFor()
  await judgeScreen(reader, 'new-address-ne')
  await page.getByRole('button', { name: 'यो ठेगाना प्रयोग गर्नुहोस्' }).click()
  await page.getByRole('heading', { name: 'तपाईंको इमेल ठेगाना बदलियो' }).waitFor()
})
