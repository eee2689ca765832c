// The ledger reads in the order in which money moved, whatever the clocks of the processes say that moved it (D8).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../../src/runtime/clock.ts'
import { makeWorkspace } from '../../harness/client.ts'
import { ownService, START } from '../../harness/service.ts'

test('D8: two processes whose clocks differ list running balances in order', async () => {
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
