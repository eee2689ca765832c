// Signing in with a real browser: the first link, the password, an invitation, and the confirmation of identity.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inviteFirstOperator } from '../../src/actions/people/invite-people.ts'
import { inBrowser, judgeScreen, openReader } from '../harness/browser.ts'
import { makeWorkspace } from '../harness/client.ts'
import { makePerson, PASSWORD } from '../harness/people.ts'
import { ownService } from '../harness/service.ts'

const service = await ownService()

test(
  'the first sign-in link opens the console with one click, and its secret leaves the address',
  inBrowser,
  async () => {
    const first = await inviteFirstOperator(service.ports)
    const reader = await openReader({ baseURL: service.url })
    const { page } = reader
    await page.goto(`/console/welcome#${first?.secret}`)
    await page.getByRole('button', { name: 'Open console' }).waitFor()
    assert.ok(!page.url().includes('hulaki_link_'))
    await judgeScreen(reader, 'welcome')
    await page.getByRole('button', { name: 'Open console' }).click()
    await page.getByRole('navigation').waitFor()
    assert.equal(await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])'), '[{},{},""]')
    await page.goto(`/console/welcome#${first?.secret}`)
    await page.getByText('The link was used').waitFor()
  },
)

test(
  'signs in by keyboard and continues on the same screen; a signed-out person signs in again',
  inBrowser,
  async () => {
    const workspaceId = await makeWorkspace(service)
    const { email, browser } = await makePerson(service, { workspaceId })
    const reader = await openReader({ baseURL: service.url })
    const { page } = reader
    const place = `/console/w/${workspaceId}/messages?status=failed`
    await page.goto(place)
    await page.getByLabel('E-mail address').waitFor()
    await judgeScreen(reader, 'sign-in')
    await page.getByLabel('E-mail address').focus()
    await page.keyboard.type(email)
    await page.keyboard.press('Tab')
    await page.keyboard.type('not-the-password')
    await page.keyboard.press('Enter')
    await page.getByText('The e-mail address or the password is wrong').waitFor()
    await page.getByLabel('Password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Messages', exact: true }).waitFor()
    assert.ok(page.url().endsWith(place))
    await browser.ask('DELETE', '/sessions')
    // The end of the event stream shows the form, too, and may be faster than the click.
    const form = page.getByLabel('E-mail address')
    await Promise.any([page.getByRole('button', { name: 'Remove filter: Status' }).click(), form.waitFor()])
    await form.waitFor()
  },
)

test(
  'a person without a password sets one when an action needs it, and the action continues with what was typed',
  inBrowser,
  async () => {
    const own = await ownService({ env: { HULAKI_ROLES: 'api' } })
    const workspaceId = await makeWorkspace(own)
    const first = await inviteFirstOperator(own.ports)
    const reader = await openReader({ baseURL: own.url })
    const { page } = reader
    await page.goto(`/console/welcome#${first?.secret}`)
    await page.getByRole('button', { name: 'Open console' }).click()
    await page.getByText('you signed in by a link that works once.').waitFor()
    await own.advance(11 * 60)
    await page.goto(`/console/w/${workspaceId}/clients?make=client`)
    await page.getByLabel('Name', { exact: true }).fill('Web shop')
    await page.getByLabel('Brand', { exact: true }).fill('Daraz')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Set a password to continue' })
    await dialog.getByLabel('New password').and(page.locator(':focus')).waitFor()
    await judgeScreen(reader, 'first-password')
    await page.keyboard.type('short')
    await page.keyboard.press('Enter')
    await dialog.locator('[aria-invalid=true]').waitFor()
    await dialog.getByLabel('New password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    const secrets = page.getByRole('dialog', { name: 'Save your API key' })
    await secrets.getByText('Web shop is ready.').waitFor()
    await secrets.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('heading', { name: 'Web shop' }).waitFor()
    assert.equal(await page.getByText('you signed in by a link that works once.').count(), 0)
    const { items } = (await own.manage('GET', `/workspaces/${workspaceId}/clients`)).body
    assert.deepEqual(
      items.map(({ name, brandName }: { name: string; brandName: string }) => [name, brandName]),
      [['Web shop', 'Daraz']],
    )
    // The new password confirmed the identity: no second question follows.
    await page.getByRole('button', { name: 'Add key' }).click()
    await page.getByRole('dialog', { name: 'New API key' }).waitFor()
  },
)

test('a cancelled first password keeps the form and what was typed', inBrowser, async () => {
  const own = await ownService({ env: { HULAKI_ROLES: 'api' } })
  const workspaceId = await makeWorkspace(own)
  const first = await inviteFirstOperator(own.ports)
  const { page } = await openReader({ baseURL: own.url })
  await page.goto(`/console/welcome#${first?.secret}`)
  await page.getByRole('button', { name: 'Open console' }).click()
  await page.getByRole('navigation').waitFor()
  await own.advance(11 * 60)
  await page.goto(`/console/w/${workspaceId}/clients?make=client`)
  await page.getByLabel('Name', { exact: true }).fill('Web shop')
  await page.getByLabel('Brand', { exact: true }).fill('Daraz')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Set a password to continue' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Create client' }).getByText('Confirm your identity.').waitFor()
  assert.equal(await page.getByLabel('Brand', { exact: true }).inputValue(), 'Daraz')
})
