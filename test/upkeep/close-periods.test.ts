// Months close exactly once (D9): by the sweep, by the first request, and by both concurrently.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closePeriods } from '../../src/actions/service/sweeps.ts'
import { ManualClock } from '../../src/runtime/clock.ts'
import { getBalance, makeClient, makeWorkspace } from '../harness/client.ts'
import { query } from '../harness/server.ts'
import { call, ownService, START, type TestService } from '../harness/service.ts'

const MONTH_SECONDS = 31 * 86_400

interface Entry {
  kind: string
  amount: number
  period: string
}

async function ledgerOf({ manage }: TestService, workspaceId: string): Promise<Entry[]> {
  const { items } = (await manage('GET', `/workspaces/${workspaceId}/ledger?limit=200`)).body
  return items.map(({ kind, amount, period }: Entry) => ({ kind, amount, period })).toReversed()
}

test('D9: the sweep closes the months of idle workspaces, in several batches', async () => {
  const service = await ownService()
  const ids = await Promise.all(Array.from({ length: 120 }, () => makeWorkspace(service, { monthlyCredit: 2 })))
  await service.advance(MONTH_SECONDS)
  for (const id of ids.slice(0, 3)) {
    assert.deepEqual(await ledgerOf(service, id), [
      { kind: 'grant', amount: 2, period: '2026-11-01' },
      { kind: 'expiry', amount: 2, period: '2026-11-01' },
      { kind: 'grant', amount: 2, period: '2026-12-01' },
    ])
  }
  const open = await query(service.address, `select distinct period::text from workspace`)
  assert.deepEqual(open, [{ period: '2026-12-01' }])
})

test('D9: without a sweep the first send closes the month, and reads show the new month before', async () => {
  const service = await ownService({ env: { HULAKI_ROLES: 'api' } })
  const id = await makeWorkspace(service, { monthlyCredit: 3 })
  const { apiKey } = await makeClient(service, { workspaceId: id })
  await service.manage('POST', `/workspaces/${id}/credits`, { amount: 4 })
  await service.advance(2 * MONTH_SECONDS)
  assert.equal((await getBalance(service, apiKey)).body.balance, 3)
  assert.equal((await service.manage('GET', `/workspaces/${id}`)).body.period, '2027-01-01')
  assert.equal((await ledgerOf(service, id)).length, 2)
  assert.equal((await send(service, apiKey)).status, 200)
  assert.deepEqual(await ledgerOf(service, id), [
    { kind: 'grant', amount: 3, period: '2026-11-01' },
    { kind: 'topUp', amount: 4, period: '2026-11-01' },
    { kind: 'expiry', amount: 7, period: '2026-11-01' },
    { kind: 'grant', amount: 3, period: '2026-12-01' },
    { kind: 'expiry', amount: 3, period: '2026-12-01' },
    { kind: 'grant', amount: 3, period: '2027-01-01' },
    { kind: 'reservation', amount: 1.5, period: '2027-01-01' },
  ])
})

test('D9: concurrent sends, credits and sweeps of two processes close the month once', async () => {
  const clock = new ManualClock(START)
  const env = { HULAKI_ROLES: 'api' }
  const service = await ownService({ env, clock })
  const second = await ownService({ env, beside: service })
  const id = await makeWorkspace(service)
  const { apiKey } = await makeClient(service, { workspaceId: id, requestsPerSecond: 1000 })
  for (let month = 0; month < 3; month++) {
    await service.advance(MONTH_SECONDS)
    const calls = [service, second].flatMap((it) => [
      ...Array.from({ length: 4 }, () => closePeriods(it.ports)),
      ...Array.from({ length: 8 }, () => send(it, apiKey)),
      ...Array.from({ length: 4 }, () => it.manage('POST', `/workspaces/${id}/credits`, { amount: 1 })),
      it.manage('PATCH', `/workspaces/${id}`, { name: `Month ${month}` }),
    ])
    await Promise.all(calls)
  }
  const ledger = await ledgerOf(service, id)
  const turned = ledger.filter(({ kind }) => kind === 'grant' || kind === 'expiry')
  // Each month: 1000 granted, 16 sends at 1.5 and 8 credits of 1.
  assert.deepEqual(turned, [
    { kind: 'grant', amount: 1000, period: '2026-11-01' },
    { kind: 'expiry', amount: 1000, period: '2026-11-01' },
    { kind: 'grant', amount: 1000, period: '2026-12-01' },
    { kind: 'expiry', amount: 984, period: '2026-12-01' },
    { kind: 'grant', amount: 1000, period: '2027-01-01' },
    { kind: 'expiry', amount: 984, period: '2027-01-01' },
    { kind: 'grant', amount: 1000, period: '2027-02-01' },
  ])
  assert.equal((await getBalance(second, apiKey)).body.balance, 984)
})

function send({ url }: { url: string }, apiKey: string) {
  return call(`${url}/api/sms/v1/sms/send`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey },
    body: { to: '9841000001', text: 'Hello' },
  })
}
