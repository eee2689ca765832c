// Sends a message from the console in a real browser, by keyboard alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { inBrowser, judgeScreen } from '../harness/browser.ts'
import { approveTemplate, makeClient, makeWorkspace } from '../harness/client.ts'
import { sitDown } from '../harness/readers.ts'
import { ownService } from '../harness/service.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,upkeep,simulator' } })
const balanceOf = async (workspaceId: string) =>
  (await service.manage('GET', `/workspaces/${workspaceId}`)).body.balance
const focusedName = (page: Page) => page.evaluate<string>("document.activeElement?.labels?.[0]?.textContent ?? ''")

async function tabTo(page: Page, label: string): Promise<void> {
  for (let tabs = 0; tabs < 12; tabs++) {
    if ((await focusedName(page)) === label) return
    await page.keyboard.press('Tab')
  }
  assert.fail(`Tab does not reach ${label}`)
}

test(
  'a developer sends free text by keyboard: the number and the cost are checked as typed, errors are at their fields, and the message opens',
  inBrowser,
  async () => {
    const { workspaceId } = await makeClient(service, { name: 'Web shop' })
    await approveTemplate(service, workspaceId, { name: 'Order', text: 'Order {{number}} is on its way' })
    const reader = await sitDown(service, { workspaceId, role: 'developer' })
    const { page } = reader
    await page.goto(`/console/w/${workspaceId}/messages`)
    await page.getByRole('button', { name: 'Send message' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Send message' })
    await dialog.getByLabel('Client').waitFor()
    assert.equal(await focusedName(page), 'Client')
    await tabTo(page, 'Phone number')
    await page.keyboard.type('01-4200000')
    // The empty text is the first missing value, the landline the first wrong one.
    await page.keyboard.press('Enter')
    await dialog.getByText('Not a mobile number. Check the digits.').waitFor()
    await dialog.getByText('Enter a value.').waitFor()
    await judgeScreen(reader, 'send-message-errors')
    await dialog.getByLabel('Phone number').focus()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('984 123 4501')
    await dialog.getByText('+9779841234501 · Nepal').waitFor()
    await tabTo(page, 'Text')
    await page.keyboard.type('x'.repeat(161))
    await dialog.getByText('GSM-7 · 2 segments · NPR 3.00 · Balance: NPR 1,000.00').waitFor()
    await judgeScreen(reader, 'send-message')
    await tabTo(page, 'Type')
    // Twice: the second press must not send a second message.
    await dialog.getByRole('button', { name: 'Send message' }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/messages\/[\da-f-]{36}$/)
    await page.getByText('+97798••••501').first().waitFor()
    assert.equal(await balanceOf(workspaceId), 997)
    await page.goBack()
    await page.waitForURL(/\/(messages|start)(\?.*)?$|about:blank/)
    await page.context().close()
  },
)

test('a lost answer does not send twice: the repeated request gets the first message', inBrowser, async () => {
  const workspaceId = await makeWorkspace(service, { templatesRequired: true })
  await makeClient(service, { workspaceId })
  const { page } = await sitDown(service, { workspaceId, role: 'owner' })
  let lost = 0
  await page.route('**/api/manage/v1/clients/*/messages', async (route) => {
    if (lost++ > 0) return route.continue()
    await route.fetch()
    return route.abort()
  })
  await page.goto(`/console/w/${workspaceId}/messages?make=message`)
  const dialog = page.getByRole('dialog', { name: 'Send message' })
  await dialog.getByText('none is approved yet').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await approveTemplate(service, workspaceId, { name: 'Order', text: 'Order {{number}} is on its way' })
  await page.goto(`/console/w/${workspaceId}/messages?make=message`)
  await dialog.getByLabel('Client').waitFor()
  await tabTo(page, 'Phone number')
  await page.keyboard.type('9841234501')
  await tabTo(page, 'Template')
  await page.keyboard.type('Order')
  await tabTo(page, 'number')
  await page.keyboard.type('4711')
  await dialog.getByText('Order 4711 is on its way').waitFor()
  await page.keyboard.press('Enter')
  await dialog.getByText('The server does not respond.').waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/messages\/[\da-f-]{36}$/)
  assert.equal(await balanceOf(workspaceId), 998.5)
  assert.equal(lost, 2)
  await page.context().close()
})

test('without credit the dialog says so before and after the send, and a viewer has no button', inBrowser, async () => {
  const workspaceId = await makeWorkspace(service, { monthlyCredit: 1 })
  await makeClient(service, { workspaceId })
  const { page } = await sitDown(service, { workspaceId, role: 'owner' })
  await page.goto(`/console/w/${workspaceId}/start`)
  await page.getByRole('link', { name: 'Send message' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Send message' })
  await dialog.getByLabel('Phone number').fill('9841234501')
  await dialog.getByLabel('Text', { exact: true }).fill('Namaste')
  await dialog.getByText('NPR 1.50').waitFor()
  await dialog.getByText('The balance is lower than the cost. Add credit first.').waitFor()
  await dialog.getByRole('button', { name: 'Send message' }).press('Enter')
  await dialog.getByRole('alert').getByText('insufficient_balance').waitFor()
  await page.context().close()
  const viewer = await sitDown(service, { workspaceId, role: 'viewer' })
  await viewer.page.goto(`/console/w/${workspaceId}/messages?make=message`)
  await viewer.page.getByText('No messages yet').waitFor()
  assert.equal(await viewer.page.getByRole('button', { name: 'Send message' }).count(), 0)
  assert.equal(await viewer.page.getByRole('dialog').count(), 0)
  await viewer.page.context().close()
})
