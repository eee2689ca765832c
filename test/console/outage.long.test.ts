// Three in the morning: the only carrier is dead, the queue fills, and a receiver fails. Overview states the impact and the next step.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser, judgeScreen } from '../harness/browser.ts'
import { makeClient, makeWorkspace } from '../harness/client.ts'
import { sitDown } from '../harness/readers.ts'
import { addCarrier, addRoute } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'

test('Overview shows who cannot be reached, what waits, and the button to press, by keyboard', inBrowser, async () => {
  const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,upkeep' } })
  const smsc = await startSmsc()
  await addRoute(service, await addCarrier(service, smsc.port, { name: 'NTC SMPP' }))
  const workspaceId = await makeWorkspace(service, { name: 'Himal Bank' })
  const client = await makeClient(service, { workspaceId })
  await client.send({ to: '9841000001' })
  await service.settle()
  await smsc.close()
  await service.advance(60)
  for (let index = 10; index < 22; index++) await client.send({ to: `98410000${index}` })
  assert.equal((await client.otp({ to: '9841000001' })).status, 503)
  await service.advance(600)

  const reader = await sitDown(service)
  const { page } = reader
  await page.goto('/console/now')
  const incident = page.getByRole('article').filter({ hasText: 'Nepal cannot be reached' })
  await incident.getByText('Carrier NTC SMPP is not connected').waitFor()
  await incident.getByRole('definition').filter({ hasText: '12' }).first().waitFor()
  await incident.getByText('unavailable since').waitFor()
  await incident.getByRole('link', { name: 'Himal Bank' }).waitFor()
  await page
    .locator('#menu')
    .getByRole('link', { name: /Overview 1/ })
    .waitFor()
  await judgeScreen(reader, 'outage')
  const step = incident.getByRole('complementary', { name: 'Next step' }).getByRole('link').first()
  assert.equal(await step.innerText(), 'Test carrier')
  await step.focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/carriers\/[0-9a-f-]{36}/)
  await page.getByRole('button', { name: 'Test carrier' }).waitFor()

  // Another carrier is connected: the next step opens its route, filled in, and Enter ends the outage.
  const other = await startSmsc()
  const otherId = await addCarrier(service, other.port, { name: 'Ncell SMPP' })
  await service.manage('PUT', `/carriers/${otherId}/prices`, {
    currency: 'NPR',
    prices: [{ prefix: '+977', price: 0.4 }],
  })
  await service.settle()
  await page.goto('/console/now')
  const toOther = incident.getByRole('link', { name: 'Route to Ncell SMPP' })
  await toOther.focus()
  await page.keyboard.press('Enter')
  const form = page.getByRole('dialog', { name: 'Add route' })
  assert.equal(await form.getByLabel('Country').inputValue(), 'NP')
  assert.equal(await form.getByLabel('Carrier').locator('option:checked').innerText(), 'Ncell SMPP')
  await form.getByLabel('Priority').focus()
  await page.keyboard.press('Enter')
  await form.waitFor({ state: 'hidden' })
  await service.settle()
  await page.goto('/console/now')
  await page.getByText('Nepal is reached by Ncell SMPP').waitFor()
})

test('each step of a new service opens the form that it names', inBrowser, async () => {
  const service = await ownService({ env: { HULAKI_ROLES: 'api,upkeep' } })
  await service.manage('PUT', '/countries/NP', { name: 'Nepal', state: 'off' })
  const { page } = await sitDown(service)
  await page.goto('/console/now')
  await page.getByRole('link', { name: 'Add a country' }).click()
  const form = page.getByRole('dialog', { name: 'Add country' })
  await form.getByLabel('Country code').fill('in')
  await form.getByLabel('Name').fill('India')
  await form.getByLabel('Time zone').fill('Asia/Kolkata')
  await form.getByRole('button', { name: 'Add country' }).click()
  await form.waitFor({ state: 'hidden' })
  await page.getByRole('table', { name: 'Countries' }).getByRole('link', { name: 'IN' }).waitFor()
  await page.goto('/console/now')
  await page.getByRole('complementary', { name: 'Next step' }).getByRole('link', { name: 'Add carrier' }).click()
  await page.getByText('Choose a provider').first().waitFor()
  await addCarrier(service, 9)
  await page.goto('/console/now')
  await page.getByRole('link', { name: 'Add a route' }).first().click()
  const route = page.getByRole('dialog', { name: 'Add route' })
  assert.equal(await route.getByLabel('Country').inputValue(), 'IN')
  await page.goto('/console/workspaces?new=1')
  await page.getByRole('dialog', { name: 'New workspace' }).waitFor()
})
