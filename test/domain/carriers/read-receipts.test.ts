// What is read from a receipt callback by its description (D52).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReceiptReading } from '../../../src/domain/carriers/http/description.ts'
import { isKnownIn, readReceipts } from '../../../src/domain/carriers/http/read-receipts.ts'

const reading: ReceiptReading = {
  list: null,
  id: '/id',
  reference: null,
  state: '/state',
  code: '/code',
  to: '/to',
  time: null,
  states: { GONE: { status: 'undelivered' }, OK: { status: 'delivered' }, NO: { status: 'rejected' } },
  codes: { '30005': { error: 'invalid_number' }, reports: { error: 'network_unavailable' } },
}

const read = (json: unknown) => {
  const source = { json, form: new URLSearchParams(), query: new URLSearchParams() }
  const [receipt] = readReceipts(source, reading).receipts
  return receipt && [receipt.status, receipt.error]
}

test('reads the failure code of an undelivered message, and of no other', () => {
  assert.deepEqual(read({ id: '1', state: 'GONE', code: '30005' }), ['undelivered', 'invalid_number'])
  assert.deepEqual(read({ id: '1', state: 'UNDELIV', code: 30005 }), ['undelivered', 'invalid_number'])
  assert.deepEqual(read({ id: '1', state: 'GONE', code: 'reports' }), ['undelivered', 'network_unavailable'])
  assert.deepEqual(read({ id: '1', state: 'GONE', code: 'constructor' }), ['undelivered', 'delivery_failed'])
  assert.deepEqual(read({ id: '1', state: 'OK', code: '30005' }), ['delivered', ''])
  assert.deepEqual(read({ id: '1', state: 'NO', code: '30005' }), ['rejected', 'carrier_rejected'])
})

test('recognises a state by the table of the description or by its SMPP name', () => {
  for (const state of ['GONE', 'DELIVRD', 'delivered', 'Expired']) assert(isKnownIn(reading, state), state)
  for (const state of ['gone', 'toString', 'handed over', '']) assert(!isKnownIn(reading, state), state)
  assert.deepEqual(read({ id: '1', state: 'handed over' }), ['pending', ''])
})

test('reads nothing of a list that is too long, so that a part never passes for the whole', () => {
  const list = (length: number) => ({
    json: Array.from({ length }, (_, id) => ({ id: `${id}`, state: 'OK' })),
    form: new URLSearchParams(),
    query: new URLSearchParams(),
  })
  const inList = { ...reading, list: '' }
  assert.equal(readReceipts(list(1_000), inList).receipts.length, 1_000)
  assert.deepEqual(readReceipts(list(1_001), inList), { receipts: [], unreadable: 1_001 })
})
