// ⌘K in a real browser, by keyboard: finds numbers, ids, clients, carriers and actions, and shows no answer of an older text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Request } from 'playwright-core'
import { enPalette } from '../../ui/words/en-palette.ts'
import { inBrowser, judgeScreen, PAINTED } from '../harness/browser.ts'
import { makeClient, makeWorkspace } from '../harness/client.ts'
import { sitDown } from '../harness/readers.ts'
import { ownService } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const service = await ownService()
const workspaceId = await makeWorkspace(service, { name: 'Himal Bank' })
const client = await makeClient(service, { workspaceId, name: 'Web shop' })
await makeClient(service, { workspaceId, name: 'Weather' })
const carrier = { name: 'Ncell main', host: '127.0.0.1', port: 2775, systemId: 'x', password: 'y' }
const { id: carrierId } = (await service.manage('POST', '/carriers', carrier)).body
const { messageId } = (await client.send({ to: '9841234567' })).body
const at = `/console/w/${workspaceId}`

/** Opens ⌘K, types, waits for the selected option and presses Enter. */
async function find(page: Page, typed: string, option: RegExp | string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+k')
  const field = page.getByRole('combobox', { name: 'Search or jump to…' })
  await field.waitFor()
  await page.keyboard.type(typed)
  const chosen = page.getByRole('dialog').getByRole('option', { name: option })
  await chosen.waitFor()
  for (let steps = 0; (await chosen.getAttribute('aria-selected')) !== 'true'; steps++) {
    assert.ok(steps < 20, `the arrows do not reach ${option}`)
    await page.keyboard.press('ArrowDown')
  }
  assert.equal(await field.getAttribute('aria-activedescendant'), await chosen.getAttribute('id'))
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Search or jump to…' }).waitFor({ state: 'detached' })
}

test('an operator finds a number, an id, a client, a carrier and an action by keyboard', inBrowser, async () => {
  const reader = await sitDown(service)
  const { page } = reader
  await page.goto(`${at}/messages`)
  await page.getByText('+97798••••567').first().waitFor()
  await find(page, '984 123 4567', /\+97798••••567 Queued/)
  await page.waitForURL(`**${at}/messages/${messageId}`)
  await find(page, messageId, /\+97798••••567/)
  await page.waitForURL(`**${at}/messages/${messageId}`)
  await find(page, 'shop', /Web shop/)
  await page.waitForURL(`**${at}/clients/${client.id}`)
  await find(page, 'ncell', /Ncell main/)
  await page.waitForURL(`**/console/carriers/${carrierId}`)
  await find(page, 'himal', /Himal Bank/)
  await page.waitForURL(new RegExp(at))
  await find(page, 'send', 'Send message')
  await page.waitForURL(/make=message/)
  await page.getByRole('dialog', { name: 'Send message' }).waitFor()
  await page.keyboard.press('Escape')
  await find(page, 'dark', 'Theme: Dark')
  assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark')
  await find(page, 'light', 'Theme: Light')
  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type('9841234567')
  await page.getByRole('group', { name: 'Messages to 9841234567' }).waitFor()
  await page.getByRole('option', { name: 'Send a message to 9841234567' }).waitFor()
  await judgeScreen(reader, 'palette')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await find(page, 'add credit', 'Add credit (top up)')
  await page.getByRole('dialog', { name: 'Top up' }).waitFor()
  await page.context().close()
})

test('the late answer for an older text never replaces the answer for a newer one', inBrowser, async () => {
  const { page } = await sitDown(service, { workspaceId, role: 'developer' })
  const { promise: isNewerShown, resolve: showNewer } = Promise.withResolvers<void>()
  await page.route(/\/search\?q=we$/, async (route) => {
    await isNewerShown
    // The page may have cancelled the request.
    await route.continue().catch(() => {})
  })
  await page.goto(`${at}/messages`)
  await page.getByText('+97798••••567').first().waitFor()
  await page.keyboard.press('ControlOrMeta+k')
  const field = page.getByRole('combobox', { name: 'Search or jump to…' })
  await field.waitFor()
  const isOlder = (request: Request) => request.url().endsWith('/search?q=we')
  const asked = page.waitForRequest(isOlder)
  const ended = Promise.race([
    page.waitForEvent('requestfinished', isOlder),
    page.waitForEvent('requestfailed', isOlder),
  ])
  await page.keyboard.insertText('we')
  await asked
  await page.keyboard.insertText('b s')
  await page.getByRole('dialog').getByRole('option', { name: 'Web shop' }).waitFor()
  showNewer()
  await ended
  await page.evaluate(PAINTED)
  assert.equal(await page.getByRole('dialog').getByRole('option', { name: 'Web shop' }).count(), 1)
  assert.equal(await page.getByRole('dialog').getByRole('option', { name: 'Weather' }).count(), 0)
  // A member finds no carriers.
  const answered = page.waitForResponse(/\/search\?q=ncell$/)
  await field.fill('ncell')
  await answered
  await page.getByRole('option', { name: 'Search all messages for “ncell”' }).waitFor()
  assert.equal(await page.getByRole('option', { name: 'Ncell main' }).count(), 0)
  await page.context().close()
})

test('keys typed while the results are loading are not lost', inBrowser, async () => {
  const { page } = await sitDown(service)
  const release = Promise.withResolvers<void>()
  const held: string[] = []
  await page.route('**/console/assets/*.js', async (route) => {
    const response = await route.fetch()
    if ((await response.text()).includes(enPalette.palette.what)) {
      held.push(route.request().url())
      await release.promise
    }
    await route.fulfill({ response })
  })
  await page.goto('/console/carriers')
  await page.getByRole('row', { name: /Ncell main/ }).waitFor()
  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type('workspaces')
  await page.keyboard.press('Enter')
  assert.equal(await page.getByRole('combobox', { name: 'Search or jump to…' }).inputValue(), 'workspaces')
  await until(() => held.length > 0)
  release.resolve()
  await page.waitForURL(/\/console\/workspaces$/)
  await page.context().close()
})
