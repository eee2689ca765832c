// Credit and ledger (D7 to D9), exact to the last decimal.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeWorkspace } from '../../harness/client.ts'
import { assertRefused } from '../../harness/refused.ts'
import { call, OPERATOR_TOKEN, ownService } from '../../harness/service.ts'
import { ABSENT } from '../fixtures.ts'

const service = await ownService()
const { manage, advance } = service

test('adds credit exactly where binary fractions would not', async () => {
  const id = await makeWorkspace(service, { monthlyCredit: 0.1 })
  const { status, body } = await manage('POST', `/workspaces/${id}/credits`, { amount: 0.2, note: 'Dashain gift' })
  assert.deepEqual([status, body], [201, { balance: 0.3 }])
  for (let times = 1; times <= 9; times++) await manage('POST', `/workspaces/${id}/credits`, { amount: 0.0001 })
  assert.equal((await manage('GET', `/workspaces/${id}`)).body.balance, 0.3009)
})

test('lists every ledger entry with its balance, newest first', async () => {
  const id = await makeWorkspace(service, { monthlyCredit: 5 })
  await manage('POST', `/workspaces/${id}/credits`, { amount: 2.5, note: 'Paid by cheque' })
  const { items, next } = (await manage('GET', `/workspaces/${id}/ledger`)).body
  assert.equal(next, null)
  const rows = items.map(({ kind, amount, balance, period, note, messageId }: Record<string, unknown>) => [
    ...[kind, amount, balance, period],
    ...[note, messageId],
  ])
  assert.deepEqual(rows, [
    ['topUp', 2.5, 7.5, '2026-11-01', 'Paid by cheque', null],
    ['grant', 5, 5, '2026-11-01', null, null],
  ])
})

test('expires the rest of a month, and grants the current monthly credit (D9)', async () => {
  const id = await makeWorkspace(service, { monthlyCredit: 5 })
  await manage('POST', `/workspaces/${id}/credits`, { amount: 1 })
  await advance(16 * 86_400)
  // A new monthly credit applies from the next month.
  await manage('PATCH', `/workspaces/${id}`, { monthlyCredit: 7 })
  assert.equal((await manage('GET', `/workspaces/${id}`)).body.balance, 5)
  await advance(31 * 86_400)
  const { items } = (await manage('GET', `/workspaces/${id}/ledger`)).body
  const rows = items.map((it: Record<string, unknown>) => [
    ...[it.kind, it.amount, it.balance, it.period],
    ...[it.at, it.expiresAt],
  ])
  const [november, december, january] = [
    '2026-11-30T18:15:00.000Z',
    '2026-12-31T18:15:00.000Z',
    '2027-01-31T18:15:00.000Z',
  ]
  assert.deepEqual(rows, [
    ['grant', 7, 7, '2027-01-01', december, january],
    ['expiry', 5, 0, '2026-12-01', december, null],
    ['grant', 5, 5, '2026-12-01', november, december],
    ['expiry', 6, 0, '2026-11-01', november, null],
    ['topUp', 1, 6, '2026-11-01', '2026-11-16T04:00:00.000Z', november],
    ['grant', 5, 5, '2026-11-01', '2026-11-16T04:00:00.000Z', november],
  ])
})

test('rejects invalid amounts, and a balance beyond exact numbers, with 400', async () => {
  const id = await makeWorkspace(service)
  for (const amount of [0, -1, 0.00005, '5', null, 1e12]) {
    assertRefused(await manage('POST', `/workspaces/${id}/credits`, { amount }), 400, 'invalid_request', ['amount'])
  }
  const largest = { amount: 99_999_999_999.9999 }
  assertRefused(await manage('POST', `/workspaces/${id}/credits`, largest), 400, 'invalid_request', ['amount'])
  assert.equal((await manage('GET', `/workspaces/${id}`)).body.balance, 1000)
})

test('shows the largest balance to the last decimal (D7)', async () => {
  const id = await makeWorkspace(service, { monthlyCredit: 0 })
  const { body } = await manage('POST', `/workspaces/${id}/credits`, { amount: 99_999_999_999.9999 })
  assert.equal(body.balance, 99_999_999_999.9999)
})

test('adds a hundred concurrent credits', async () => {
  const id = await makeWorkspace(service, { monthlyCredit: 0 })
  const credit = () => manage('POST', `/workspaces/${id}/credits`, { amount: 0.1 })
  await Promise.all(Array.from({ length: 100 }, credit))
  assert.equal((await manage('GET', `/workspaces/${id}`)).body.balance, 10)
})

test('answers 404 for a missing workspace', async () => {
  assertRefused(await manage('POST', `/workspaces/${ABSENT}/credits`, { amount: 1 }), 404, 'not_found')
  assertRefused(await manage('GET', `/workspaces/${ABSENT}/ledger`), 404, 'not_found')
})

test('adds a repeated top-up with an Idempotency-Key once, also for concurrent calls (D25)', async () => {
  const id = await makeWorkspace(service, { monthlyCredit: 0 })
  const topUp = (amount: number) =>
    call(`${service.url}/api/manage/v1/workspaces/${id}/credits`, {
      method: 'POST',
      body: { amount },
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'idempotency-key': 'cheque-17' },
    })
  const answers = await Promise.all(Array.from({ length: 10 }, () => topUp(25)))
  for (const { status, body } of answers) assert.deepEqual([status, body], [201, { balance: 25 }])
  assert.equal(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true').length, 9)
  assertRefused(await topUp(26), 409, 'idempotency_conflict')
  assert.equal((await manage('GET', `/workspaces/${id}`)).body.balance, 25)
})
