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
    await page.getByRole('heading', { name: 'Messages' }).waitFor()
    assert.ok(page.url().endsWith(place))
    await browser.ask('DELETE', '/sessions')
    // The end of the event stream shows the form, too, and may be faster than the click.
    const form = page.getByLabel('E-mail address')
    await Promise.any([page.getByRole('button', { name: 'failed' }).click(), form.waitFor()])
    await form.waitFor()
  },
)
