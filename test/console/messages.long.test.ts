// The screens Messages, Message and API log in a real browser, against the real service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser, judgeScreen } from '../harness/browser.ts'
import { makeClient } from '../harness/client.ts'
import { chooseStatus, sitDown } from '../harness/readers.ts'
import { addCarrier, addRoute } from '../harness/sending.ts'
import { ownService, systemClock } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

// The screens show the time of the browser.
const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' }, clock: systemClock() })
const smsc = await startSmsc()
await addRoute(service, await addCarrier(service, smsc.port))
const client = await makeClient(service)
const { workspaceId } = client
const at = `/console/w/${workspaceId}`
const hostile = '<img src=x onerror=alert(1)> \u202Eevil'

test('lists messages, filters them by the address, and opens them by keyboard', inBrowser, async () => {
  await client.send({ to: '9841000001', text: 'Namaste from the test' })
  await client.send({ to: '9841000002', text: hostile })
  const { body } = await client.send({ to: '9841000003', text: 'तपाईंको अर्डर पठाइयो' })
  const reader = await sitDown(service, { workspaceId })
  const { page } = reader
  await page.goto(`${at}/messages`)
  const row = page.getByRole('row', { name: /Namaste from the test/ })
  await row.getByText('Delivered').waitFor()
  await page.getByText('Live', { exact: false }).first().waitFor()
  await page.getByText('<img src=x onerror=alert(1)>').waitFor()
  await judgeScreen(reader, 'messages')
  assert.equal(await page.getByText('+97798••••001').count(), 1)
  await chooseStatus(page, 'Failed')
  await page.waitForURL(/status=failed/)
  await page.getByText('No messages match your filters').waitFor()
  await page.goBack()
  await row.waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('namaste test')
  await page.waitForURL(/search=namaste/)
  await page.getByText('<img src=x onerror=alert(1)>').waitFor({ state: 'detached' })
  await row.waitFor()
  await page.goBack()
  await page.keyboard.press('Escape')
  await page.getByText('<img src=x onerror=alert(1)>').waitFor()
  await page.locator('h1').click()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.waitForURL(new RegExp(`/messages/${body.messageId}$`))
  await page.getByText('Timeline').waitFor()
  assert.equal(await page.title(), 'To +97798••••003 · Hulaki')
  await page.context().close()
})

test('counts new messages without moving rows, and updates shown rows in place, automatically', inBrowser, async () => {
  const reader = await sitDown(service, { workspaceId })
  const { page } = reader
  await page.goto(`${at}/messages`)
  const rows = page.getByRole('table', { name: 'Messages', exact: true }).locator('tbody tr')
  const first = rows.first()
  await first.getByText('Delivered').waitFor()
  await page.getByText('Live', { exact: false }).first().waitFor()
  const before = await first.textContent()
  smsc.plan = () => ({})
  // Messages that arrive before the connection opens are not counted as new.
  const sent: string[] = []
  const fresh = page.getByRole('button', { name: /^\d+\+? new messages?$/ })
  await until(
    async () => {
      sent.push((await client.send({ to: '9841000010', text: `News ${sent.length}` })).body.messageId)
      return (await fresh.count()) > 0
    },
    { ms: 30_000 },
  )
  assert.equal(await first.textContent(), before)
  await judgeScreen(reader, 'messages-new')
  await fresh.click()
  await page.getByText('News 0').waitFor()
  await rows.first().getByText('Sent').waitFor()
  // A receipt arrives for a message in the list.
  smsc.plan = () => ({ report: 'DELIVRD' })
  await client.send({ to: '9841000011', text: 'Another' })
  await fresh.waitFor()
  await page.keyboard.press('l')
  await page.waitForURL(/live=off/)
  await page.getByRole('button', { name: /Paused/ }).waitFor()
  const exportAs = async (role: 'link' | 'button', name: RegExp) => {
    await page.getByRole('button', { name: 'Export' }).focus()
    await page.keyboard.press('Enter')
    const download = page.waitForEvent('download')
    await page.getByRole(role, { name }).focus()
    await page.keyboard.press('Enter')
    const file = await (await download).createReadStream()
    const chunks: Buffer[] = []
    for await (const chunk of file) chunks.push(chunk)
    return Buffer.concat(chunks).toString()
  }
  const masked = await exportAs('link', /Masked numbers/)
  assert.match(masked, /News 0/)
  assert.doesNotMatch(masked, /\+9779841000011/)
  assert.match(await exportAs('button', /Full numbers/), /\+9779841000011/)
  await page.context().close()
})

test(
  'shows the timeline and segments of a message, and reveals the number with an audit entry',
  inBrowser,
  async () => {
    smsc.plan = () => ({ report: 'UNDELIV' })
    const text = `${'Order '.repeat(14)} – पठाइयो – ${hostile}`
    const { body } = await client.send({ to: '9841000699', text })
    const reader = await sitDown(service, { workspaceId })
    const { page } = reader
    await page.goto(`${at}/messages/${body.messageId}`)
    await page
      .getByText(/^Undelivered/)
      .first()
      .waitFor()
    await page.getByText('2 segments, UCS-2').waitFor()
    await page.getByRole('heading', { name: 'To +97798••••699' }).waitFor()
    await judgeScreen(reader, 'message')
    await page.getByRole('button', { name: 'Reveal number' }).press('Enter')
    await page.getByRole('heading', { name: 'To +9779841000699' }).waitFor()
    const { items } = (await service.manage('GET', `/workspaces/${workspaceId}/audit-log`)).body
    assert.equal(items.filter((it: { action: string }) => it.action === 'message.revealed').length, 1)
    await page.context().close()
  },
)

test('an open menu stays at its button when the window changes', inBrowser, async () => {
  const { page } = await sitDown(service, { workspaceId })
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto(`${at}/messages`)
  const button = page.getByRole('button', { name: /^Date/ })
  await button.click()
  const menu = page.locator('[popover]:popover-open')
  for (const width of [1280, 1000, 1140]) {
    await page.setViewportSize({ width, height: 800 })
    await until(async () => {
      const [above, open] = await Promise.all([button.boundingBox(), menu.boundingBox()])
      if (!above || !open) return false
      const below = open.y - above.y - above.height
      const beside = open.x - Math.min(above.x, width - open.width - 8)
      return Math.abs(below - 4) < 1 && Math.abs(beside) < 1
    })
  }
  await page.context().close()
})

test(
  'on a phone, filters and further actions are behind one button each, and the focus returns',
  inBrowser,
  async () => {
    await client.send({ to: '9841000021', text: 'For a phone' })
    const reader = await sitDown(service, { workspaceId })
    const { page } = reader
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`${at}/messages`)
    await page.getByRole('row', { name: /For a phone/ }).waitFor()
    const filters = page.getByRole('button', { name: /^Filters/ })
    const sheet = page.getByRole('dialog', { name: 'Filters' })
    await filters.press('Enter')
    await judgeScreen(reader, 'filters')
    await sheet.getByRole('checkbox', { name: 'Failed', exact: true }).check()
    await page.waitForURL(/status=failed/)
    await sheet.getByLabel('Type').selectOption({ label: 'OTP' })
    await page.waitForURL(/type=otp/)
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    assert.ok(await filters.evaluate((it) => it === it.ownerDocument.activeElement))
    assert.equal(await filters.textContent(), 'Filters2')
    await page.getByRole('button', { name: 'Remove filter: Status' }).waitFor()
    await filters.press('Enter')
    await sheet.getByRole('button', { name: 'Clear' }).press('Enter')
    await page.waitForURL((url) => url.search === '')
    await sheet.getByRole('button', { name: 'Done' }).press('Enter')
    await page.getByRole('row', { name: /For a phone/ }).waitFor()
    assert.ok(await filters.evaluate((it) => it === it.ownerDocument.activeElement))

    const more = page.getByRole('button', { name: 'More actions' })
    const request = page.getByRole('dialog', { name: 'API request' })
    await more.press('Enter')
    await judgeScreen(reader, 'more-actions')
    await page.getByRole('button', { name: 'API', exact: true }).press('Enter')
    await request.waitFor()
    await page.keyboard.press('Escape')
    await request.waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'API', exact: true }).waitFor({ state: 'hidden' })
    assert.ok(await more.evaluate((it) => it === it.ownerDocument.activeElement))
    await page.context().close()
  },
)

test('a wide list scrolls inside its frame on a small screen', inBrowser, async () => {
  smsc.plan = () => ({ status: 0x0b })
  await client.send({ to: '9841000010', text: 'To nobody' })
  const reader = await sitDown(service, { workspaceId })
  await reader.page.goto(`${at}/messages?status=failed`)
  await reader.page.getByText('invalid number').waitFor()
  await judgeScreen(reader, 'messages-failed')
  smsc.plan = () => ({ report: 'DELIVRD' })
})

test(
  'the API log filters requests by error, outcome and request ID, and a row opens to the request ID and the fix',
  inBrowser,
  async () => {
    await client.send({ to: '12' })
    await client.get('/sms/messages/0198f0a4-81d0-7c3f-8a44-0e5d7b9c1a20')
    const path = `/workspaces/${workspaceId}/requests?outcome=refused`
    await until(async () => (await service.manage('GET', path)).body.items.length === 2)
    const reader = await sitDown(service, { workspaceId })
    const { page } = reader
    await page.goto(`${at}/requests`)
    await page.getByRole('button', { name: 'not_found' }).waitFor()
    await page.locator('#menu [aria-current=page]', { hasText: 'API log' }).waitFor()
    await judgeScreen(reader, 'requests')
    await page.getByRole('button', { name: 'not_found' }).press('Enter')
    await page.waitForURL(/code=not_found/)
    const refused = page.getByRole('table', { name: 'Requests' })
    await refused.getByText('invalid_request').waitFor({ state: 'detached' })
    await refused.getByText('GET /sms/messages/:id').waitFor()
    // With the keyboard only: the second table has the rows that open.
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL(/open=[0-9a-f-]{36}/)
    const requestId = new URL(page.url()).searchParams.get('open') ?? ''
    await refused.getByRole('button', { name: requestId }).waitFor()
    await refused.getByText('Check the ID. It must be a message of the same client.').waitFor()
    await page.reload()
    await refused.getByRole('button', { name: requestId }).waitFor()
    await judgeScreen(reader, 'requests-open')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await refused.getByText('invalid_request').waitFor()
    await page.getByRole('combobox', { name: 'Outcome' }).selectOption({ label: 'Successful' })
    await page.waitForURL(/outcome=successful/)
    await refused.getByText('invalid_request').waitFor({ state: 'detached' })
    await refused.getByText('200').first().waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.keyboard.press('/')
    await page.keyboard.type(requestId.slice(0, 8))
    await page.getByText('Enter the whole request ID.').waitFor()
    await page.keyboard.type(requestId.slice(8))
    await refused.getByText('GET /sms/messages/:id').waitFor()
    await until(async () => (await refused.locator('[data-row]').count()) === 1)
    await page.context().close()
  },
)

test('shows the lost connection, and keeps the loaded data', inBrowser, async () => {
  const { page } = await sitDown(service, { workspaceId })
  await page.goto(`${at}/messages`)
  await page.getByRole('button', { name: 'Live', exact: true }).waitFor()
  await page.getByText('Namaste from the test').waitFor()
  service.drain()
  await page.getByRole('button', { name: 'Disconnected' }).waitFor()
  await page.getByText('Namaste from the test').waitFor()
  await page.context().close()
})
