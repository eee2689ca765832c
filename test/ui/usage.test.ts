// The screen Usage & billing without a browser: the real bundle, against the real service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAmount } from '../../ui/parts/amount.ts'
import { monthsOf, sharesOf, sumOf } from '../../ui/usage/sums.ts'
import { makeClient, makeWorkspace } from '../harness/client.ts'
import { glance } from '../harness/readers.ts'
import { ownService } from '../harness/service.ts'

test('shows the balance, its renewal, and the spend by client', async () => {
  const service = await ownService({ env: { HULAKI_ROLES: 'api' } })
  const workspaceId = await makeWorkspace(service, { monthlyCredit: 10 })
  const client = await makeClient(service, { workspaceId, name: 'Himal app' })
  await client.send()
  await service.manage('PUT', `/workspaces/${workspaceId}/credit-alerts`, { below: [9] })
  const at = `/console/w/${workspaceId}/usage`
  const page = await glance(service, at, { workspaceId })
  await page.until('NPR 8.50')
  await page.until('Low')
  await page.until('below NPR 9.00')
  await page.until('Himal app')
  await page.close()
  const months = await glance(service, `${at}?tab=months`, { workspaceId })
  await months.until('November 2026')
  await months.until('Total')
  const csv = months.document.querySelector('a[download]')?.getAttribute('href')
  assert.equal(csv, `/api/manage/v1/workspaces/${workspaceId}/usage.csv?month=2026-11`)
  await months.close()
  const ledger = await glance(service, `${at}?tab=ledger&kind=reservation`, { workspaceId })
  await ledger.until('-1.50')
  await ledger.until('1 message')
  await ledger.close()
})

test('D7: sums are exact where binary fractions are not', () => {
  const usage = { day: '2026-11-16', clientId: 'a', type: 'otp', messages: 1, segments: 1, refunds: 0 } as const
  const [one, other] = [0.1, 0.2].map((cost) => ({ ...usage, cost, refunded: 0, net: cost }))
  assert.ok(one && other)
  assert.equal(sumOf([one, other]).net, 0.3)
  const cheap = { ...one, type: 'transactional' as const }
  assert.deepEqual(
    sharesOf([cheap, one, other]).map(({ type, net }) => [type, net]),
    [
      ['otp', 0.3],
      ['transactional', 0.1],
    ],
  )
})

test('reads amounts as people type them, and lists months back to the first', () => {
  assert.deepEqual(
    ['250', ' 99.50 ', '1,250', '12,34,567.5', '0.0001'].map(readAmount),
    [250, 99.5, 1250, 1_234_567.5, 0.0001],
  )
  assert.deepEqual(['', '-5', '1.00001', '5 rupees', '1e3', '1,5'].map(readAmount), Array(6).fill(undefined))
  const months = monthsOf({ period: '2027-01-01', createdAt: '2026-11-16T04:00:00.000Z' })
  assert.deepEqual(months, ['2027-01', '2026-12', '2026-11'])
})
