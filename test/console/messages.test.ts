// The screen Messages in a real browser, against the real service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser, judgeScreen } from '../harness/browser.ts'
import { makeClient } from '../harness/client.ts'
import { sitDown } from '../harness/readers.ts'
import { startTestService } from '../harness/service.ts'

test('messages are listed, narrowed by status in the address, and reached by keyboard alone', inBrowser, async () => {
  const service = await startTestService()
  const client = await makeClient(service)
  const { body } = await client.send({ text: 'Namaste from the test' })
  const reader = await sitDown(service, { workspaceId: client.workspaceId })
  const { page } = reader
  await page.goto(`/console/w/${client.workspaceId}/messages`)
  const row = page.getByRole('row', { name: /Namaste from the test/ })
  await row.waitFor()
  await judgeScreen(reader, 'messages')
  await page.getByRole('button', { name: 'failed' }).click()
  await page.waitForURL(/status=failed/)
  await page.getByText('No message is like that.').waitFor()
  await page.goBack()
  await row.waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.waitForURL(new RegExp(`/messages/${body.messageId}$`))
  assert.equal(await page.title(), 'Messages · Hulaki')
})
