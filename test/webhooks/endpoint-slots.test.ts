// Slots for attempts: limits in all, per workspace, per endpoint and for retries; fewer after timeouts, more after successes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AttemptRank, EndpointSlots } from '../../src/webhooks/endpoint-slots.ts'

/** The only endpoint of its workspace. */
const alone = (clientId: string) => ({ clientId, workspaceId: `workspace of ${clientId}` })
const take = (slots: EndpointSlots, clientId: string, ranks: AttemptRank[]) => {
  for (const rank of ranks) slots.take(alone(clientId), rank)
}
const many = (rank: AttemptRank, count: number) => Array.from({ length: count }, () => rank)

/** Each success gives the endpoint more slots. */
const widen = (slots: EndpointSlots, endpointId: string, successes: number) => {
  for (let number = 0; number < successes; number += 1) {
    slots.take(alone(endpointId), 'first')
    slots.release(alone(endpointId), 'first', 'succeeded')
  }
}

test('an endpoint starts with 4 slots and doubles them with every success, up to 20', () => {
  const slots = new EndpointSlots()
  assert.deepEqual(slots.room().perEndpoint, { first: 4, retry: 1 })
  slots.take(alone('r'), 'first')
  const widths = Array.from({ length: 4 }, () => {
    widen(slots, 'r', 1)
    return slots.room().endpoints.get('r')?.first
  })
  assert.deepEqual(widths, [7, 15, 19, 19])
})

test('an idle endpoint keeps its slots for one minute', () => {
  let now = 0
  const slots = new EndpointSlots({ now: () => now })
  take(slots, 'fast', many('first', 4))
  take(slots, 'dead', many('first', 4))
  // Released together, as when recorded in one batch: for a moment no attempt runs.
  for (let number = 0; number < 4; number += 1) slots.release(alone('fast'), 'first', 'succeeded')
  for (let number = 0; number < 4; number += 1) slots.release(alone('dead'), 'first', 'timedOut')
  const widths = () => ['fast', 'dead'].map((id) => slots.room().endpoints.get(id)?.first)
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

test('remembers the latest 500 idle endpoints', () => {
  const slots = new EndpointSlots({ now: () => 0 })
  for (let number = 0; number < 700; number += 1) widen(slots, String(number), 1)
  const { endpoints } = slots.room()
  assert.equal(endpoints.size, 500)
  assert.deepEqual([endpoints.has('199'), endpoints.has('200')], [false, true])
})

test('D43: a single workspace gets half of all slots, several get less each, and some stay free', () => {
  const slots = new EndpointSlots()
  const held = new Map<string, number>()
  const claims = { made: 0 }
  /** Takes slots like a claim: workspaces in order, as far as there is room. Returns where the next claim continues. */
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

test('D43: an endpoint leaves slots of its workspace to others', () => {
  const slots = new EndpointSlots({ slotsInAll: 40 })
  const of = (clientId: string) => ({ clientId, workspaceId: 'w' })
  for (let number = 0; number < 3; number += 1) {
    slots.take(of('busy'), 'first')
    slots.release(of('busy'), 'first', 'succeeded')
  }
  const rooms = Array.from({ length: 9 }, () => {
    const room = slots.room().endpoints.get('busy')?.first
    slots.take(of('busy'), 'first')
    return room
  })
  // The endpoint has 20 slots, but gets half of the 20 of its workspace.
  assert.deepEqual([rooms.at(0), rooms.at(-1)], [10, 2])
  const { endpoints, workspaces } = slots.room()
  assert.equal(endpoints.get('busy')?.first, 1)
  assert((workspaces.get('w')?.first ?? 0) > 1)
})

test('retries use at most a quarter of the slots of an endpoint', () => {
  const slots = new EndpointSlots()
  slots.take(alone('r'), 'first')
  widen(slots, 'r', 3)
  take(slots, 'r', many('retry', 5))
  assert.deepEqual(slots.room().endpoints.get('r'), { first: 14, retry: 0 })
})

test('retries leave slots for new events', () => {
  const slots = new EndpointSlots({ slotsInAll: 40 })
  for (const endpoint of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']) slots.take(alone(endpoint), 'retry')
  // A claim takes half of the free slots.
  assert.deepEqual(slots.room().inAll, { first: 15, retry: 0 })
  assert.throws(() => slots.take(alone('k'), 'retry'), /room/)
  take(slots, 'l', many('first', 30))
  assert.deepEqual(slots.room().inAll, { first: 0, retry: 0 })
  assert.throws(() => slots.take(alone('m'), 'first'), /room/)
})

test('three consecutive timeouts leave an endpoint one slot, and do not affect others', () => {
  const slots = new EndpointSlots()
  take(slots, 'r', many('first', 4))
  for (let number = 0; number < 2; number += 1) slots.release(alone('r'), 'first', 'timedOut')
  assert.deepEqual(slots.room().endpoints.get('r'), { first: 2, retry: 1 })
  slots.release(alone('r'), 'first', 'timedOut')
  assert.deepEqual(slots.room().endpoints.get('r'), { first: 0, retry: 0 })
  slots.release(alone('r'), 'first', 'timedOut')
  assert.deepEqual(slots.room().endpoints.get('r'), { first: 1, retry: 1 })
  assert.deepEqual(slots.room().perEndpoint, { first: 4, retry: 1 })
})

test('deliveries claimed before a reduction are still posted', () => {
  const slots = new EndpointSlots()
  take(slots, 'r', many('first', 3))
  for (let number = 0; number < 3; number += 1) slots.release(alone('r'), 'first', 'timedOut')
  take(slots, 'r', many('first', 2))
  assert.deepEqual(slots.room().endpoints.get('r'), { first: 0, retry: 0 })
})

test('a reduced endpoint regains slots with successes; a failure without timeout resets the count', () => {
  const slots = new EndpointSlots()
  const post = (end: 'succeeded' | 'timedOut' | 'failed') => {
    slots.take(alone('r'), 'first')
    slots.release(alone('r'), 'first', end)
    return slots.room().endpoints.get('r')?.first
  }
  assert.deepEqual([post('timedOut'), post('timedOut'), post('failed')], [4, 4, 4])
  assert.deepEqual([post('timedOut'), post('timedOut'), post('timedOut')], [4, 4, 1])
  assert.equal(post('failed'), 1)
  assert.deepEqual([post('succeeded'), post('succeeded')], [2, 4])
})

test('a slot that was not taken cannot be released', () => {
  const slots = new EndpointSlots()
  assert.throws(() => slots.release(alone('r'), 'first', 'succeeded'), /released once/)
  slots.take(alone('r'), 'first')
  assert.throws(() => slots.release(alone('r'), 'retry', 'succeeded'), /released once/)
})
