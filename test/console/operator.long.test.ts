// The operator's screens in a real browser, against the real service: each is checked, and its main action is done.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser, judgeScreen } from '../harness/browser.ts'
import { makeClient } from '../harness/client.ts'
import { sitDown } from '../harness/readers.ts'
import { ownService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { templateBody } from '../manage/fixtures.ts'

const HOSTILE = `<img src=x onerror=alert(1)>\u202e${'x'.repeat(200)}`
const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,simulator' } })
const { manage } = service
const client = await makeClient(service)

test('Overview: shows queue, rates and carriers; pausing needs the typed word', inBrowser, async () => {
  await client.send({ to: '+9779800000001' })
  await client.send({ to: '+9779800000003' })
  await service.advance(3)
  const reader = await sitDown(service)
  const { page } = reader
  await page.goto('/console/now')
  await page.getByRole('row', { name: /Simulator/ }).waitFor()
  await judgeScreen(reader, 'now')
  await page.getByRole('button', { name: 'Pause sending' }).click()
  await page.getByLabel('to confirm').fill('OFF')
  await page.keyboard.press('Enter')
  await page.getByText('Outage: sending is paused').waitFor()
  assert.equal((await manage('GET', '/service')).body.smsEnabled, false)
  await judgeScreen(reader, 'now-paused')
  await page.getByRole('button', { name: 'Resume sending' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Resume sending' }).click()
  await page.getByRole('button', { name: 'Pause sending' }).waitFor()
})

test('Workspaces: creates one, finds it, tops it up, and suspends it after its name is typed', inBrowser, async () => {
  const reader = await sitDown(service)
  const { page } = reader
  await page.goto('/console/workspaces')
  await page.getByRole('row', { name: /Himal Bank/ }).waitFor()
  await judgeScreen(reader, 'workspaces')
  await page.getByRole('button', { name: 'New workspace' }).click()
  await page.getByRole('button', { name: 'Create' }).click()
  await page.locator('input[aria-invalid=true]').first().waitFor()
  await page.getByLabel('Name', { exact: true }).fill('Gorkha Shop')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.waitForURL(/\/workspaces\/[0-9a-f-]{36}$/)
  await page.getByRole('button', { name: 'Top up' }).click()
  await page.getByLabel('Amount (NPR)').fill('1,250')
  const [topUp] = await Promise.all([page.waitForRequest(/\/credits$/), page.keyboard.press('Enter')])
  assert.ok(topUp.headers()['idempotency-key'], 'a retry is booked once (D25)')
  await page.getByText('NPR 2,250.00').waitFor()
  await judgeScreen(reader, 'workspace')
  await page.getByRole('button', { name: 'Suspend' }).click()
  await page.getByLabel('to confirm').fill('Gorkha Shop')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Activate' }).waitFor()
  await page.goto('/console/workspaces')
  await page.getByRole('row', { name: /Himal Bank/ }).waitFor()
  const byName = page.getByRole('columnheader', { name: 'Name' })
  await byName.getByRole('button').focus()
  for (const direction of ['ascending', 'descending']) {
    await page.keyboard.press('Enter')
    await page.locator(`th[aria-sort=${direction}]`).waitFor()
    const names = await page.locator('a[data-row]').allInnerTexts()
    const sorted = names.toSorted((one, other) => one.localeCompare(other))
    assert.deepEqual(names, direction === 'ascending' ? sorted : sorted.reverse())
    assert.ok(names.length > 1)
  }
  await judgeScreen(reader, 'workspaces-sorted')
  await page.keyboard.press('/')
  await page.keyboard.type('gorkha')
  await page.waitForURL(/name=gorkha/)
  await page.getByRole('row', { name: /Gorkha Shop Suspended/ }).waitFor()
})

test(
  'API log: shows requests of all workspaces, filters by workspace, and shows unknown keys masked, by keyboard',
  inBrowser,
  async () => {
    const other = await makeClient(service)
    await manage('PATCH', `/workspaces/${other.workspaceId}`, { name: 'Gorkha Bank' })
    await other.send({ to: '12' })
    await client.get('/sms/balance')
    await fetch(`${service.url}/api/sms/v1/sms/balance`, {
      headers: { 'x-api-key': `svc_live_${'0a1b2c3d'.repeat(6)}` },
    })
    await until(async () => (await manage('GET', `/requests?workspace=${other.workspaceId}`)).body.items.length === 1)
    await until(async () => (await manage('GET', '/requests/unknown-keys')).body.items.length === 1)
    const reader = await sitDown(service)
    const { page } = reader
    await page.goto('/console/now')
    await page.locator('#menu').getByRole('link', { name: 'API log' }).press('Enter')
    const table = page.getByRole('table', { name: 'Requests' })
    await table.getByText('invalid_request').waitFor()
    await table.getByText('GET /sms/balance').first().waitFor()
    await judgeScreen(reader, 'all-requests')
    await page.goto(`/console/requests?workspace=${other.workspaceId}`)
    await page.getByRole('button', { name: 'Remove filter: Workspace' }).waitFor()
    await table.getByText('invalid_request').waitFor()
    assert.equal(await table.getByText('GET /sms/balance').count(), 0)
    await page.locator('h1').click()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await table.getByText('Fix the fields that the error names.').waitFor()
    await table.getByText(/^svc_live_[0-9a-f]{6}…$/).waitFor()
    await judgeScreen(reader, 'all-requests-open')
    await page.getByRole('link', { name: 'Unknown keys' }).press('Enter')
    await page.getByRole('cell', { name: 'svc_live_0a1b2c…' }).waitFor()
    await page.getByRole('button', { name: '127.0.0.1' }).press('Enter')
    await page.waitForURL(/address=127.0.0.1/)
    await judgeScreen(reader, 'unknown-keys')
  },
)

/** The newest reviews, once the server has them all: the screen goes on before an approval is answered. */
async function reviewsOf(count: number): Promise<[name: string, status: string, reason: string | null][]> {
  return until(async () => {
    const { items } = (await manage('GET', `/workspaces/${client.workspaceId}/templates?limit=${count}`)).body
    const isReviewed = items.every(({ status }: { status: string }) => status !== 'pending')
    return isReviewed && items.map(({ name, status, reason }: Record<string, string>) => [name, status, reason])
  })
}

test('Template reviews: approves and rejects with a reason, by keyboard', inBrowser, async () => {
  for (const name of ['First', 'Second'])
    await manage('POST', `/workspaces/${client.workspaceId}/templates`, {
      ...templateBody,
      name,
      text: `${name} {{x}} ${HOSTILE}`,
    })
  const reader = await sitDown(service)
  const { page } = reader
  await page.goto('/console/review')
  await page.getByRole('heading', { name: 'Second' }).waitFor()
  await judgeScreen(reader, 'review')
  assert.equal(await page.locator('img').count(), 0)
  await page.keyboard.press('a')
  await page.getByRole('heading', { name: 'First' }).waitFor()
  await page.keyboard.press('r')
  await page.keyboard.press('Tab')
  await page.getByLabel('Reason').fill('Say which shop it is from')
  await page.keyboard.press('Enter')
  await page.getByText('No templates to review.').waitFor()
  assert.deepEqual(await reviewsOf(2), [
    ['Second', 'approved', null],
    ['First', 'rejected', 'Say which shop it is from'],
  ])
})

test('Template reviews: accepts a key while the approval before it is in progress', inBrowser, async () => {
  for (const name of ['Third', 'Second one', 'First one'])
    await manage('POST', `/workspaces/${client.workspaceId}/templates`, {
      ...templateBody,
      name,
      text: `${name} {{x}}`,
    })
  const { page } = await sitDown(service)
  // The response arrives after the reviewer has continued.
  const { promise: goneOn, resolve: goOn } = Promise.withResolvers<void>()
  await page.route('**/approve', async (route) => {
    await goneOn
    await route.continue()
  })
  await page.goto('/console/review')
  await page.getByRole('heading', { name: 'First one' }).waitFor()
  await page.keyboard.press('a')
  await page.keyboard.press('a')
  await page.keyboard.press('r')
  await page.keyboard.type('A reason at once')
  await page.keyboard.press('Enter')
  await page.getByText('No templates to review.').waitFor()
  goOn()
  assert.deepEqual(await reviewsOf(3), [
    ['First one', 'approved', null],
    ['Second one', 'approved', null],
    ['Third', 'rejected', 'A reason at once'],
  ])
  await page.unrouteAll()
  await page.context().close()
})

test('Template reviews: a failed approval comes back with its error', inBrowser, async () => {
  await manage('POST', `/workspaces/${client.workspaceId}/templates`, {
    ...templateBody,
    name: 'Late',
    text: 'Late {{x}}',
  })
  const { page } = await sitDown(service)
  await page.route('**/approve', (route) =>
    route.fulfill({ status: 503, json: { code: 'unavailable', error: 'Busy' } }),
  )
  await page.goto('/console/review')
  await page.getByRole('heading', { name: 'Late', exact: true }).waitFor()
  await page.keyboard.press('a')
  await page.getByRole('alert').getByText('Late').waitFor()
  await page.getByRole('heading', { name: 'Late', exact: true }).waitFor()
  await page.unrouteAll()
  await page.keyboard.press('a')
  await page.getByText('No templates to review.').waitFor()
  assert.equal(await page.getByRole('alert').count(), 0)
  await page.context().close()
})

test('Carriers & routing: creates a carrier with a route, and tests it over a real connection', inBrowser, async () => {
  const reader = await sitDown(service)
  const { page } = reader
  await page.goto('/console/carriers')
  await page.getByRole('row', { name: /Simulator Working SMPP 1\/1 all others/ }).waitFor()
  await judgeScreen(reader, 'carriers')
  // j starts at the first row of the first table.
  await page.keyboard.press('j')
  await page.locator('a[data-row]:focus', { hasText: 'Simulator' }).waitFor()
  await page.getByRole('link', { name: 'Add carrier' }).click()
  await page.getByRole('link', { name: 'SMPP' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Everest')
  await page.getByLabel('Host').fill('127.0.0.1')
  await page.getByLabel('Port').fill('9')
  await page.getByLabel('System ID').fill('himal')
  await page.getByRole('button', { name: 'Save and test' }).click()
  await page.waitForURL(/\/carriers\/new\?step=test&carrier=[0-9a-f-]{36}$/)
  await page.goto('/console/carriers')
  await page.getByRole('button', { name: 'Add route' }).click()
  // A dialog starts at its first field.
  await page.locator('dialog select:focus').waitFor()
  await page.getByRole('dialog').getByLabel('Country').selectOption({ label: 'India (IN)' })
  await page.getByLabel('Carrier', { exact: true }).selectOption({ label: 'Everest' })
  await page.getByText('India after this change').waitFor()
  await judgeScreen(reader, 'carriers-add-route')
  await page.getByRole('dialog').getByRole('button', { name: 'Add route' }).click()
  await page.getByRole('row', { name: /IN 100 Everest/ }).waitFor()

  await page.getByRole('link', { name: 'Simulator' }).click()
  await page.getByRole('heading', { level: 1, name: 'Simulator' }).waitFor()
  await page.getByLabel('Number').fill('+9779800000001')
  await page.getByRole('button', { name: 'Test carrier' }).click()
  await page.getByText('connection 1, transceiver').waitFor()
  await page.getByText(/responded in \d+ ms/).waitFor()
  await page.getByText('no receipt yet').waitFor()
  await service.advance(3)
  await page.getByText('DELIVRD').waitFor()
  await judgeScreen(reader, 'carrier')
})

test('Test phone: shows a code that verifies, and sends a reply over SMPP to the workspace', inBrowser, async () => {
  const to = '+9779800000001'
  await client.otp({ to })
  await client.send({ to, senderId: 'Himal', text: `Are you there? ${HOSTILE}` })
  await service.advance(1)
  const reader = await sitDown(service)
  const { page } = reader
  await page.goto('/console/phone')
  await page.getByText('Are you there?').first().waitFor()
  await judgeScreen(reader, 'phone')
  assert.equal(await page.locator('img').count(), 0)
  const [code] = /\d{6}/.exec(await page.getByTitle('Copy code').innerText()) ?? []
  assert.equal((await client.verify({ to, code })).body.verified, true)
  await page.getByLabel('Reply to Himal').fill('YES')
  await page.keyboard.press('Enter')
  await page.getByText('this phone → Himal').waitFor()
  const { items } = (await manage('GET', `/workspaces/${client.workspaceId}/inbound`)).body
  assert.deepEqual([items[0].from, items[0].to, items[0].text, items[0].clientId], [to, 'Himal', 'YES', client.id])
  await page.getByRole('button', { name: /^04/ }).click()
  await page.waitForURL(/number=%2B9779800000004/)
  await page.getByText('No messages on this phone yet.').waitFor()
})
