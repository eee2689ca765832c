// The screens of webhooks without a browser: the real bundle, against the real service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { glance } from '../harness/readers.ts'
import { startEndpoint } from '../webhooks/endpoints.ts'
import { clientWithEndpoint, queueEvent, settle, startWebhookService } from '../webhooks/webhook-service.ts'

const HOSTILE = '<script>document.title = "taken over"</script>\u202e'

test('lists webhook events with the last response; row and page show bodies as text, but not to a viewer', async (t) => {
  const service = await startWebhookService()
  const endpoint = await startEndpoint(t, (response) => response.writeHead(500).end(HOSTILE))
  const client = await clientWithEndpoint(service, endpoint)
  const { workspaceId } = client
  const id = await queueEvent(service, client)
  await settle(service)
  const list = await glance(service, `/console/w/${workspaceId}/webhooks`, { workspaceId })
  await list.until(/Himal app.*message\.status.*delivered.*Retrying.*1.*HTTP 500/s)
  await list.close()
  const unfolded = await glance(service, `/console/w/${workspaceId}/webhooks?open=${id}`, { workspaceId })
  await unfolded.until(HOSTILE)
  assert.equal(unfolded.document.querySelectorAll('#root script').length, 0)
  await unfolded.close()
  const asViewer = await glance(service, `/console/w/${workspaceId}/webhooks?open=${id}`, {
    workspaceId,
    role: 'viewer',
  })
  await asViewer.until('HTTP 500')
  for (const text of [HOSTILE, '/hook', 'Send test event', 'Open event', 'Add endpoint'])
    assert.equal(asViewer.text().includes(text), false, `a viewer sees ${text}`)
  await asViewer.close()
  const page = await glance(service, `/console/w/${workspaceId}/webhooks/${id}`, { workspaceId })
  await page.until(HOSTILE)
  await page.until('"type":"message.status"')
  await page.until('Next attempt')
  assert.equal(page.document.querySelectorAll('#root script').length, 0)
  await page.close()
})
