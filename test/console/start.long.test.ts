// Get started in a real browser: a code is sent, read on the test phone and verified.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser, judgeScreen } from '../harness/browser.ts'
import { makeClient, makeWorkspace } from '../harness/client.ts'
import { sitDown } from '../harness/readers.ts'
import { ownService } from '../harness/service.ts'

test(
  'a new owner creates a client, then sends and verifies an OTP by keyboard, and the steps tick',
  inBrowser,
  async () => {
    const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,webhooks,upkeep,simulator' } })
    const workspaceId = await makeWorkspace(service)
    const reader = await sitDown(service, { workspaceId })
    const { page } = reader
    await page.goto(`/console/w/${workspaceId}`)
    await page.waitForURL(/\/start$/)
    await page.getByRole('link', { name: 'Create client' }).click()
    await page.waitForURL(/\/clients\?make=client/)
    await makeClient(service, { workspaceId, name: 'Trying', mode: 'test', testOtpCode: '123456' })
    await makeClient(service, { workspaceId, name: 'Web shop' })
    await page.goto(`/console/w/${workspaceId}/start`)
    const step = (name: string) => page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) })
    await step('Send a message').getByRole('link', { name: 'Send message' }).waitFor()
    assert.equal(await page.getByLabel('Client').locator('option:checked').innerText(), 'Web shop')
    await judgeScreen(reader, 'start')

    await page.getByLabel('Phone number').focus()
    await page.keyboard.press('Enter')
    await page.getByText('Code sent.').waitFor()
    await service.settle()
    const text = await page.getByText(/is your verification code/).innerText()
    await page.getByRole('link', { name: 'Open test phone' }).click()
    await page.waitForURL(/\/phone\?number=%2B9779800000001$/)
    await page.getByText(text).first().waitFor()
    await page.goBack()
    await page.getByLabel('Code from the phone').focus()
    await page.keyboard.type('000000')
    await page.keyboard.press('Enter')
    await page.getByText(/Wrong code/).waitFor()
    await page.getByLabel('Code from the phone').fill(/\d{6}/.exec(text)?.[0] ?? '')
    await page.keyboard.press('Enter')
    await page.getByText('Verified.').waitFor()
    await step('Verify a code').getByText('Done').waitFor()
    await step('Send a message').getByText('Done').waitFor()
    await judgeScreen(reader, 'start-verified')

    // The error is shown at the form.
    await page.getByRole('button', { name: 'Send code' }).click()
    await page.getByText('rate_limited').waitFor()
    await page.getByRole('link', { name: 'TypeScript' }).click()
    await page.waitForURL(/in=typescript/)
    await page.getByText('process.env.HULAKI_API_KEY').waitFor()
  },
)

test('Get started names the template rule, and hides actions that the role may not use', inBrowser, async () => {
  const service = await ownService()
  const workspaceId = await makeWorkspace(service, { templatesRequired: true })
  const { page } = await sitDown(service, { workspaceId, role: 'viewer' })
  await page.goto(`/console/w/${workspaceId}/start`)
  await page.getByText('only sends messages that match an approved template').waitFor()
  assert.equal(await page.getByRole('link', { name: 'View templates' }).count(), 1)
  assert.equal(await page.getByRole('link', { name: 'Create client' }).count(), 0)
})
