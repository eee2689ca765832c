// The screens of webhooks without a browser: the real bundle, against the real service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { glance } from '../harness/readers.ts'
import { startEndpoint } from '../webhooks/endpoints.ts'
import { clientWithEndpoint, queueEvent, settle, startWebhookService } from '../webhooks/webhook-service.ts'

const HOSTILE = '<script>document.title = "taken over"</script>\u202e'

test('lists webhook events with attempts and the last response; one shows bodies as text', async (t) => {
  const service = await startWebhookService()
  const endpoint = await startEndpoint(t, (response) => response.writeHead(500).end(HOSTILE))
  const client = await clientWithEndpoint(service, endpoint)
  const { workspaceId } = client
  const id = await queueEvent(service, client)
  await settle(service)
  const list = await glance(service, `/console/w/${workspaceId}/webhooks`, { workspaceId })
  await list.until(/Himal app.*status.*delivered.*retrying.*1.*500/s)
  await list.close()
  const page = await glance(service, `/console/w/${workspaceId}/webhooks/${id}`, { workspaceId })
  await page.until(HOSTILE)
  await page.until('"type":"message.status"')
  await page.until('Next attempt')
  assert.equal(page.document.querySelectorAll('#root script').length, 0)
  await page.close()
})
