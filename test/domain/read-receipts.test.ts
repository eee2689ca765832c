// What a carrier over HTTP reports, read by its description (D52).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readReceipts } from '../../src/domain/http-carrier/read-receipts.ts'
import type { ReceiptReading } from '../../src/domain/http-carrier/receipts.ts'

const PLAIN: ReceiptReading = {
  list: null,
  id: 'any:id',
  reference: null,
  state: 'any:state',
  states: {},
  code: 'any:code',
  codes: {},
  to: null,
  time: null,
}
const NOTHING = { json: undefined, form: new URLSearchParams(), query: new URLSearchParams() }
const become = (fields: Record<string, unknown>, reading: Partial<ReceiptReading> = {}) => {
  const { receipts } = readReceipts({ ...NOTHING, json: { id: 'x', ...fields } }, { ...PLAIN, ...reading })
  return receipts.map(({ status, error }) => (error === '' ? status : `${status}: ${error}`)).join()
}

test('a code tells why something was not delivered, and nothing else', () => {
  const codes = { '30005': { error: 'invalid_number' }, reports: { error: 'carrier_rejected' } } as const
  assert.equal(become({ state: 'failed', code: 30005 }, { codes }), 'undelivered: invalid_number')
  assert.equal(become({ state: 'failed', code: '1' }, { codes }), 'undelivered: delivery_failed')
  assert.equal(become({ state: 'failed', code: 'reports' }, { codes }), 'undelivered: carrier_rejected')
  assert.equal(become({ state: 'delivered', code: '30005' }, { codes }), 'delivered')
})

test('a row may stand for all states that begin so; the whole word comes first, then the longest beginning', () => {
  const states = {
    'DELIVERED_*': { status: 'delivered' },
    DELIVERED_TO_OPERATOR: { status: 'pending' },
    '*': { status: 'undelivered' },
    'REJECTED_*': { status: 'rejected' },
    'REJECTED_LATE_*': { status: 'expired' },
  } as const
  const becomes = {
    DELIVERED_TO_HANDSET: 'delivered',
    DELIVERED_TO_OPERATOR: 'pending',
    REJECTED_SENDER: 'rejected: carrier_rejected',
    REJECTED_LATE_BY_A_DAY: 'undelivered: delivery_timeout',
    'a word of tomorrow': 'undelivered: delivery_failed',
  }
  for (const [state, became] of Object.entries(becomes)) assert.equal(become({ state }, { states }), became, state)
  assert.equal(become({ state: 'a word of tomorrow' }), 'pending')
})

test('a name may stand in JSON, in a form or in the query, whichever the account is set to', () => {
  const fields = new URLSearchParams({ id: 'x', state: 'delivered' })
  for (const source of [{ json: { id: 'x', state: 'delivered' } }, { form: fields }, { query: fields }]) {
    const { receipts, unreadable } = readReceipts({ ...NOTHING, ...source }, PLAIN)
    assert.deepEqual([receipts[0]?.reference, receipts[0]?.status, unreadable], ['x', 'delivered', 0])
  }
  assert.equal(readReceipts({ ...NOTHING, json: { id: {}, state: [] } }, PLAIN).unreadable, 1)
})
