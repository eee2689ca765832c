// How the states of HTTP receipts are looked up, and where they may be.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReceiptReading } from '../../../src/domain/carriers/http/description.ts'
import { isKnownIn, readReceipts } from '../../../src/domain/carriers/http/read-receipts.ts'

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

test('matches a state exactly first, then by the longest prefix', () => {
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
  const { '*': _, ...fewer } = states
  assert(
    isKnownIn({ ...PLAIN, states: fewer }, 'REJECTED_SENDER') &&
      !isKnownIn({ ...PLAIN, states: fewer }, 'REJECTED'.repeat(2)),
  )
})

test('reads a name from JSON, a form or the query', () => {
  const fields = new URLSearchParams({ id: 'x', state: 'delivered' })
  for (const source of [{ json: { id: 'x', state: 'delivered' } }, { form: fields }, { query: fields }]) {
    const { receipts, unreadable } = readReceipts({ ...NOTHING, ...source }, PLAIN)
    assert.deepEqual([receipts[0]?.reference, receipts[0]?.status, unreadable], ['x', 'delivered', 0])
  }
  assert.equal(readReceipts({ ...NOTHING, json: { id: {}, state: [] } }, PLAIN).unreadable, 1)
})
