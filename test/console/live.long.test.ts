// Live updates in a real browser: changes appear without a reload and without polling, over one stream per tab.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Request } from 'playwright-core'
import { inBrowser } from '../harness/browser.ts'
import { makeClient, makeWorkspace } from '../harness/client.ts'
import { sitDown } from '../harness/readers.ts'
import { addCarrier, addRoute } from '../harness/sending.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'
import { startEndpoint } from '../webhooks/endpoints.ts'
import { clientWithEndpoint, queueEvents, settle, startWebhookService } from '../webhooks/webhook-service.ts'

/** Longer than the interval of polling without a stream, and much shorter than that of values that change with time alone. */
const QUIET_MS = 20_000
const START_MS = 2_000
const LAST = '/api/manage/v1/whoami?last'
/** Counts the streams that have received their first event. */
const COUNT_STARTED = `
  globalThis.startedStreams = 0
  globalThis.EventSource = class extends EventSource {
    constructor(...given) {
      super(...given)
      this.addEventListener('open', () => startedStreams++, { once: true })
    }
  }`

/** The requests of the page for data, and its open streams. */
function watchRequests(page: Page) {
  const seen = { calls: [] as string[], running: new Set<Request>(), streams: new Set<string>(), mostStreams: 0 }
  page.on('request', (request) => {
    const path = pathOf(request)
    if (!path.startsWith('/api/manage/')) return
    if (request.resourceType() === 'eventsource') {
      seen.streams.add(path)
      seen.mostStreams = Math.max(seen.mostStreams, seen.streams.size)
    } else {
      seen.calls.push(path)
      seen.running.add(request)
    }
  })
  const forget = (request: Request) => {
    seen.running.delete(request)
    if (request.resourceType() === 'eventsource') seen.streams.delete(pathOf(request))
  }
  page.on('requestfailed', forget)
  page.on('requestfinished', forget)
  return seen
}

function pathOf(request: Request): string {
  const { pathname, search } = new URL(request.url())
  return `${pathname}${search}`
}

/** Waits until the page has its responses, and has made no further request after them. */
async function settleRequests(page: Page, seen: ReturnType<typeof watchRequests>): Promise<void> {
  for (let before = -1; before + 1 !== seen.calls.length; ) {
    await until(() => seen.running.size === 0)
    before = seen.calls.length
    // Every earlier request has left before this one.
    await page.evaluate(`fetch('${LAST}').then((response) => response.text())`)
  }
}

/** The clock of the page moves, so that every due timer makes its requests. Returns these requests. */
async function requestsWithoutChange(page: Page, seen: ReturnType<typeof watchRequests>): Promise<string[]> {
  await until(() => page.evaluate('startedStreams > 0'))
  // What was loaded before the stream started is loaded once more.
  await page.clock.runFor(START_MS)
  await settleRequests(page, seen)
  const before = seen.calls.length
  await page.clock.runFor(QUIET_MS)
  await settleRequests(page, seen)
  return seen.calls.slice(before).filter((call) => call !== LAST)
}

/** As when the person looks at another tab, and comes back. */
function setVisibility(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  return page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))`)
}

async function openPage(service: Awaited<ReturnType<typeof startWebhookService>>, workspaceId?: string) {
  const { page } = await sitDown(service, workspaceId === undefined ? {} : { workspaceId })
  await page.clock.install()
  await page.addInitScript(COUNT_STARTED)
  return { page, seen: watchRequests(page) }
}

test('Overview shows a carrier that goes down, and requests nothing before', inBrowser, async () => {
  const service = await startWebhookService({ env: { HULAKI_ROLES: 'api,delivery' } })
  await makeWorkspace(service)
  const smsc = await startSmsc()
  await addRoute(service, await addCarrier(service, smsc.port, { name: 'NTC SMPP' }))
  await service.settle()
  const { page, seen } = await openPage(service)
  await page.goto('/console/now')
  await page.getByText('All systems operational').waitFor()
  assert.deepEqual(await requestsWithoutChange(page, seen), [])
  await smsc.close()
  const incident = page.getByRole('article').filter({ hasText: 'Nepal cannot be reached' })
  await incident.getByText('Carrier NTC SMPP is not connected').waitFor()
  await page
    .locator('#menu')
    .getByRole('link', { name: /Overview 1/ })
    .waitFor()
  await page
    .locator('#menu')
    .getByRole('link', { name: /Carriers & routing 1/ })
    .waitFor()
  assert.equal(seen.mostStreams, 1)
})

test('Overview and Webhooks show an endpoint that starts to fail', inBrowser, async (t) => {
  const service = await startWebhookService()
  const endpoint = await startEndpoint(t, (response) => response.writeHead(500).end())
  const client = await clientWithEndpoint(service, endpoint)
  const operator = await openPage(service)
  await operator.page.goto('/console/now')
  const member = await openPage(service, client.workspaceId)
  await member.page.goto(`/console/w/${client.workspaceId}/webhooks`)
  await member.page.getByRole('heading', { name: 'Webhooks', exact: true }).waitFor()
  await until(() => operator.seen.streams.size === 1 && member.seen.streams.size === 1)
  await queueEvents(service, client, [{}, { status: 'sent' }, { status: 'failed' }])
  await settle(service)
  await member.page
    .getByRole('region', { name: 'Himal app' })
    .getByText(/Failing since/)
    .waitFor()
  for (const { page } of [operator, member])
    await page
      .locator('#menu')
      .getByRole('link', { name: /^Webhooks 1$/ })
      .waitFor()
})

test('a busy service costs at most one request of a call in two seconds', inBrowser, async () => {
  const service = await startWebhookService({ env: { HULAKI_ROLES: 'api' } })
  const client = await makeClient(service)
  const { page, seen } = await openPage(service, client.workspaceId)
  await page.goto(`/console/w/${client.workspaceId}/requests`)
  await page.getByRole('heading', { name: 'API log' }).waitFor()
  assert.deepEqual(await requestsWithoutChange(page, seen), [])
  await client.get('/sms/balance')
  await page.getByRole('row').filter({ hasText: '/sms/balance' }).first().waitFor()
  const listings = () => seen.calls.filter((call) => call.includes('/requests?') || call.endsWith('/requests')).length
  const from = { listings: listings(), at: performance.now() }
  // Each of these changes is an event of its own.
  const rows = () => page.getByRole('row').filter({ hasText: '/sms/messages' }).count()
  let asked = 0
  await until(async () => {
    await client.get(`/sms/messages/${service.ports.ids.next()}`)
    asked += 1
    return asked > 10 && (await rows()) > 10
  })
  const mostPossible = 2 + (performance.now() - from.at) / 2_000
  assert.ok(listings() - from.listings <= mostPossible, `${listings() - from.listings} requests`)
})

test('the page of a carrier follows its state and its settings', inBrowser, async () => {
  const service = await startWebhookService({ env: { HULAKI_ROLES: 'api,delivery' } })
  const smsc = await startSmsc()
  const id = await addCarrier(service, smsc.port, { name: 'NTC SMPP' })
  await service.settle()
  const { page, seen } = await openPage(service)
  await page.goto(`/console/carriers/${id}`)
  await page.getByRole('heading', { name: 'NTC SMPP' }).waitFor()
  await page.getByRole('table', { name: 'Connections' }).getByText('connected').first().waitFor()
  assert.deepEqual(await requestsWithoutChange(page, seen), [])
  await service.manage('PATCH', `/carriers/${id}`, { name: 'NTC primary' })
  await page.getByRole('heading', { name: 'NTC primary' }).waitFor()
  await smsc.close()
  await page.getByRole('table', { name: 'Connections' }).getByText('reconnecting').first().waitFor()
})

test('a tab has one stream on every screen, and none while it is hidden', inBrowser, async () => {
  const service = await startWebhookService({ env: { HULAKI_ROLES: 'api' } })
  const client = await makeClient(service)
  const { page, seen } = await openPage(service)
  await page.goto('/console/now')
  await until(() => [...seen.streams].join() === '/api/manage/v1/events')
  await page.locator('#menu').getByRole('link', { name: 'Messages' }).click()
  await until(() => [...seen.streams].join() === '/api/manage/v1/events?include=messages')
  await page.goto(`/console/w/${client.workspaceId}/messages`)
  await until(
    () => [...seen.streams].join() === `/api/manage/v1/workspaces/${client.workspaceId}/events?include=messages`,
  )
  await page.keyboard.press('l')
  await until(() => [...seen.streams].join() === `/api/manage/v1/workspaces/${client.workspaceId}/events`)
  await page.keyboard.press('l')
  await setVisibility(page, 'hidden')
  await until(() => seen.streams.size === 0)
  const { body } = await client.send({ to: '9841000001' })
  assert.equal(body.status, 'queued')
  await setVisibility(page, 'visible')
  await page.getByRole('table', { name: 'Messages' }).getByRole('row').nth(1).waitFor()
  await until(() => seen.streams.size === 1)
})

test('shows since when the service does not respond, and reloads when it responds', inBrowser, async () => {
  const service = await startWebhookService({ env: { HULAKI_ROLES: 'api' } })
  const client = await makeClient(service)
  const { page } = await sitDown(service, { workspaceId: client.workspaceId })
  let isAway = false
  await page.route('**/api/**', (route) => (isAway ? route.abort() : route.continue()))
  await page.goto(`/console/w/${client.workspaceId}/requests`)
  await page.getByRole('heading', { name: 'API log' }).waitFor()
  isAway = true
  await setVisibility(page, 'hidden')
  await setVisibility(page, 'visible')
  await page.getByText(/No connection to the server since/).waitFor()
  await client.get('/sms/balance')
  isAway = false
  await page.getByText(/No connection to the server since/).waitFor({ state: 'detached' })
  await page.getByRole('row').filter({ hasText: '/sms/balance' }).first().waitFor()
})
