// A toast confirms each change, and undoes it where the old values are known; the API drawer shows the request of a page.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { holdTimers, inBrowser, judgeScreen } from '../harness/browser.ts'
import { makeClient } from '../harness/client.ts'
import { sitDown } from '../harness/readers.ts'
import { addCarrier, addRoute } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api' } })
const carrierId = await addCarrier(service, 9)
await addRoute(service, carrierId)
const client = await makeClient(service, { name: 'Web shop' })
const { workspaceId } = client
const { manage } = service

/** No toast closes by itself. */
const keepToasts = (page: Page) => holdTimers(page, { fromMs: 5_000 })

test('undoes the disabling of a client and an edited restriction', inBrowser, async () => {
  const reader = await sitDown(service, { workspaceId, role: 'owner' })
  const { page } = reader
  await keepToasts(page)
  await page.goto(`/console/w/${workspaceId}/clients/${client.id}`)
  const read = async () => (await manage('GET', `/clients/${client.id}`)).body
  const toast = page.getByRole('status').getByRole('listitem')
  await page.getByRole('button', { name: 'Disable client' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('Web shop')
  await page.keyboard.press('Enter')
  await toast.filter({ hasText: 'Client disabled' }).waitFor()
  assert.notEqual((await read()).disabledAt, null)
  await judgeScreen(reader, 'toast')
  await toast.getByRole('button', { name: 'Undo' }).click()
  await toast.filter({ hasText: 'Change undone' }).waitFor()
  await page.getByRole('button', { name: 'Disable client' }).waitFor()
  assert.equal((await read()).disabledAt, null)
  await page.getByLabel('Daily limit').fill('50')
  await page.getByLabel('Restrictions').getByRole('button', { name: 'Save' }).click()
  await toast.filter({ hasText: 'Client updated' }).waitFor()
  assert.equal((await read()).restrictions.dailyCap, 50)
  // The shortcut undoes the latest change.
  await page.locator('h1').click()
  await page.keyboard.press('z')
  await until(async () => (await read()).restrictions.dailyCap === null)
  await until(async () => (await page.getByLabel('Daily limit').inputValue()) === '')
  await toast.first().getByRole('button', { name: 'Close' }).click()
  await page.context().close()
})

test('undoes a pause of sending and an edited route', inBrowser, async () => {
  const { page } = await sitDown(service)
  await keepToasts(page)
  const toast = page.getByRole('status').getByRole('listitem')
  await page.goto('/console/now')
  await page.getByRole('button', { name: 'Pause sending' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('OFF')
  await page.keyboard.press('Enter')
  await toast.filter({ hasText: 'Sending paused' }).getByRole('button', { name: 'Undo' }).click()
  await toast.filter({ hasText: 'Change undone' }).waitFor()
  assert.equal((await manage('GET', '/now')).body.smsEnabled, true)
  const routes = async () => (await manage('GET', '/routes')).body.items
  const [before] = await routes()
  await page.goto(`/console/carriers?route=${before.id}`)
  await page.getByRole('dialog').getByLabel('Priority').fill('7')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await toast.filter({ hasText: 'Route updated' }).waitFor()
  assert.equal((await routes())[0].priority, 7)
  await toast.getByRole('button', { name: 'Undo' }).click()
  await toast.filter({ hasText: 'Change undone' }).waitFor()
  assert.deepEqual(await routes(), [before])
  await page.context().close()
})

test('shows that an undo was rejected, and keeps the error until it is closed', inBrowser, async () => {
  const { page } = await sitDown(service)
  await keepToasts(page)
  await page.goto(`/console/carriers/${carrierId}`)
  const [route] = (await manage('GET', '/routes')).body.items
  await page.goto(`/console/carriers?route=${route.id}`)
  await page.getByRole('dialog').getByLabel('Priority').fill('9')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  const toast = page.getByRole('status').getByRole('listitem')
  await toast.filter({ hasText: 'Route updated' }).waitFor()
  assert.equal((await manage('DELETE', `/routes/${route.id}`)).status, 204)
  await toast.getByRole('button', { name: 'Undo' }).click()
  await toast.filter({ hasText: "Couldn't undo" }).getByRole('button', { name: 'Close' }).click()
  await toast.waitFor({ state: 'detached' })
  await page.context().close()
})

test('the API drawer shows the request of the list with its filters in three languages', inBrowser, async () => {
  const reader = await sitDown(service, { workspaceId })
  const { page } = reader
  await page.goto(`/console/w/${workspaceId}/messages?status=failed`)
  const button = page.getByRole('button', { name: 'API', exact: true })
  await button.focus()
  await page.keyboard.press('Enter')
  const drawer = page.getByRole('dialog', { name: 'API request' })
  await drawer.getByText(`/workspaces/${workspaceId}/messages?status=failed`).waitFor()
  await drawer.getByText('Bearer $HULAKI_TOKEN').waitFor()
  await judgeScreen(reader, 'api-drawer')
  await drawer.getByRole('button', { name: 'TypeScript' }).press('Enter')
  await drawer.getByText('await fetch(').waitFor()
  await drawer.getByRole('button', { name: 'Python' }).press('Enter')
  await drawer.getByText('urllib.request').waitFor()
  assert.equal(await drawer.getByRole('button', { name: 'Copy' }).count(), 1)
  await page.setViewportSize({ width: 390, height: 844 })
  await judgeScreen(reader, 'api-drawer-narrow')
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'detached' })
  assert.equal(await page.locator(':focus').textContent(), 'API', 'the focus returns')
  await page.context().close()
})
