// Fairness of postings: the bounds in all, per workspace, per receiver and for retries; narrow after time-outs, wide again with
// success.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PostingRank, ReceiverSlots } from '../../src/webhooks/receiver-slots.ts'

/** A receiver that is its workspace's only one. */
const alone = (clientId: string) => ({ clientId, workspaceId: `workspace of ${clientId}` })
const take = (slots: ReceiverSlots, clientId: string, ranks: PostingRank[]) => {
  for (const rank of ranks) slots.take(alone(clientId), rank)
}
const many = (rank: PostingRank, count: number) => Array.from({ length: count }, () => rank)

/** Slots are earned: so many successes in a row, while one posting stays under way. */
const widen = (slots: ReceiverSlots, receiverId: string, successes: number) => {
  for (let number = 0; number < successes; number += 1) {
    slots.take(alone(receiverId), 'first')
    slots.release(alone(receiverId), 'first', 'succeeded')
  }
}

test('a receiver begins with 4 slots and doubles them with every success, up to 20, while it has work', () => {
  const slots = new ReceiverSlots()
  assert.deepEqual(slots.room().perReceiver, { first: 4, retry: 1 })
  slots.take(alone('r'), 'first')
  const widths = Array.from({ length: 4 }, () => {
    widen(slots, 'r', 1)
    return slots.room().receivers.get('r')?.first
  })
  assert.deepEqual(widths, [7, 15, 19, 19])
})

test('what a receiver has earned, or lost, outlasts a pause of a minute and no longer', () => {
  let now = 0
  const slots = new ReceiverSlots({ now: () => now })
  take(slots, 'fast', many('first', 4))
  take(slots, 'dead', many('first', 4))
  // Recorded together, as a fast receiver's postings are: for a moment nothing is under way.
  for (let number = 0; number < 4; number += 1) slots.release(alone('fast'), 'first', 'succeeded')
  for (let number = 0; number < 4; number += 1) slots.release(alone('dead'), 'first', 'timedOut')
  const widths = () => ['fast', 'dead'].map((id) => slots.room().receivers.get(id)?.first)
  assert.deepEqual(widths(), [20, 1])
  now = 59_999
  assert.deepEqual(widths(), [20, 1])
  slots.take(alone('fast'), 'first')
  now = 60_000
  assert.deepEqual(widths(), [19, undefined])
  slots.release(alone('fast'), 'first', 'succeeded')
  now = 119_999
  assert.deepEqual(widths(), [20, undefined])
  now = 120_000
  assert.deepEqual(widths(), [undefined, undefined])
})

test('of receivers with nothing under way 500 are remembered, the latest', () => {
  const slots = new ReceiverSlots({ now: () => 0 })
  for (let number = 0; number < 700; number += 1) widen(slots, String(number), 1)
  const { receivers } = slots.room()
  assert.equal(receivers.size, 500)
  assert.deepEqual([receivers.has('199'), receivers.has('200')], [false, true])
})

test('D43: a workspace alone holds half of all slots; the more are busy the less each gets, and some stay free', () => {
  const slots = new ReceiverSlots()
  const held = new Map<string, number>()
  const claims = { made: 0 }
  /** Takes what a claim would: from each in turn, as far as there is room, and goes on where the one before it stopped. */
  const claim = (workspaceIds: string[], from: number) => {
    const { inAll, perWorkspace, workspaces } = slots.room()
    let left = inAll.first
    claims.made += 1
    for (const [index, workspaceId] of workspaceIds.entries()) {
      if (index < from) continue
      const room = Math.min(left, (workspaces.get(workspaceId) ?? perWorkspace).first)
      for (let number = 0; number < room; number += 1)
        slots.take({ clientId: `${workspaceId} ${claims.made} ${number}`, workspaceId }, 'first')
      held.set(workspaceId, (held.get(workspaceId) ?? 0) + room)
      left -= room
      if (left === 0) return index + 1
    }
    return 0
  }
  const fill = (workspaceIds: string[]) => {
    for (let turn = 0, from = 0; turn < 60; turn += 1) from = claim(workspaceIds, from)
  }
  fill(['a'])
  assert.equal(held.get('a'), 250)
  const others = Array.from({ length: 20 }, (_, number) => `b${number}`)
  fill(['a', ...others])
  for (const workspaceId of others) assert((held.get(workspaceId) ?? 0) > 0, workspaceId)
  assert.equal(held.get('a'), 250)
  fill(['newcomer'])
  assert((held.get('newcomer') ?? 0) > 0)
})

test('D43: of the slots of its workspace a receiver leaves some to the others', () => {
  const slots = new ReceiverSlots({ slotsInAll: 40 })
  const of = (clientId: string) => ({ clientId, workspaceId: 'w' })
  for (let number = 0; number < 3; number += 1) {
    slots.take(of('busy'), 'first')
    slots.release(of('busy'), 'first', 'succeeded')
  }
  const rooms = Array.from({ length: 9 }, () => {
    const room = slots.room().receivers.get('busy')?.first
    slots.take(of('busy'), 'first')
    return room
  })
  // It has earned 20 slots; of the 20 that its workspace alone may have it gets half.
  assert.deepEqual([rooms.at(0), rooms.at(-1)], [10, 2])
  const { receivers, workspaces } = slots.room()
  assert.equal(receivers.get('busy')?.first, 1)
  assert((workspaces.get('w')?.first ?? 0) > 1)
})

test('retries may hold a quarter of the slots of a receiver', () => {
  const slots = new ReceiverSlots()
  slots.take(alone('r'), 'first')
  widen(slots, 'r', 3)
  take(slots, 'r', many('retry', 5))
  assert.deepEqual(slots.room().receivers.get('r'), { first: 14, retry: 0 })
})

test('retries never hold the last slots in all, so a backlog of them leaves room for today\u2019s events', () => {
  const slots = new ReceiverSlots({ slotsInAll: 40 })
  for (const receiver of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']) slots.take(alone(receiver), 'retry')
  // A claim takes half of what is free.
  assert.deepEqual(slots.room().inAll, { first: 15, retry: 0 })
  assert.throws(() => slots.take(alone('k'), 'retry'), /room/)
  take(slots, 'l', many('first', 30))
  assert.deepEqual(slots.room().inAll, { first: 0, retry: 0 })
  assert.throws(() => slots.take(alone('m'), 'first'), /room/)
})

test('three time-outs in a row leave a receiver one slot, for whatever is due; another receiver keeps its own', () => {
  const slots = new ReceiverSlots()
  take(slots, 'r', many('first', 4))
  for (let number = 0; number < 2; number += 1) slots.release(alone('r'), 'first', 'timedOut')
  assert.deepEqual(slots.room().receivers.get('r'), { first: 2, retry: 1 })
  slots.release(alone('r'), 'first', 'timedOut')
  assert.deepEqual(slots.room().receivers.get('r'), { first: 0, retry: 0 })
  slots.release(alone('r'), 'first', 'timedOut')
  assert.deepEqual(slots.room().receivers.get('r'), { first: 1, retry: 1 })
  assert.deepEqual(slots.room().perReceiver, { first: 4, retry: 1 })
})

test('what was claimed before a receiver became narrow is still posted', () => {
  const slots = new ReceiverSlots()
  take(slots, 'r', many('first', 3))
  for (let number = 0; number < 3; number += 1) slots.release(alone('r'), 'first', 'timedOut')
  take(slots, 'r', many('first', 2))
  assert.deepEqual(slots.room().receivers.get('r'), { first: 0, retry: 0 })
})

test('a narrow receiver earns its slots back; an answer that is no success only breaks the row', () => {
  const slots = new ReceiverSlots()
  const post = (end: 'succeeded' | 'timedOut' | 'failed') => {
    slots.take(alone('r'), 'first')
    slots.release(alone('r'), 'first', end)
    return slots.room().receivers.get('r')?.first
  }
  assert.deepEqual([post('timedOut'), post('timedOut'), post('failed')], [4, 4, 4])
  assert.deepEqual([post('timedOut'), post('timedOut'), post('timedOut')], [4, 4, 1])
  assert.equal(post('failed'), 1)
  assert.deepEqual([post('succeeded'), post('succeeded')], [2, 4])
})

test('a slot that was not taken cannot be given back', () => {
  const slots = new ReceiverSlots()
  assert.throws(() => slots.release(alone('r'), 'first', 'succeeded'), /released once/)
  slots.take(alone('r'), 'first')
  assert.throws(() => slots.release(alone('r'), 'retry', 'succeeded'), /released once/)
})
