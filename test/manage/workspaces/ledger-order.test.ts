// The ledger is in the order of the money movements, whatever the clocks of the processes are (D8).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../../src/runtime/clock.ts'
import { makeWorkspace } from '../../harness/client.ts'
import { ownService, START } from '../../harness/service.ts'

test('lists running balances in order for two processes with different clocks (D8)', async () => {
  const ahead = await ownService({ clock: new ManualClock(new Date(START.getTime() + 5_000)) })
  const behind = await ownService({ beside: { ...ahead, clock: new ManualClock(START) } })
  const workspaceId = await makeWorkspace(ahead, { monthlyCredit: 0 })
  for (const service of [ahead, behind, ahead, behind, behind, ahead])
    assert.equal((await service.manage('POST', `/workspaces/${workspaceId}/credits`, { amount: 1 })).status, 201)
  const pages = []
  for (let cursor = ''; ; ) {
    const { body } = await behind.manage('GET', `/workspaces/${workspaceId}/ledger?limit=4${cursor}`)
    pages.push(...body.items.map((entry: { balance: number }) => entry.balance))
    if (body.next === null) break
    cursor = `&cursor=${body.next}`
  }
  assert.deepEqual(pages, [6, 5, 4, 3, 2, 1])
})
