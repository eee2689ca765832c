// The screen Verify without a browser: the real bundle, against the real service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stagesOf } from '../../ui/codes/stages.ts'
import { makeClient } from '../harness/client.ts'
import { glance } from '../harness/readers.ts'
import { ownService } from '../harness/service.ts'

test('shows codes by day and prefix, and fraud findings with their action', async () => {
  const service = await ownService()
  const client = await makeClient(service, { name: 'Himal app', restrictions: { pumpingGuard: 'block' } })
  for (let index = 0; index < 7; index++) await client.otp({ to: `+97798511110${20 + index}` })
  const at = `/console/w/${client.workspaceId}/codes`
  const seat = { workspaceId: client.workspaceId }
  const page = await glance(service, at, seat)
  await page.until('+977985')
  await page.until('Verification rate')
  await page.close()
  const guard = await glance(service, `${at}?tab=guard`, seat)
  await guard.until('+977985111xxxx')
  await guard.until('Blocked 2')
  await guard.until('Himal app')
  await guard.close()
})

test('counts a verified code without a receipt as delivered', () => {
  assert.deepEqual(stagesOf({ sent: 10, delivered: 6, verified: 4 }), [4, 2, 4])
  assert.deepEqual(stagesOf({ sent: 10, delivered: 0, verified: 4 }), [4, 0, 6])
  assert.deepEqual(stagesOf({ sent: 0, delivered: 0, verified: 0 }), [0, 0, 0])
})
