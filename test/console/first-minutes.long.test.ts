// The first two minutes of a new user: the output of `npm start`, then only a browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser, openReader, pictureOf } from '../harness/browser.ts'
import { dataFolder, ServiceProcess } from '../harness/process.ts'

test('the first sign-in link works, and an OTP is sent, read and verified in the console', inBrowser, async () => {
  const service = new ServiceProcess({ env: { HULAKI_DATA_DIR: dataFolder(), HULAKI_PROCESSES: '1' } })
  await service.url()
  const link = service.shown(/^ +(http\S+\/console\/welcome#\S+)$/m)
  assert.ok(link, service.stdout)
  const reader = await openReader()
  const { page } = reader
  await page.goto(link)
  await page.getByRole('button', { name: 'Open console' }).click()
  await page.waitForURL(/\/w\/[\da-f-]+\/start$/)
  assert.doesNotMatch(page.url(), /#/, 'the secret is removed from the address')
  await page.getByRole('button', { name: 'Send code' }).click()
  const text = await page.getByText(/is your verification code/).innerText()
  await page.getByLabel('Code from the phone').fill(/\d{6}/.exec(text)?.[0] ?? '')
  await page.getByRole('button', { name: 'Verify', exact: true }).click()
  await page.getByText('Verified.').waitFor()
  await page.screenshot({ path: pictureOf('first-minutes') })
  // Leaving the only workspace does not redirect back to it.
  await page.getByTitle('Switch workspace').click()
  await page.getByRole('link', { name: 'All workspaces' }).click()
  await page.waitForURL(/\/console\/now$/)
  // The link works once.
  const other = await openReader()
  await other.page.goto(link)
  await other.page.getByText('This link is no longer valid').waitFor()
  assert.equal(await other.page.getByRole('button', { name: 'Open console' }).count(), 0)
  assert.equal(await service.stop(), 0)
})
