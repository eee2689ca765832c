// Messages, Verify and Webhooks over all workspaces in a real browser: each list is filtered by workspace by keyboard, and a row is opened.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { inBrowser, judgeScreen } from '../harness/browser.ts'
import { makeClient, makeWorkspace } from '../harness/client.ts'
import { sitDown } from '../harness/readers.ts'
import { ownService } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const HOSTILE = `<img src=x onerror=alert(1)>\u202e${'x'.repeat(60)}`
const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,simulator' } })
const { manage } = service
const himal = await makeWorkspace(service, { name: 'Himal Bank' })
const hostile = await makeWorkspace(service, { name: HOSTILE })
// More workspaces than the filter lists without a search.
for (let number = 0; number < 25; number += 1) await makeWorkspace(service, { name: `Shop ${number}` })
const webhookUrl = 'https://hooks.example.com/'
const ours = await makeClient(service, { workspaceId: himal, name: 'Himal app', webhookUrl })
const theirs = await makeClient(service, { workspaceId: hostile, name: 'Other app', webhookUrl })
const { messageId } = (await ours.send({ to: '+9779800000001', text: 'From Himal' })).body
await theirs.send({ to: '+9779800000001', text: 'From the other' })
for (const client of [ours, theirs]) {
  await client.otp({ to: '+9779800000001' })
  await manage('POST', `/clients/${client.id}/test-event`)
}
await service.advance(3)

/** With the keyboard only. */
async function chooseWorkspace(page: Page, typed: string): Promise<void> {
  await page.getByRole('button', { name: 'Workspace', exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.locator('[role=combobox]:focus').waitFor()
  await page.getByRole('option', { name: 'All workspaces' }).waitFor()
  await page.keyboard.type(typed)
  await page.getByRole('option', { name: 'Himal Bank' }).waitFor()
  await page.getByRole('option', { name: 'Shop 24' }).waitFor({ state: 'detached' })
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(new RegExp(`workspace=${himal}`))
}

test(
  'Messages: lists all workspaces live, filters by one by keyboard, and opens a message there',
  inBrowser,
  async () => {
    const reader = await sitDown(service)
    const { page } = reader
    await page.goto('/console/now')
    await page.getByRole('link', { name: 'Messages' }).click()
    await page.getByRole('row', { name: /Himal Bank .*From Himal/ }).waitFor()
    await page.getByRole('row', { name: /From the other/ }).waitFor()
    assert.equal(await page.locator('img').count(), 0)
    await judgeScreen(reader, 'service-messages')
    await page.getByText('Live', { exact: true }).waitFor()
    await ours.send({ to: '+9779800000001', text: 'A new one' })
    await page.getByRole('button', { name: '1 new message' }).click()
    await page.getByRole('row', { name: /Himal Bank .*A new one/ }).waitFor()
    await page.getByRole('button', { name: 'Workspace', exact: true }).click()
    await page.getByRole('option', { name: 'Shop 24' }).waitFor()
    await judgeScreen(reader, 'service-messages-workspace')
    await page.keyboard.press('Escape')
    await chooseWorkspace(page, 'himal')
    await page.getByRole('row', { name: /From the other/ }).waitFor({ state: 'detached' })
    await page.locator('h1').click()
    await page.keyboard.press('j')
    await page.locator('a[data-row]:focus').waitFor()
    for (let row = 0; row < 2; row += 1) await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/console/w/${himal}/messages/${messageId}`)
    await page.getByText('From Himal').first().waitFor()
    await page.context().close()
  },
)

test('Verify: shows the OTPs of each workspace, of one by keyboard, and opens its screen', inBrowser, async () => {
  const reader = await sitDown(service)
  const { page } = reader
  await page.goto('/console/codes')
  const table = page.getByRole('region', { name: 'By workspace' })
  await table.getByRole('row', { name: /Himal Bank 1 / }).waitFor()
  assert.equal(await table.getByRole('row').count(), 3)
  await judgeScreen(reader, 'service-codes')
  await page.getByRole('link', { name: 'By prefix' }).click()
  await page.getByRole('row', { name: /\+977980 2 / }).waitFor()
  await page.getByRole('link', { name: 'Fraud guard' }).click()
  await page.getByText('No suspicious traffic in the last 30 days.').waitFor()
  await page.goto('/console/codes')
  await page.getByRole('link', { name: 'Himal Bank' }).waitFor()
  await chooseWorkspace(page, 'himal')
  await page.getByRole('row', { name: /\+977980 1 / }).waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('link', { name: 'Himal Bank' }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/console/w/${himal}/codes`)
  await page.context().close()
})

test(
  'Webhooks: lists endpoints and events of all workspaces, filters by keyboard, and opens an event',
  inBrowser,
  async () => {
    const reader = await sitDown(service)
    const { page } = reader
    await page.goto('/console/webhooks')
    await page.getByRole('listitem').filter({ hasText: 'Other app' }).waitFor()
    await page
      .getByRole('row', { name: /Himal Bank Himal app/ })
      .first()
      .waitFor()
    assert.equal(await page.locator('img').count(), 0)
    await judgeScreen(reader, 'service-webhooks')
    await chooseWorkspace(page, 'himal')
    await page.getByRole('listitem').filter({ hasText: 'Other app' }).waitFor({ state: 'detached' })
    await page
      .getByRole('row', { name: /Himal Bank Himal app/ })
      .first()
      .waitFor()
    assert.equal(await page.getByRole('row', { name: /Other app/ }).count(), 0)
    await page.locator('h1').click()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Open event' }).click()
    await page.waitForURL(new RegExp(`/console/w/${himal}/webhooks/[0-9a-f-]{36}$`))
    await page.context().close()
  },
)

test('Overview: a row of the queue opens the messages that it counts', inBrowser, async () => {
  // Rejected temporarily at each attempt, so that it waits.
  await ours.send({ to: '9841234504', text: 'This one waits' })
  await service.advance(1)
  const { page } = await sitDown(service)
  await page.goto('/console/now')
  const queue = page.getByRole('region', { name: 'Queue' })
  await queue.getByRole('link', { name: 'Transactional' }).click()
  await page.waitForURL(/\/console\/messages\?status=queued&type=transactional$/)
  await page.getByRole('row', { name: /Himal Bank .*Queued.*This one waits/ }).waitFor()
  assert.equal(await page.getByRole('region', { name: 'Messages' }).getByRole('row').count(), 2)
  await page.context().close()
})

test('Messages: a carrier and a country filter the list, and the chart shows up to 90 days', inBrowser, async () => {
  const reader = await sitDown(service)
  const { page } = reader
  await page.goto('/console/messages')
  const rows = page.getByRole('region', { name: 'Messages' }).getByRole('row')
  await page.getByRole('row', { name: /From the other/ }).waitFor()
  const all = await rows.count()
  await page.getByRole('combobox', { name: 'Carrier' }).selectOption({ index: 1 })
  await page.waitForURL(/\/console\/messages\?carrier=[0-9a-f-]{36}$/)
  await page.getByRole('button', { name: 'Remove filter: Carrier' }).waitFor()
  await page.getByRole('row', { name: /From the other/ }).waitFor()
  await page.getByRole('combobox', { name: 'Country' }).selectOption('NP')
  await page.waitForURL(/country=NP/)
  await page.getByRole('button', { name: '90 d' }).click()
  await page.waitForURL(/range=90d/)
  await page.getByText('last 90 days').waitFor()
  await judgeScreen(reader, 'service-messages-network')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.waitForURL(/\/console\/messages\?range=90d$/)
  // The filtered list stays until the other one is loaded.
  await until(async () => (await rows.count()) === all)
  await page.context().close()
})
