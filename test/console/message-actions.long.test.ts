// Cancel, fail and resend in a real browser, against the real service and a real SMSC (D59).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser, judgeScreen } from '../harness/browser.ts'
import { makeClient } from '../harness/client.ts'
import { sitDown } from '../harness/readers.ts'
import { addCarrier, addRoute } from '../harness/sending.ts'
import { ownService, systemClock } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' }, clock: systemClock() })
const smsc = await startSmsc()
const carrierId = await addCarrier(service, smsc.port, { answerSeconds: 1 })
await addRoute(service, carrierId)
const client = await makeClient(service)
const { workspaceId } = client
const at = `/console/w/${workspaceId}/messages`
let last = 0

const statusOf = async (id: string) => (await client.get(`/sms/messages/${id}`)).body
type Plan = NonNullable<NonNullable<Parameters<typeof startSmsc>[0]>['plan']>

async function send(enabled: boolean): Promise<string> {
  const changed = await service.manage('PATCH', `/carriers/${carrierId}`, { enabled })
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  const { body } = await client.send({ to: `98${41_000_000 + ++last}`, text: `Act on me ${last}` })
  return body.messageId
}

/** No carrier is enabled, so that the message stays queued. */
const sendWaiting = () => send(false)

async function sendBy(plan: Plan, isThere: (message: { status: string; attempts: number }) => boolean) {
  smsc.plan = plan
  const id = await send(true)
  await until(async () => isThere(await statusOf(id)))
  return id
}
/** A message in doubt: submitted, without an answer (D15). */
const sendUnknown = () =>
  sendBy(
    () => ({ answer: 'never' }),
    ({ attempts }) => attempts > 0,
  )
/** Not while the message is being submitted. */
const untilAllowed = (action: 'fail' | 'resend', id: string) =>
  until(async () => {
    const { body } = await service.manage('POST', `/messages/${action}`, { ids: [id], preview: true })
    return body.changed === 1
  })
const sendRefused = () =>
  sendBy(
    () => ({ status: 0x0b }),
    ({ status }) => status === 'failed',
  )

test('an owner cancels a queued message, and sees the refund before and the result after', inBrowser, async () => {
  const id = await sendWaiting()
  const reader = await sitDown(service, { workspaceId, role: 'owner' })
  const { page } = reader
  await page.goto(`${at}/${id}`)
  await page.getByRole('button', { name: 'Cancel', exact: true }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Fail' }).count(), 0, 'only operators can fail messages')
  assert.equal(await page.getByRole('button', { name: 'Resend' }).count(), 0)
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.getByText(/becomes “failed” without an error code, NPR 1\.50 is refunded/).waitFor()
  await judgeScreen(reader, 'message-cancel')
  await page.getByRole('dialog').getByRole('button', { name: 'Keep message' }).click()
  assert.equal((await statusOf(id)).status, 'queued')
  // With the keyboard only.
  await page.getByRole('button', { name: 'Cancel', exact: true }).press('Enter')
  await page.getByRole('button', { name: 'Cancel message' }).press('Enter')
  await page.getByText('Cancelled. NPR 1.50 refunded.').waitFor()
  await page.getByText('Cancelled', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Cancel', exact: true }).waitFor({ state: 'detached' })
  await judgeScreen(reader, 'message-cancelled')
  assert.deepEqual([(await statusOf(id)).status, (await statusOf(id)).error ?? ''], ['failed', ''])
  await page.reload()
  await page.getByText('Cancelled before it was submitted, and refunded.').waitFor()
  await page.context().close()
})

test('a message that moved on is not cancelled, and the page shows its current status', inBrowser, async () => {
  const id = await sendWaiting()
  const { page } = await sitDown(service, { workspaceId, role: 'owner' })
  await page.goto(`${at}/${id}`)
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  // Another caller cancels the message first.
  assert.equal((await service.manage('POST', `/messages/${id}/cancel`)).status, 200)
  await page.getByRole('button', { name: 'Cancel message' }).click()
  await page.getByText('Nothing changed: the status of the message no longer allows this action').waitFor()
  await page.getByText('The message is failed, which is final').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('Cancelled before it was submitted, and refunded.').waitFor()
  await page.context().close()
})

test(
  'an operator resends a message with a warning of a second delivery, and fails a stuck one',
  inBrowser,
  async () => {
    const id = await sendUnknown()
    const reader = await sitDown(service)
    const { page } = reader
    await page.goto(`${at}/${id}`)
    await page.getByRole('button', { name: 'Fail', exact: true }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Cancel', exact: true }).count(), 0)
    await page.getByRole('button', { name: 'Resend', exact: true }).click()
    await page.getByText(/it may arrive twice/).waitFor()
    await judgeScreen(reader, 'message-resend')
    const before = smsc.taken.length
    await untilAllowed('resend', id)
    await page.getByRole('button', { name: 'Resend message' }).click()
    await page.getByText('Submitted again.').waitFor()
    await until(() => smsc.taken.length > before)
    await until(async () => (await service.manage('GET', `/messages/${id}/timeline`)).body.message.attempts > 1)
    await page.getByRole('button', { name: 'Fail', exact: true }).click()
    await page.getByText(/it may still arrive/).waitFor()
    await untilAllowed('fail', id)
    await page.getByRole('button', { name: 'Fail message' }).click()
    await page.getByText('Failed. NPR 1.50 refunded.').waitFor()
    assert.equal((await statusOf(id)).status, 'failed')
    await page.context().close()
  },
)

test('a failed message is resent once as a new message, and both pages link to each other', inBrowser, async () => {
  const id = await sendRefused()
  smsc.plan = () => ({ report: 'DELIVRD' })
  const reader = await sitDown(service)
  const { page } = reader
  await page.goto(`${at}/${id}`)
  await page.getByRole('button', { name: 'Resend', exact: true }).click()
  await page.getByText(/is sent as a new message/).waitFor()
  await page.getByRole('button', { name: 'Resend message' }).click()
  await page
    .getByText(/Charged NPR 1\.50\. Resent as/)
    .getByRole('link')
    .click()
  await page.waitForURL((url) => !url.pathname.endsWith(id) && /messages\/[0-9a-f-]{36}$/.test(url.pathname))
  await page.locator('main header').getByText('Delivered', { exact: true }).waitFor()
  assert.equal(await page.getByText('Resent as').count(), 0)
  await judgeScreen(reader, 'message-resent')
  await page.getByText('Resent from').getByRole('link').click()
  await page.waitForURL((url) => url.pathname.endsWith(id))
  await page.reload()
  await page.getByText('Resent as').getByRole('link').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Resend', exact: true }).count(), 0)
  await judgeScreen(reader, 'message-resent-original')
  await page.context().close()
})

test('an owner selects messages by keyboard, range and page, and cancels them after a preview', inBrowser, async () => {
  const ids = [await sendWaiting(), await sendWaiting(), await sendWaiting()]
  const reader = await sitDown(service, { workspaceId, role: 'owner' })
  const { page } = reader
  await page.goto(`${at}?status=queued`)
  const rows = page.getByRole('checkbox', { name: /^Select \+977/ })
  await rows.nth(2).waitFor()
  await page.locator('h1').click()
  for (const key of ['j', 'x', 'j', 'j', 'X']) await page.keyboard.press(key)
  const bar = page.getByRole('region', { name: 'Selected messages' })
  await bar.getByText('3 selected').waitFor()
  assert.equal(await bar.getByRole('button', { name: /^Fail|^Resend/ }).count(), 0, 'only for operators')
  await judgeScreen(reader, 'messages-selected')
  await page.keyboard.press('x')
  await bar.getByText('2 selected').waitFor()
  await bar.getByRole('button', { name: 'Clear selection' }).click()
  await bar.waitFor({ state: 'detached' })
  await rows.first().check()
  await rows.nth(2).click({ modifiers: ['Shift'] })
  await bar.getByText('3 selected').waitFor()
  await page.getByRole('checkbox', { name: 'Select all rows' }).uncheck()
  await bar.waitFor({ state: 'detached' })
  await page.getByRole('checkbox', { name: 'Select all rows' }).check()
  await bar.getByText('3 selected').waitFor()
  // Another caller cancels one of them first.
  assert.equal((await service.manage('POST', `/messages/${ids[0]}/cancel`)).status, 200)
  await page.keyboard.press('b')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('2 messages can be cancelled.').waitFor()
  await dialog.getByText('Refund: NPR 3.00').waitFor()
  await dialog.getByText('1: the status is final').waitFor()
  await judgeScreen(reader, 'messages-cancel-selected')
  await dialog.getByRole('button', { name: 'Cancel 2 messages' }).click()
  await page.locator('input[aria-invalid=true]').waitFor()
  for (const id of ids.slice(1)) assert.equal((await statusOf(id)).status, 'queued')
  await page.getByLabel('to confirm').fill('Himal Bank')
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText('Messages cancelled: 2, left out: 1').waitFor()
  await page.getByText('No messages match your filters').waitFor()
  await bar.waitFor({ state: 'detached' })
  for (const id of ids) assert.equal((await statusOf(id)).status, 'failed')
  await page.context().close()
})

test(
  'an operator selects all messages that match the filters, over all workspaces, and resends them',
  inBrowser,
  async () => {
    const other = await makeClient(service)
    smsc.plan = () => ({ status: 0x0b })
    const sent = await Promise.all(
      Array.from({ length: 60 }, (_, index) => other.send({ to: `98${43_000_000 + index}`, text: 'Resend me' })),
    )
    const failed = [await sendRefused(), ...sent.map(({ body }) => body.messageId as string)]
    const query = 'status=failed&search=Resend%20me'
    await until(async () => (await service.manage('GET', `/messages?${query}&limit=200`)).body.items.length === 60)
    const reader = await sitDown(service)
    const { page } = reader
    await page.goto(`/console/messages?${query}`)
    await page.getByRole('checkbox', { name: 'Select all rows' }).check()
    const bar = page.getByRole('region', { name: 'Selected messages' })
    await bar.getByText('50 selected').waitFor()
    await bar.getByRole('button', { name: 'Select all 60' }).click()
    await bar.getByText('60 selected').waitFor()
    const download = page.waitForEvent('download')
    await bar.getByRole('button', { name: 'Export' }).click()
    const file = await (await download).createReadStream()
    const chunks: Buffer[] = []
    for await (const chunk of file) chunks.push(chunk)
    assert.equal(Buffer.concat(chunks).toString().split('Resend me').length, 61)
    smsc.plan = () => ({ report: 'DELIVRD' })
    await bar.getByRole('button', { name: 'Resend' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('60 messages can be resent.').waitFor()
    await dialog.getByText('Cost at the current price: NPR 90.00').waitFor()
    await judgeScreen(reader, 'messages-resend-selected')
    await dialog.getByRole('button', { name: 'Resend 60 messages' }).click()
    await page.getByRole('status').getByText('Messages resent: 60').waitFor()
    const again = await service.manage('POST', `/messages/${failed[1]}/resend`)
    assert.equal(again.status, 409, 'a message can be resent only once')
    await page.context().close()
  },
)

test('the bar for selected messages works on a narrow screen, and a viewer can only export', inBrowser, async () => {
  await sendRefused()
  // One row, since the bar lies over the rows at the lower edge.
  const digits = String(41_000_000 + last).slice(-4)
  const reader = await sitDown(service, { workspaceId, role: 'viewer' })
  const { page } = reader
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`${at}?status=failed&search=${digits}`)
  await page
    .getByRole('checkbox', { name: /^Select \+977/ })
    .first()
    .check()
  const bar = page.getByRole('region', { name: 'Selected messages' })
  await bar.getByText('1 selected').waitFor()
  assert.deepEqual(
    (await bar.getByRole('button').allTextContents()).filter((it) => /Resend|Cancel|Fail/.test(it)),
    [],
  )
  await judgeScreen(reader, 'messages-selected-narrow')
  await page.context().close()
})
