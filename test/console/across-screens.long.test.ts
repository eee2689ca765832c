// Navigation between screens in a real browser: data of one screen does not break the next.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser } from '../harness/browser.ts'
import { makeClient, makeWorkspace } from '../harness/client.ts'
import { PASSWORD } from '../harness/people.ts'
import { sitDown } from '../harness/readers.ts'
import { ownService } from '../harness/service.ts'

const FRESH_SECONDS = 600
const service = await ownService({ env: { HULAKI_ROLES: 'api' } })

test('a screen with client names opens after any other screen with client names', inBrowser, async () => {
  const workspaceId = await makeWorkspace(service)
  await makeClient(service, { workspaceId, name: 'Himal app' })
  const { page, complaints } = await sitDown(service, { workspaceId })
  await page.goto(`/console/w/${workspaceId}/requests`)
  const screens = ['Get started', 'Messages', 'Webhooks', 'Usage & billing', 'Messages', 'Get started', 'Verify']
  for (const screen of screens) {
    await page
      .locator('option', { hasText: 'Himal app' })
      .or(page.getByText('Himal app'))
      .first()
      .waitFor({ state: 'attached' })
    await page
      .getByRole('navigation')
      .getByRole('link', { name: new RegExp(`^${screen}`) })
      .click()
    await page.getByRole('heading', { level: 1, name: screen }).waitFor()
  }
  assert.deepEqual(complaints, [])
})

test('shows nothing of the previous message while the next one loads', inBrowser, async () => {
  const client = await makeClient(service)
  const [first, second] = [await client.send({ text: 'The first' }), await client.send({ text: 'The second' })]
  const { page } = await sitDown(service, { workspaceId: client.workspaceId })
  const at = (messageId: string) => `/console/w/${client.workspaceId}/messages/${messageId}`
  const { promise: isAsked, resolve: ask } = Promise.withResolvers<void>()
  const { promise: isResendAllowed, resolve: letGo } = Promise.withResolvers<void>()
  await page.route(`**/messages/${second.body.messageId}/timeline`, async (route) => {
    ask()
    await isResendAllowed
    await route.continue()
  })
  await page.goto(at(first.body.messageId))
  await page.getByText('The first').waitFor()
  await page.evaluate(`history.pushState(null, '', '${at(second.body.messageId)}')`)
  await isAsked
  await page.getByLabel('Parent pages').getByText(second.body.messageId.slice(-12)).waitFor()
  assert.equal(await page.getByText('The first').count(), 0)
  letGo()
  await page.getByText('The second').waitFor()
})

test('D25: a top-up interrupted by a sign-in keeps its idempotency key', inBrowser, async () => {
  const workspaceId = await makeWorkspace(service)
  const { page } = await sitDown(service)
  await page.goto(`/console/w/${workspaceId}/usage?tab=ledger`)
  await page.getByRole('button', { name: 'Top up' }).click()
  await page.getByLabel('Amount (NPR)').fill('250')
  await service.advance(FRESH_SECONDS + 1)
  const keys: (string | undefined)[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/credits')) keys.push(request.headers()['idempotency-key'])
  })
  await page.getByRole('button', { name: 'Add NPR 250.00' }).click()
  await page.getByLabel('Password').fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.getByRole('row', { name: /Top-up 250\.00/ }).waitFor()
  assert.equal(keys.length, 2)
  assert.equal(keys[0], keys[1])
})
