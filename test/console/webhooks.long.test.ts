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

const CLIENT_NAME = 'Himal app'

test(
  'shows failing endpoints first; filters and resends events; validates a URL, sends a test event, and replays failures',
  inBrowser,
  async (t) => {
    const service = await startWebhookService()
    const answer = { statusCode: 404 }
    const endpoint = await startEndpoint(t, (response) =>
      response.writeHead(answer.statusCode).end('<b>nobody here</b>'),
    )
    const client = await clientWithEndpoint(service, endpoint)
    const { workspaceId } = client
    const other = await makeClient(service, { workspaceId, name: 'Web shop' })
    await queueEvents(service, client, [{}, { status: 'sent' }, { status: 'failed' }])
    await service.advance(40)
    const reader = await sitDown(service, { workspaceId })
    const { page } = reader
    const failing = page.getByRole('region', { name: CLIENT_NAME })
    await page.goto(`/console/w/${workspaceId}/webhooks`)
    await failing.getByText(/Failing since .*\d\d:\d\d/).waitFor()
    await failing.getByText('HTTP 404', { exact: true }).waitFor()
    await failing.getByText(/^(\d+) of \1 attempts failed$/).waitFor()
    await failing.getByRole('img', { name: /Attempts failed in [12] of the last 48 half hours/ }).waitFor()
    await page.getByRole('link', { name: /^Webhooks 1$/ }).waitFor()
    await judgeScreen(reader, 'webhooks-failing')
    await failing.getByRole('button', { name: 'Replay failed events' }).click()
    await page.getByRole('dialog', { name: `Replay failed events of ${CLIENT_NAME}` }).waitFor()
    await judgeScreen(reader, 'webhooks-replay')
    await page.keyboard.press('Escape')
    answer.statusCode = 204
    await queueEvent(service, client)
    await settle(service)
    await page.goto(`/console/w/${workspaceId}/webhooks`)
    await page.getByRole('cell', { name: '404' }).first().waitFor()
    await page.getByRole('listitem').filter({ hasText: 'Healthy' }).waitFor()
    assert.equal(await failing.count(), 0)
    await judgeScreen(reader, 'webhooks')

    await page.getByRole('combobox', { name: 'Status' }).selectOption({ label: 'Failed' })
    await page.waitForURL(/state=failed/)
    await page.getByRole('cell', { name: '204' }).waitFor({ state: 'detached' })
    await page.getByRole('combobox', { name: 'Endpoint' }).selectOption({ label: 'Web shop' })
    await page.waitForURL(new RegExp(`client=${other.id}`))
    await page.getByText('No events match your filters.').waitFor()
    await page.goBack()
    await page.getByRole('cell', { name: '404' }).first().waitFor()

    // With the keyboard only: unfolds a failed event, opens its page and resends it.
    await page.locator('h1').click()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL(/open=/)
    await page.getByText('<b>nobody here</b>').waitFor()
    await page.getByRole('list', { name: 'Attempts' }).getByText('HTTP 404').nth(2).waitFor()
    await page.getByRole('list', { name: 'Attempts' }).getByRole('button').first().click()
    await judgeScreen(reader, 'webhooks-unfolded')
    await page.getByRole('link', { name: 'Open event' }).press('Enter')
    await page.getByText('rejected by the endpoint').waitFor()
    await page.getByText('<b>nobody here</b>').last().waitFor()
    // People see masked numbers; the signed body has the full number.
    await page.getByText('"to":"+97798••••567"').waitFor()
    await page.getByText('Numbers are masked here').waitFor()
    await judgeScreen(reader, 'webhook')
    await page.getByRole('button', { name: 'Resend' }).press('Enter')
    await page.getByText('Resending with the same ID and body').waitFor()
    await settle(service)
    await page.getByText('Delivered', { exact: true }).waitFor()

    await page.locator('#menu').getByRole('link', { name: 'Webhooks', exact: true }).click()
    await page.getByRole('link', { name: 'Endpoints' }).click()
    await page.getByRole('link', { name: /Web shop/ }).click()
    await page.getByLabel('Webhook URL').fill('https://10.0.0.1/hook')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The webhook URL must not point to a special address').waitFor()
    await judgeScreen(reader, 'webhooks-receiver')
    await page.getByLabel('Webhook URL').fill(urlOf(endpoint, '/shop'))
    await page.keyboard.press('Enter')
    await page.getByText('Client updated').waitFor()
    await page.getByRole('button', { name: 'Send test event' }).click()
    await page.waitForURL(/\/webhooks\/[0-9a-f-]{36}$/)
    await settle(service)
    await page.getByText('Delivered', { exact: true }).waitFor()
    assert.equal(endpoint.received.at(-1)?.target, '/shop')

    await page.goto(`/console/w/${workspaceId}/webhooks?show=endpoints&client=${client.id}`)
    const before = endpoint.received.length
    await page.getByRole('button', { name: 'Replay failed events…' }).click()
    await page.getByLabel('Since').fill('2026-11-15T00:00')
    await page.getByRole('button', { name: 'Replay', exact: true }).click()
    await page.getByText('Replaying 2 events.').waitFor()
    await settle(service)
    assert.equal(endpoint.received.length, before + 2)

    const attempt = endpoint.received.at(-1)
    await page.keyboard.press('Escape')
    await page.getByLabel('Webhook URL').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Verify signature' }).click()
    const signature = String(attempt?.headers['x-svc-signature'])
    const pasted = [signature, String(attempt?.body), client.webhookSecret, 'whsec_another']
    // The console's own files may still be loading, and live updates go on.
    const leaks: string[] = []
    page.on('request', (request) => {
      const sent = `${decodeURIComponent(request.url())} ${request.postData() ?? ''}`
      if (request.method() !== 'GET' || pasted.some((text) => sent.includes(text))) leaks.push(sent)
    })
    await page.getByLabel('Request headers').fill(`x-svc-signature: ${signature}`)
    await page.getByLabel('Raw request body').fill(String(attempt?.body))
    await page.getByLabel('Webhook secret').fill(client.webhookSecret)
    await page.keyboard.press('Enter')
    await page.getByText('The signature is valid.').waitFor()
    await page.getByText('Signature 1 matches').waitFor()
    await judgeScreen(reader, 'webhooks-checker')
    await page.getByLabel('Webhook secret').fill('whsec_another')
    await page.keyboard.press('Enter')
    await page.getByText('The signature is invalid').waitFor()
    assert.deepEqual(leaks, [], 'pasted text is not sent')
  },
)
