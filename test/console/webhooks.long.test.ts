// Webhooks in a real browser, against the real service and a real endpoint.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser, judgeScreen } from '../harness/browser.ts'
import { makeClient } from '../harness/client.ts'
import { sitDown } from '../harness/readers.ts'
import { startEndpoint } from '../webhooks/endpoints.ts'
import {
  clientWithEndpoint,
  queueEvent,
  queueEvents,
  settle,
  startWebhookService,
  urlOf,
} from '../webhooks/webhook-service.ts'

test('filters and resends events; validates a URL, sends a test event, and replays failures', inBrowser, async (t) => {
  const service = await startWebhookService()
  const answer = { statusCode: 404 }
  const endpoint = await startEndpoint(t, (response) => response.writeHead(answer.statusCode).end('<b>nobody here</b>'))
  const client = await clientWithEndpoint(service, endpoint)
  const { workspaceId } = client
  const other = await makeClient(service, { workspaceId, name: 'Web shop' })
  await queueEvents(service, client, [{}, { status: 'sent' }, { status: 'failed' }])
  await service.advance(40)
  answer.statusCode = 204
  await queueEvent(service, client)
  await settle(service)
  const reader = await sitDown(service, { workspaceId })
  const { page } = reader
  await page.goto(`/console/w/${workspaceId}/webhooks`)
  await page.getByRole('cell', { name: '404' }).first().waitFor()
  await judgeScreen(reader, 'webhooks')

  await page.getByRole('button', { name: 'failed' }).click()
  await page.waitForURL(/state=failed/)
  await page.getByRole('cell', { name: '204' }).waitFor({ state: 'detached' })
  await page.getByRole('combobox', { name: 'Client' }).selectOption({ label: 'Web shop' })
  await page.waitForURL(new RegExp(`client=${other.id}`))
  await page.getByText('No events match your filters.').waitFor()
  await page.goBack()
  await page.getByRole('cell', { name: '404' }).first().waitFor()

  // With the keyboard only: opens a failed event and resends it.
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.getByText('rejected by the endpoint').waitFor()
  await page.getByText('<b>nobody here</b>').last().waitFor()
  // People see masked numbers; the signed body has the full number.
  await page.getByText('"to":"+97798••••567"').waitFor()
  await page.getByText('Numbers are masked here').waitFor()
  await judgeScreen(reader, 'webhook')
  await page.getByRole('button', { name: 'Resend' }).press('Enter')
  await page.getByText('Resending with the same ID and body.').waitFor()
  await settle(service)
  await page.getByText('delivered', { exact: true }).waitFor()

  await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
  await page.getByRole('link', { name: 'Endpoints' }).click()
  await page.getByRole('link', { name: /Web shop/ }).click()
  await page.getByLabel('Webhook URL').fill('https://10.0.0.1/hook')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The webhook URL must not point to a special address').waitFor()
  await judgeScreen(reader, 'webhooks-receiver')
  await page.getByLabel('Webhook URL').fill(urlOf(endpoint, '/shop'))
  await page.keyboard.press('Enter')
  await page.getByText('Saved.').waitFor()
  await page.getByRole('button', { name: 'Send test event' }).click()
  await page.waitForURL(/\/webhooks\/[0-9a-f-]{36}$/)
  await settle(service)
  await page.getByText('delivered', { exact: true }).waitFor()
  assert.equal(endpoint.received.at(-1)?.target, '/shop')

  await page.goto(`/console/w/${workspaceId}/webhooks?show=endpoints&client=${client.id}`)
  const before = endpoint.received.length
  await page.getByLabel('Since').fill('2026-11-15T00:00')
  await page.getByRole('button', { name: 'Replay', exact: true }).click()
  await page.getByText('Replaying 2 events.').waitFor()
  await settle(service)
  assert.equal(endpoint.received.length, before + 2)

  const attempt = endpoint.received.at(-1)
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Verify signature' }).click()
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.getByLabel('Request headers').fill(`x-svc-signature: ${attempt?.headers['x-svc-signature']}`)
  await page.getByLabel('Raw request body').fill(String(attempt?.body))
  await page.getByLabel('Webhook secret').fill(client.webhookSecret)
  await page.keyboard.press('Enter')
  await page.getByText('The signature is valid.').waitFor()
  await page.getByText('Signature 1 matches').waitFor()
  await judgeScreen(reader, 'webhooks-checker')
  await page.getByLabel('Webhook secret').fill('whsec_another')
  await page.keyboard.press('Enter')
  await page.getByText('The signature is invalid').waitFor()
  assert.deepEqual(asked, [], 'pasted text is not sent')
})
