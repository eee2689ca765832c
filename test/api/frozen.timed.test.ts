// With production limits, the server ends a frozen transaction before it refuses a request that waits for its locks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeClient } from '../harness/client.ts'
import { freezer } from '../harness/freezer.ts'
import { type Answer, ownService } from '../harness/service.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api' }, limits: 'production' })
const freezeWhile = freezer(service)

async function served(asked: Promise<Answer>): Promise<void> {
  const { status, body } = await asked
  assert.equal(status, 200, JSON.stringify(body))
}

test('serves requests that wait for a frozen process, instead of refusing them', async () => {
  const held = await makeClient(service)
  await freezeWhile({ workspaceId: held.workspaceId, number: '+9779841000003', isEndedByServer: true })
  await Promise.all([
    served(held.send()),
    served(held.otp({ to: '+9779841000001' })),
    served(held.otp({ to: '+9779841000003' })),
  ])
  await served(held.send())
})
