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
    await page.getByRole('button', { name: 'Resend message' }).click()
    await page.getByText('Submitted again.').waitFor()
    await until(() => smsc.taken.length > before)
    await until(async () => (await service.manage('GET', `/messages/${id}/timeline`)).body.message.attempts > 1)
    await page.getByRole('button', { name: 'Fail', exact: true }).click()
    await page.getByText(/it may still arrive/).waitFor()
    await until(async () => {
      // A message cannot be failed while it is being submitted.
      await page.getByRole('button', { name: 'Fail message' }).click()
      return Promise.race([
        page
          .getByText('Failed. NPR 1.50 refunded.')
          .waitFor()
          .then(() => true),
        page
          .getByText('The message is being submitted now')
          .waitFor()
          .then(() => false),
      ])
    })
    assert.equal((await statusOf(id)).status, 'failed')
    await page.context().close()
  },
)

test('a failed message is resent as a new message, linked from the page', inBrowser, async () => {
  const id = await sendRefused()
  smsc.plan = () => ({ report: 'DELIVRD' })
  const { page } = await sitDown(service)
  await page.goto(`${at}/${id}`)
  await page.getByRole('button', { name: 'Resend', exact: true }).click()
  await page.getByText(/is sent as a new message/).waitFor()
  await page.getByRole('button', { name: 'Resend message' }).click()
  await page
    .getByText(/Charged NPR 1\.50\. Resent as/)
    .getByRole('link')
    .click()
  await page.waitForURL((url) => !url.pathname.endsWith(id) && /messages\/[0-9a-f-]{36}$/.test(url.pathname))
  await page.getByText('Delivered', { exact: true }).waitFor()
  assert.equal(await page.getByText('Resent as').count(), 0)
  await page.context().close()
})

test('cancels all queued messages of the list after a count and the typed name', inBrowser, async () => {
  const ids = [await sendWaiting(), await sendWaiting()]
  const reader = await sitDown(service, { workspaceId, role: 'owner' })
  const { page } = reader
  await page.goto(`${at}?status=queued`)
  await page.getByRole('button', { name: 'Cancel…' }).waitFor()
  await judgeScreen(reader, 'messages-with-all')
  assert.equal(await page.getByRole('button', { name: 'Fail…' }).count(), 0, 'only operators can fail messages')
  await page.getByRole('button', { name: 'Cancel…' }).click()
  await page.getByText('Matching messages: 2.').waitFor()
  await judgeScreen(reader, 'messages-cancel-all')
  await page.getByRole('button', { name: 'Cancel queued messages' }).click()
  await page.locator('input[aria-invalid=true]').waitFor()
  await page.getByLabel('to confirm').fill('Himal Bank')
  await page.keyboard.press('Enter')
  await page.getByText('Cancelled and refunded: 2.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  await page.getByText('No messages match your filters.').waitFor()
  for (const id of ids) assert.equal((await statusOf(id)).status, 'failed')
  await page.goto(`${at}?status=failed`)
  await page.getByText('cancelled').first().waitFor()
  await page.goto(`${at}?status=queued&type=otp`)
  await page.getByText('No messages match your filters.').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Cancel…' }).count(), 0, 'the API does not accept this filter')
  await page.context().close()
})

test(
  'an operator resends and fails messages of the list by client; an invalid number shows its error',
  inBrowser,
  async () => {
    const failed = await sendRefused()
    smsc.plan = () => ({ report: 'DELIVRD' })
    const { page } = await sitDown(service)
    const name = page.getByLabel('to confirm')
    await page.goto(`${at}?status=failed&client=${client.id}`)
    await page.getByRole('button', { name: 'Resend…' }).click()
    await page.getByText(/may arrive twice/).waitFor()
    await page.getByLabel('Minimum age (minutes)').fill('soon')
    await name.fill('Himal Bank')
    await page.getByRole('button', { name: 'Resend messages' }).click()
    await page.locator('input[aria-invalid=true]').waitFor()
    await page.getByLabel('Minimum age (minutes)').fill('0')
    await page.getByRole('button', { name: 'Resend messages' }).click()
    await page.getByText(/^Resent: \d+\./).waitFor()
    const again = await service.manage('POST', `/messages/${failed}/resend`)
    assert.equal(again.status, 409, 'a message can be resent only once')
    await page.goto(`${at}?status=submitting&status=sent`)
    await page.getByRole('button', { name: 'Fail…' }).click()
    await page.getByText(/Messages that a carrier has may still arrive/).waitFor()
    assert.equal(await page.getByLabel('Minimum age (minutes)').inputValue(), '1')
    await name.fill('Himal Bank')
    await page.keyboard.press('Enter')
    await page.getByText(/^Failed and refunded: \d+\./).waitFor()
    await page.context().close()
  },
)
