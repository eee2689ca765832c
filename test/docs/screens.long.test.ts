// The documentation in a real browser: light, dark and mobile, by keyboard, with search suggestions, and without scripts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdTimers, inBrowser, judgeScreen, openReader } from '../harness/browser.ts'
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
  // One input, so that no result of a shorter text is shown before.
  await page.keyboard.insertText('rotate the api key')
  await page.locator('#found a').first().waitFor()
  await page
    .locator('#found mark')
    .filter({ hasText: /^rotate$/i })
    .first()
    .waitFor()
  await page.getByRole('status').filter({ hasText: '8 results' }).waitFor({ state: 'attached' })
  await judgeScreen(reader, 'docs-found')
  const focused = () =>
    page.evaluate<number>("[...document.querySelectorAll('#found a')].indexOf(document.activeElement)")
  for (const [key, place] of [
    ['ArrowDown', 0],
    ['ArrowDown', 1],
    ['End', 7],
    ['Home', 0],
    ['ArrowUp', -1],
  ] as const) {
    await page.keyboard.press(key)
    assert.equal(await focused(), place, key)
  }
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
  await page.locator('mark').first().waitFor()
  await page.getByRole('main').getByRole('link').first().click()
  await page.waitForURL(/\/docs\/(guides|reference|operations|design)/)
  await page.goto('/docs/guides/quickstart')
  for (const language of ['curl', 'TypeScript', 'Python', 'PHP'])
    await page.getByRole('heading', { name: language, exact: true }).waitFor()
  await page.getByText('urllib.request.urlopen').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Copy' }).count(), 0)
  await page.goto('/docs/reference/sms-and-otp-api/messages')
  assert.equal(await page.getByText('import urllib.request').count(), 2)
})

test('an address of the earlier reference on one page leads to the page of its tag', inBrowser, async () => {
  const service = await ownService()
  const { page } = await openReader({ baseURL: service.url })
  for (const path of ['/docs/', '/docs/reference/']) {
    await page.goto('about:blank')
    await page.goto(`${path}#sms-and-otp-api/tag/messages/POST/v1/sms/send`)
    await page.waitForURL(/\/docs\/reference\/sms-and-otp-api\/messages#POST\/v1\/sms\/send$/)
    await page.getByText(`${service.url}/api/sms`).first().waitFor()
  }
})

test('copies a listing with a button that is always visible, by mouse and by keyboard', inBrowser, async () => {
  const service = await ownService()
  const { page } = await openReader({ baseURL: service.url, permissions: ['clipboard-read', 'clipboard-write'] })
  await holdTimers(page, { fromMs: 1_000 })
  await page.goto('/docs/guides/quickstart')
  const copied = () => page.evaluate<string>('navigator.clipboard.readText()')
  const listing = page.locator('.listing').first()
  await listing.getByRole('button', { name: 'Copy' }).click()
  await listing.getByRole('button', { name: 'Copied' }).waitFor()
  await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor()
  assert.equal(await copied(), await listing.locator('pre').textContent())
  const second = page.locator('.listing').nth(1)
  await second.locator('pre').focus()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await second.getByRole('button', { name: 'Copied' }).waitFor()
  assert.equal(await copied(), await second.locator('pre').textContent())
})

test('shows one language at a time, by mouse and by arrow keys, and remembers the choice', inBrowser, async () => {
  const service = await ownService()
  const reader = await openReader({ baseURL: service.url })
  const { page } = reader
  const panels = page.getByRole('tabpanel')
  const chosen = (name: string) => page.getByRole('tab', { name, selected: true }).first().waitFor()
  await page.goto('/docs/guides/quickstart')
  assert.equal(await panels.count(), 1)
  await page.getByRole('tab', { name: 'Python' }).click()
  await chosen('Python')
  await panels.getByText('urllib.request').first().waitFor()
  await page.keyboard.press('ArrowLeft')
  await chosen('TypeScript')
  await page.keyboard.press('End')
  await chosen('PHP')
  await page.keyboard.press('ArrowRight')
  await chosen('curl')
  await page.keyboard.press('ArrowRight')
  await judgeScreen(reader, 'docs-tabs')
  await page.goto('/docs/reference/sms-and-otp-api/messages')
  await chosen('TypeScript')
  assert.equal(await panels.count(), 2)
  await page.goto('/docs/guides/quickstart#python')
  await chosen('Python')
})

test('reports over plain HTTP that the browser cannot copy', inBrowser, async () => {
  const service = await ownService()
  const { page } = await openReader({ baseURL: service.url.replace('127.0.0.1', UNTRUSTED_HOST) })
  await holdTimers(page, { fromMs: 1_000 })
  await page.goto('/docs/guides/quickstart')
  const listing = page.locator('.listing').first()
  assert.equal(await page.evaluate('isSecureContext'), false)
  await listing.getByRole('button', { name: 'Copy' }).click()
  await listing.getByRole('button', { name: "Couldn't copy" }).waitFor()
})

test('the reference is clean in light, dark and on a phone, and leads back to the other pages', inBrowser, async () => {
  const service = await ownService()
  const reader = await openReader({ baseURL: service.url })
  const { page } = reader
  for (const path of ['', '/sms-and-otp-api', '/sms-and-otp-api/messages', '/management-api/carriers']) {
    await page.goto(`/docs/reference${path}`)
    await judgeScreen(reader, `reference${path.replaceAll('/', '-')}`)
  }
  await page.mouse.wheel(0, 3000)
  await page.getByRole('link', { name: 'All documentation' }).click()
  await page.waitForURL(/\/docs$/)
  await page.getByRole('heading', { name: 'Documentation' }).waitFor()
})

test('the first view of the reference transfers less than 1 MB, from this server alone', inBrowser, async () => {
  const service = await ownService()
  const { page } = await openReader({ baseURL: service.url })
  const sizes: Promise<number>[] = []
  page.on('response', (response) => {
    if (response.url().startsWith('data:')) return
    assert.ok(response.url().startsWith(service.url), response.url())
    sizes.push(
      response
        .request()
        .sizes()
        .then(({ responseBodySize, responseHeadersSize }) => responseBodySize + responseHeadersSize),
    )
  })
  await page.goto('/docs/reference/management-api/carriers', { waitUntil: 'networkidle' })
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  assert.ok(bytes > 5000 && bytes < 1_000_000, `${bytes} bytes`)
})
