// The documentation in a real browser: light, dark and mobile, by keyboard, with search suggestions, and without scripts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser, judgeScreen, openReader, pictureOf } from '../harness/browser.ts'
import { UNTRUSTED_HOST } from '../harness/chromium.ts'
import { ownService } from '../harness/service.ts'

test(
  'the index, every guide and the longest other pages are clean in light and dark and fit a phone',
  inBrowser,
  async () => {
    const service = await ownService()
    const reader = await openReader({ baseURL: service.url })
    await reader.page.goto('/docs')
    await judgeScreen(reader, 'docs')
    const guides = await reader.page
      .getByRole('main')
      .getByRole('link')
      .evaluateAll((links) =>
        links.map((link) => link.getAttribute('href') ?? '').filter((href) => href.startsWith('/docs/guides/')),
      )
    assert.ok(guides.length >= 8, guides.join(', '))
    for (const path of [...guides, '/docs/reference/management', '/docs/operations/settings', '/docs/search?q=code']) {
      await reader.page.goto(path)
      await judgeScreen(reader, `docs-${path.replaceAll(/[^a-z]+/g, '-')}`)
    }
  },
)

test('shows search results while typing, reachable by keyboard', inBrowser, async () => {
  const service = await ownService()
  const reader = await openReader({ baseURL: service.url })
  const { page } = reader
  await page.goto('/docs')
  await page.keyboard.press('/')
  await page.keyboard.type('rotate the api key')
  await page.locator('#found a').first().waitFor()
  await judgeScreen(reader, 'docs-found')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/docs\/(guides|reference|operations|design)/)
  await page.goto('/docs/guides/quickstart')
  await page.getByRole('searchbox').fill('xylophone')
  await page.getByText('No results.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('No results.').waitFor({ state: 'hidden' })
})

test('works without scripts: the search is a page, and all text is readable', inBrowser, async () => {
  const service = await ownService()
  const { page } = await openReader({ baseURL: service.url, javaScriptEnabled: false })
  await page.goto('/docs/guides/errors')
  await page.getByRole('searchbox').fill('pumping')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.waitForURL(/\/docs\/search\?q=pumping/)
  await page.getByRole('main').getByRole('link').first().click()
  await page.waitForURL(/\/docs\/(guides|reference|operations|design)/)
})

test(
  'an address of the reference from when it stood at /docs still leads there, with the address of this service',
  inBrowser,
  async () => {
    const service = await ownService()
    const { page } = await openReader({ baseURL: service.url })
    await page.goto('/docs/#sms-and-otp-api/tag/messages/POST/v1/sms/send')
    await page.waitForURL(/\/docs\/reference\/?#sms-and-otp-api\/tag\/messages\/POST\/v1\/sms\/send/)
    await page.getByText(`${service.url}/api/sms`).first().waitFor()
  },
)

test('copies a listing with a button that is always visible', inBrowser, async () => {
  const service = await ownService()
  const { page } = await openReader({ baseURL: service.url, permissions: ['clipboard-read', 'clipboard-write'] })
  await page.goto('/docs/guides/quickstart')
  const listing = page.locator('.listing').first()
  await listing.getByRole('button', { name: 'Copy' }).click()
  await listing.getByRole('button', { name: 'Copied' }).waitFor()
  const copied = await page.evaluate<string>('navigator.clipboard.readText()')
  assert.equal(copied, await listing.locator('pre').textContent())
})

test('reports over plain HTTP that the browser cannot copy', inBrowser, async () => {
  const service = await ownService()
  const { page } = await openReader({ baseURL: service.url.replace('127.0.0.1', UNTRUSTED_HOST) })
  await page.goto('/docs/guides/quickstart')
  const listing = page.locator('.listing').first()
  assert.equal(await page.evaluate('isSecureContext'), false)
  await Promise.all([
    listing.getByRole('button', { name: "Couldn't copy" }).waitFor(),
    listing.getByRole('button', { name: 'Copy' }).click(),
  ])
})

test('links the reference to the other pages, in light, dark and mobile', inBrowser, async () => {
  const service = await ownService()
  for (const viewport of [
    { width: 1280, height: 800 },
    { width: 360, height: 740 },
  ])
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await openReader({ baseURL: service.url, viewport, colorScheme })
      await page.goto('/docs/reference')
      await page.getByText(`${service.url}/api/sms`).first().waitFor()
      await page.screenshot({ path: pictureOf(`reference-${viewport.width}-${colorScheme}`) })
      // No part of the reference covers the link at any scroll position.
      await page.mouse.wheel(0, 3000)
      await page.getByRole('link', { name: 'All documentation' }).click()
      await page.waitForURL(/\/docs$/)
      await page.getByRole('heading', { name: 'Documentation' }).waitFor()
      await page.context().close()
    }
})
