// A clock that is moved by hand: the call answers when the roles have done what became due.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeWorkspace } from '../../harness/client.ts'
import { assertRefused } from '../../harness/refused.ts'
import { ownService, START, systemClock } from '../../harness/service.ts'

const service = await ownService()
const { manage, advance } = service

test('200: time moves by what was asked, and what became due is done at its own moment', async () => {
  const id = await makeWorkspace(service, { monthlyCredit: 5 })
  const { status, body } = await advance(90 * 86_400)
  assert.deepEqual([status, body.now], [200, new Date(START.getTime() + 90 * 86_400_000).toISOString()])
  const { items } = (await manage('GET', `/workspaces/${id}/ledger`)).body
  const closed = items.filter((it: { kind: string }) => it.kind === 'expiry').map((it: { at: string }) => it.at)
  assert.deepEqual(closed, ['2027-01-31T18:15:00.000Z', '2026-12-31T18:15:00.000Z', '2026-11-30T18:15:00.000Z'])
})

test('200: moves that are asked for at once follow each other', async () => {
  const before = service.clock.now().getTime()
  await Promise.all([advance(1), advance(2), advance(0.5)])
  assert.equal(service.clock.now().getTime(), before + 3500)
})

test('400: time does not go back, nor run ten years', async () => {
  for (const seconds of [-1, 315_360_001, '5', null]) {
    assertRefused(await manage('POST', '/clock/advance', { seconds }), 400, 'invalid_request', ['seconds'])
  }
})

test('404: on the system clock the call does not exist', async () => {
  const real = await ownService({ clock: systemClock() })
  assertRefused(await real.manage('POST', '/clock/advance', { seconds: 1 }), 404, 'not_found')
})
