// The shell in a real browser: shortcuts, languages, themes and errors.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { holdTimers, inBrowser, judgeScreen, openReader, pictureOf } from '../harness/browser.ts'
import { UNTRUSTED_HOST } from '../harness/chromium.ts'
import { makeClient, makeWorkspace } from '../harness/client.ts'
import { PASSWORD } from '../harness/people.ts'
import { chooseStatus, sitDown } from '../harness/readers.ts'
import { ownService } from '../harness/service.ts'

const service = await ownService()
const client = await makeClient(service)
await client.send({ text: 'तपाईंको अर्डर पठाइयो' })
const hasDevanagari = spawnSync('fc-list', [':lang=ne']).stdout?.length > 0
const inNepali = hasDevanagari
  ? inBrowser
  : { skip: 'no font has Devanagari; on Debian: apt-get install fonts-lohit-deva' }
const home = `/console/w/${client.workspaceId}/messages`

test('⌘K opens any screen, ? lists the shortcuts, Escape closes and restores the focus', inBrowser, async () => {
  const { page } = await sitDown(service, { workspaceId: client.workspaceId })
  await page.goto(home)
  await page.getByRole('row', { name: /अर्डर/ }).waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('ControlOrMeta+k')
  const palette = page.getByRole('combobox', { name: 'Search or jump to…' })
  await palette.pressSequentially('mess')
  await page.getByRole('option', { name: 'Messages', selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.waitForURL(`**${home}`)
})

test('the first screen needs at most eight files', inBrowser, async () => {
  for (const [seat, path, shown] of [
    [{ workspaceId: client.workspaceId }, home, 'Messages'],
    [{}, '/console/now', 'Overview'],
  ] as const) {
    const { page } = await sitDown(service, seat)
    // The shell loads more files a second after the screen.
    await holdTimers(page, { fromMs: 1_000 })
    const files: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/console')) files.push(pathname)
    })
    await page.goto(path)
    await page.getByRole('heading', { name: shown, level: 1 }).waitFor()
    assert.ok(files.length >= 5 && files.length <= 8, files.join('\n'))
  }
})

test('a chosen theme applies to the first paint of the next load', inBrowser, async () => {
  const { page } = await sitDown(service, { workspaceId: client.workspaceId })
  await page.goto(home)
  await page.getByRole('button', { name: /Owner/ }).click()
  await page.getByRole('button', { name: 'Dark' }).click()
  const response = await page.reload()
  assert.match((await response?.text()) ?? '', /data-theme="dark"/)
})

test('in Nepali every text is Nepali, and Devanagari is shaped without empty boxes', inNepali, async () => {
  const reader = await sitDown(service, { workspaceId: client.workspaceId })
  const { page } = reader
  await page.goto(home)
  await page.getByRole('button', { name: /Owner/ }).click()
  await page.getByRole('button', { name: 'नेपाली' }).click()
  await page.getByRole('heading', { name: 'सन्देशहरू' }).waitFor()
  await judgeScreen(reader, 'messages-nepali')
  // A conjunct is narrower than its separate letters. Without a font for the script, every character is the same box.
  const widths = await page.evaluate<number[]>(`['क्ष', 'क्‌ष', 'कष'].map((text) => {
    const span = document.createElement('span')
    span.textContent = text
    document.body.append(span)
    return span.getBoundingClientRect().width
  })`)
  const [joined = 0, apart = 0] = widths
  assert.ok(joined > 0 && joined < apart, `shaped ${joined}, apart ${apart}`)
})

test('without JavaScript the page explains what to do', inBrowser, async () => {
  const { page } = await openReader({ baseURL: service.url, javaScriptEnabled: false })
  await page.goto('/console')
  await page.locator('noscript p', { hasText: 'The console needs JavaScript' }).waitFor()
})

test('an unsupported browser shows the missing feature', inBrowser, async () => {
  const { page } = await openReader({ baseURL: service.url })
  await page.addInitScript('delete HTMLElement.prototype.popover')
  await page.goto('/console')
  await page.getByText('This browser does not support popover').waitFor()
})

test('the shell stays while the server is unreachable, and the screen recovers', inBrowser, async () => {
  const reader = await sitDown(service, { workspaceId: client.workspaceId })
  const { page } = reader
  let isAway = false
  await page.route('**/api/**', (route) => (isAway ? route.abort() : route.continue()))
  await page.goto(home)
  const row = page.getByRole('row', { name: /अर्डर/ })
  await row.waitFor()
  isAway = true
  await chooseStatus(page, 'Queued')
  await page.getByText(/No connection to the server since/).waitFor()
  assert.ok(await row.isVisible(), 'loaded data stays')
  await page.screenshot({ path: pictureOf('away') })
  isAway = false
  await page.getByText(/No connection to the server since/).waitFor({ state: 'detached' })
  await row.waitFor()
})

test('on a slow network nothing that is painted moves', inBrowser, async () => {
  const reader = await sitDown(service, { workspaceId: client.workspaceId })
  const { page } = reader
  await page.route('**/*', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 40))
    await route.continue()
  })
  await page.goto(home)
  await page.getByRole('row', { name: /अर्डर/ }).waitFor()
  await judgeScreen(reader, 'messages-slow')
})

test('over plain HTTP a click on an ID shows that it could not be copied', inBrowser, async () => {
  const { page } = await openReader({ baseURL: service.url.replace('127.0.0.1', UNTRUSTED_HOST) })
  await holdTimers(page, { fromMs: 1_000 })
  await page.goto('/console')
  // Sign-in is not possible over plain HTTP; its error has a request ID to copy.
  await page.getByLabel('E-mail address').fill('asha@example.com')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.keyboard.press('Enter')
  const id = page.getByRole('alert').getByRole('button')
  await id.waitFor()
  assert.equal(await page.evaluate('isSecureContext'), false)
  await id.click()
  await page.getByText("Couldn't copy").waitFor()
})

test('a hostile name stays text: markup, direction marks, maximum length', inBrowser, async () => {
  const name = '<img src=x onerror=alert(1)>\u202egnol\u2066'.padEnd(100, 'W')
  const workspaceId = await makeWorkspace(service, { name })
  const hostile = await makeClient(service, { workspaceId })
  await hostile.send({ text: `<script>alert(1)</script>${'W'.repeat(890)}`, from: '<b>x</b>' })
  const reader = await sitDown(service, { workspaceId })
  const { page } = reader
  await page.goto(`/console/w/${workspaceId}/messages`)
  await page.getByRole('row', { name: /<script>alert/ }).waitFor()
  assert.equal(await page.locator('img, b, main script').count(), 0)
  await judgeScreen(reader, 'messages-hostile')
})
