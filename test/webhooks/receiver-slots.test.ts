// Fairness of postings: the bounds in all, per receiver and for retries; narrow after time-outs, wide again with success.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PostingRank, ReceiverSlots } from '../../src/webhooks/receiver-slots.ts'

const take = (slots: ReceiverSlots, receiverId: string, ranks: PostingRank[]) => {
  for (const rank of ranks) slots.take(receiverId, rank)
}
const many = (rank: PostingRank, count: number) => Array.from({ length: count }, () => rank)

test('a receiver has 20 slots, of which retries may hold a quarter', () => {
  const slots = new ReceiverSlots()
  assert.deepEqual(slots.room().perReceiver, { first: 20, retry: 5 })
  take(slots, 'r', many('retry', 5))
  assert.deepEqual(slots.room().exceptions.get('r'), { first: 15, retry: 0 })
  take(slots, 'r', many('first', 15))
  assert.deepEqual(slots.room().exceptions.get('r'), { first: 0, retry: 0 })
})

test('retries never hold the last slots in all, so a backlog of them leaves room for today\u2019s events', () => {
  const slots = new ReceiverSlots({ slotsInAll: 40 })
  take(slots, 'a', many('retry', 5))
  take(slots, 'b', many('retry', 5))
  assert.deepEqual(slots.room().inAll, { first: 30, retry: 0 })
  assert.throws(() => slots.take('c', 'retry'), /room/)
  take(slots, 'c', many('first', 20))
  take(slots, 'd', many('first', 10))
  assert.deepEqual(slots.room().inAll, { first: 0, retry: 0 })
  assert.throws(() => slots.take('e', 'first'), /room/)
})

test('three time-outs in a row leave a receiver one slot, for whatever is due; another receiver keeps its own', () => {
  const slots = new ReceiverSlots()
  take(slots, 'r', many('first', 4))
  for (let number = 0; number < 2; number += 1) slots.giveBack('r', 'first', 'timedOut')
  assert.deepEqual(slots.room().exceptions.get('r'), { first: 18, retry: 5 })
  slots.giveBack('r', 'first', 'timedOut')
  assert.deepEqual(slots.room().exceptions.get('r'), { first: 0, retry: 0 })
  slots.giveBack('r', 'first', 'timedOut')
  assert.deepEqual(slots.room().exceptions.get('r'), { first: 1, retry: 1 })
  assert.deepEqual(slots.room().perReceiver, { first: 20, retry: 5 })
})

test('what was claimed before a receiver became narrow is still posted', () => {
  const slots = new ReceiverSlots()
  take(slots, 'r', many('first', 3))
  for (let number = 0; number < 3; number += 1) slots.giveBack('r', 'first', 'timedOut')
  take(slots, 'r', many('first', 2))
  assert.deepEqual(slots.room().exceptions.get('r'), { first: 0, retry: 0 })
})

test('every success doubles the slots of a narrow receiver; an answer that is no success only breaks the row', () => {
  const slots = new ReceiverSlots()
  const post = (end: 'succeeded' | 'timedOut' | 'failed') => {
    slots.take('r', 'first')
    slots.giveBack('r', 'first', end)
    return slots.room().exceptions.get('r')?.first
  }
  assert.deepEqual([post('timedOut'), post('timedOut'), post('failed')], [20, 20, undefined])
  assert.deepEqual([post('timedOut'), post('timedOut'), post('timedOut')], [20, 20, 1])
  assert.equal(post('failed'), 1)
  const widths = Array.from({ length: 5 }, () => post('succeeded'))
  assert.deepEqual(widths, [2, 4, 8, 16, undefined])
})

test('a receiver with nothing to remember is forgotten', () => {
  const slots = new ReceiverSlots()
  slots.take('r', 'retry')
  assert.equal(slots.room().exceptions.size, 1)
  slots.giveBack('r', 'retry', 'succeeded')
  assert.equal(slots.room().exceptions.size, 0)
})

test('a slot that was not taken cannot be given back', () => {
  const slots = new ReceiverSlots()
  assert.throws(() => slots.giveBack('r', 'first', 'succeeded'), /given back once/)
  slots.take('r', 'first')
  assert.throws(() => slots.giveBack('r', 'retry', 'succeeded'), /given back once/)
})
