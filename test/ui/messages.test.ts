// The screen Messages without a browser: the real bundle, against the real service.
import { test } from 'node:test'
import { makeClient } from '../harness/client.ts'
import { glance } from '../harness/readers.ts'
import { sharedService } from '../harness/service.ts'

test('a message is listed with its status and text', async () => {
  const service = await sharedService()
  const client = await makeClient(service)
  await client.send({ text: 'Namaste from the test' })
  const page = await glance(service, `/console/w/${client.workspaceId}/messages`, { workspaceId: client.workspaceId })
  await page.until('Namaste from the test')
  await page.until('Queued')
  await page.close()
})
