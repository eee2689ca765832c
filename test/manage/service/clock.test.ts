// The manual clock: the call answers when all due work is done.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeWorkspace } from '../../harness/client.ts'
import { assertRefused } from '../../harness/refused.ts'
import { ownService, START, systemClock } from '../../harness/service.ts'

const service = await ownService()
const { manage, advance } = service

test('advances the time by the given seconds, and runs due work at its own time', async () => {
  const id = await makeWorkspace(service, { monthlyCredit: 5 })
  const { status, body } = await advance(90 * 86_400)
  assert.deepEqual([status, body.now], [200, new Date(START.getTime() + 90 * 86_400_000).toISOString()])
  const { items } = (await manage('GET', `/workspaces/${id}/ledger`)).body
  const closed = items.filter((it: { kind: string }) => it.kind === 'expiry').map((it: { at: string }) => it.at)
  assert.deepEqual(closed, ['2027-01-31T18:15:00.000Z', '2026-12-31T18:15:00.000Z', '2026-11-30T18:15:00.000Z'])
})

test('runs concurrent advances one after another', async () => {
  const before = service.clock.now().getTime()
  await Promise.all([advance(1), advance(2), advance(0.5)])
  assert.equal(service.clock.now().getTime(), before + 3500)
})

test('rejects negative steps and steps over ten years with 400', async () => {
  for (const seconds of [-1, 315_360_001, '5', null]) {
    assertRefused(await manage('POST', '/clock/advance', { seconds }), 400, 'invalid_request', ['seconds'])
  }
})

test('answers 404 with the system clock', async () => {
  const real = await ownService({ clock: systemClock() })
  assertRefused(await real.manage('POST', '/clock/advance', { seconds: 1 }), 404, 'not_found')
})
