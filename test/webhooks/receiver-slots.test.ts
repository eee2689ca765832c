// Fairness of postings: the bounds in all, per receiver and for retries; narrow after time-outs, wide again with success.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PostingRank, ReceiverSlots } from '../../src/webhooks/receiver-slots.ts'

const take = (slots: ReceiverSlots, receiverId: string, ranks: PostingRank[]) => {
  for (const rank of ranks) slots.take(receiverId, rank)
}
const many = (rank: PostingRank, count: number) => Array.from({ length: count }, () => rank)

/** Slots are earned: so many successes in a row, while one posting stays under way. */
const widen = (slots: ReceiverSlots, receiverId: string, successes: number) => {
  for (let number = 0; number < successes; number += 1) {
    slots.take(receiverId, 'first')
    slots.giveBack(receiverId, 'first', 'succeeded')
  }
}

test('a receiver begins with 4 slots and doubles them with every success, up to 20, while it has work', () => {
  const slots = new ReceiverSlots()
  assert.deepEqual(slots.room().perReceiver, { first: 4, retry: 1 })
  slots.take('r', 'first')
  const widths = Array.from({ length: 4 }, () => {
    widen(slots, 'r', 1)
    return slots.room().exceptions.get('r')?.first
  })
  assert.deepEqual(widths, [7, 15, 19, 19])
  slots.giveBack('r', 'first', 'succeeded')
  assert.equal(slots.room().exceptions.get('r'), undefined)
})

test('retries may hold a quarter of the slots of a receiver', () => {
  const slots = new ReceiverSlots()
  slots.take('r', 'first')
  widen(slots, 'r', 3)
  take(slots, 'r', many('retry', 5))
  assert.deepEqual(slots.room().exceptions.get('r'), { first: 14, retry: 0 })
})

test('retries never hold the last slots in all, so a backlog of them leaves room for today\u2019s events', () => {
  const slots = new ReceiverSlots({ slotsInAll: 40 })
  for (const receiver of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']) slots.take(receiver, 'retry')
  assert.deepEqual(slots.room().inAll, { first: 30, retry: 0 })
  assert.throws(() => slots.take('k', 'retry'), /room/)
  take(slots, 'l', many('first', 30))
  assert.deepEqual(slots.room().inAll, { first: 0, retry: 0 })
  assert.throws(() => slots.take('m', 'first'), /room/)
})

test('three time-outs in a row leave a receiver one slot, for whatever is due; another receiver keeps its own', () => {
  const slots = new ReceiverSlots()
  take(slots, 'r', many('first', 4))
  for (let number = 0; number < 2; number += 1) slots.giveBack('r', 'first', 'timedOut')
  assert.deepEqual(slots.room().exceptions.get('r'), { first: 2, retry: 1 })
  slots.giveBack('r', 'first', 'timedOut')
  assert.deepEqual(slots.room().exceptions.get('r'), { first: 0, retry: 0 })
  slots.giveBack('r', 'first', 'timedOut')
  assert.deepEqual(slots.room().exceptions.get('r'), { first: 1, retry: 1 })
  assert.deepEqual(slots.room().perReceiver, { first: 4, retry: 1 })
})

test('what was claimed before a receiver became narrow is still posted', () => {
  const slots = new ReceiverSlots()
  take(slots, 'r', many('first', 3))
  for (let number = 0; number < 3; number += 1) slots.giveBack('r', 'first', 'timedOut')
  take(slots, 'r', many('first', 2))
  assert.deepEqual(slots.room().exceptions.get('r'), { first: 0, retry: 0 })
})

test('a narrow receiver earns its slots back; an answer that is no success only breaks the row', () => {
  const slots = new ReceiverSlots()
  const post = (end: 'succeeded' | 'timedOut' | 'failed') => {
    slots.take('r', 'first')
    slots.giveBack('r', 'first', end)
    return slots.room().exceptions.get('r')?.first
  }
  assert.deepEqual([post('timedOut'), post('timedOut'), post('failed')], [4, 4, undefined])
  assert.deepEqual([post('timedOut'), post('timedOut'), post('timedOut')], [4, 4, 1])
  assert.equal(post('failed'), 1)
  assert.deepEqual([post('succeeded'), post('succeeded')], [2, undefined])
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
