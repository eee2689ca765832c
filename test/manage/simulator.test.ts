// The handset list over HTTP: the operator reads it, where a simulator runs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeOwner, makeWorkspace } from '../harness/client.ts'
import { assertRefused } from '../harness/refused.ts'
import { startTestService } from '../harness/service.ts'

test('200: with nothing sent yet the handsets are empty', async () => {
  const { manage } = await startTestService({ env: { HULAKI_ROLES: 'api,simulator' } })
  const { status, body } = await manage('GET', '/simulator/messages')
  assert.deepEqual([status, body], [200, { items: [] }])
})

test('404: an owner is not shown what others were sent', async () => {
  const service = await startTestService({ env: { HULAKI_ROLES: 'api,simulator' } })
  const { token } = await makeOwner(service, await makeWorkspace(service))
  assertRefused(await service.manage('GET', '/simulator/messages', undefined, token), 404, 'not_found')
})

test('404: where no simulator runs the call does not exist', async () => {
  const { manage } = await startTestService({ env: { HULAKI_ROLES: 'api' } })
  assertRefused(await manage('GET', '/simulator/messages'), 404, 'not_found')
})
