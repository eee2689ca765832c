// Replies in a real browser: of a workspace, and the operator's assignment of replies without a client (D18).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser, judgeScreen } from '../harness/browser.ts'
import { makeClient, makeWorkspace } from '../harness/client.ts'
import { sitDown } from '../harness/readers.ts'
import { ownService } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,simulator' } })
const { manage } = service
const workspaceId = await makeWorkspace(service, { name: 'Gorkha Bank' })
const client = await makeClient(service, { workspaceId, name: 'Web shop' })
const path = `/workspaces/${workspaceId}/inbound`

const reply = async (from: string, text: string) => {
  const { status, body } = await manage('POST', '/simulator/messages', { from, to: 'Himal', text })
  assert.ok(status < 300, JSON.stringify(body))
  await service.settle()
}

test('Replies: lists replies with the answered message, and filters by number, by keyboard', inBrowser, async () => {
  const sent = await client.send({ to: '9841000001', senderId: 'Himal' })
  await client.send({ to: '9841000101', senderId: 'Himal' })
  await service.settle()
  await service.advance(3)
  await reply('+9779841000001', 'Yes please')
  await reply('+9779841000101', 'STOP')
  await until(async () => (await manage('GET', path)).body.items.length === 2)
  const reader = await sitDown(service, { workspaceId })
  const { page } = reader
  await page.goto(`/console/w/${workspaceId}/start`)
  await page.locator('#menu').getByRole('link', { name: 'Replies' }).press('Enter')
  const table = page.getByRole('table', { name: 'Replies' })
  await table.getByText('STOP').waitFor()
  await table.getByText('+97798••••001').waitFor()
  await table.getByText('Web shop').first().waitFor()
  await judgeScreen(reader, 'replies')
  await page.keyboard.press('/')
  await page.keyboard.type('0001')
  await page.waitForURL(/number=0001/)
  await table.getByText('STOP').waitFor({ state: 'detached' })
  await page.locator('h1').click()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.waitForURL(/open=[0-9a-f-]{36}/)
  await table.getByText('Reply ID').waitFor()
  await judgeScreen(reader, 'replies-open')
  await table.getByRole('link', { name: 'Open message' }).press('Enter')
  await page.waitForURL(new RegExp(`/messages/${sent.body.messageId}$`))
  await page.goto(`/console/w/${workspaceId}/replies?number=9999`)
  await page.getByText('No replies match your filters.').waitFor()
})

test('Unassigned replies: the operator assigns a reply to a client once, by keyboard (D18)', inBrowser, async () => {
  await reply('+9779841000009', 'Whose is it?')
  await until(async () => (await manage('GET', '/inbound?unattributed=true')).body.items.length === 1)
  const reader = await sitDown(service)
  const { page } = reader
  await page.goto('/console/now')
  await page.locator('#menu').getByRole('link', { name: 'Unassigned replies' }).press('Enter')
  await page.getByRole('row', { name: /Whose is it/ }).waitFor()
  await judgeScreen(reader, 'unassigned-replies')
  await page.getByRole('button', { name: 'Assign' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Assign reply' })
  await page.keyboard.type('gorkha')
  await page.keyboard.press('Enter')
  await dialog.locator('[aria-invalid=true]').waitFor()
  await judgeScreen(reader, 'assign-reply')
  await dialog.getByLabel('Workspace', { exact: true }).selectOption({ label: 'Gorkha Bank' })
  await dialog.getByLabel('Client').selectOption({ label: 'Web shop' })
  await dialog.getByRole('button', { name: 'Assign' }).press('Enter')
  await page.getByText('Assigned to Web shop.').waitFor()
  await page.getByText('All replies are assigned.').waitFor()
  const [given] = (await manage('GET', path)).body.items
  assert.deepEqual([given.text, given.clientId], ['Whose is it?', client.id])
  const [entry] = (await manage('GET', `/workspaces/${workspaceId}/audit-log?limit=1`)).body.items
  assert.deepEqual([entry.action, entry.subject], ['reply.attributed', given.id])
})
