// Slots for attempts and places for claimed deliveries: limits in all, per workspace, per endpoint and for retries; fewer after timeouts, more
// after successes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClaimPlan, EndpointSlots, type StartedDelivery } from '../../src/webhooks/endpoint-slots.ts'
import type { AttemptEnd, AttemptRank } from '../../src/webhooks/slot-limits.ts'

interface Delivery {
  clientId: string
  workspaceId: string
}

/** The only endpoint of its workspace. */
const alone = (clientId: string): Delivery => ({ clientId, workspaceId: `workspace of ${clientId}` })
const times = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item)
const boundless: ClaimPlan = {
  limit: Number.POSITIVE_INFINITY,
  workspaces: { usual: Number.POSITIVE_INFINITY, named: new Map() },
  endpoints: { usual: Number.POSITIVE_INFINITY, named: new Map() },
}
const endpointLimit = ({ endpoints: { usual, named } }: ClaimPlan, id: string) => named.get(id) ?? usual
const workspaceLimit = ({ workspaces: { usual, named } }: ClaimPlan, id: string) => named.get(id) ?? usual

/** Adds deliveries as if no limit had cut the claim, and starts what has a slot. */
function run(slots: EndpointSlots<Delivery>, deliveries: Delivery[], rank: AttemptRank = 'first') {
  slots.add(rank, deliveries, boundless)
  return startAll(slots)
}

const always = { isReady: () => true, isExpired: () => false }

function startAll(slots: EndpointSlots<Delivery>): StartedDelivery<Delivery>[] {
  const all: StartedDelivery<Delivery>[] = []
  for (let { started } = slots.start(always); started.length > 0; { started } = slots.start(always))
    all.push(...started)
  return all
}

function post(slots: EndpointSlots<Delivery>, delivery: Delivery, end: AttemptEnd): void {
  const [started] = run(slots, [delivery])
  assert(started)
  slots.release(started, end)
}

function releaseAll(slots: EndpointSlots<Delivery>, started: StartedDelivery<Delivery>[], end: AttemptEnd): void {
  for (const each of started) slots.release(each, end)
}

/** The number of attempts that an endpoint may run. */
function slotsOf(slots: EndpointSlots<Delivery>, delivery: Delivery): number {
  const started = run(slots, times(50, delivery))
  releaseAll(slots, started, 'withdrawn')
  slots.takeWaiting()
  return started.length
}

/** Claims like the queue does if every client has a backlog: workspaces in order, as far as there is room. */
function claim(slots: EndpointSlots<Delivery>, backlog: Delivery[], rank: AttemptRank = 'first') {
  const plan = slots.planClaim(rank)
  const taken = new Map<string, number>()
  const takes = (key: string, limit: number) => (taken.get(key) ?? 0) < limit
  const claimed: Delivery[] = []
  for (const delivery of backlog) {
    const { clientId, workspaceId } = delivery
    if (claimed.length >= plan.limit) break
    if (!takes(workspaceId, workspaceLimit(plan, workspaceId)) || !takes(clientId, endpointLimit(plan, clientId)))
      continue
    for (const key of [workspaceId, clientId]) taken.set(key, (taken.get(key) ?? 0) + 1)
    claimed.push(delivery)
  }
  slots.add(rank, claimed, plan)
  return claimed
}

test('an endpoint starts with 4 slots and doubles them with every success, up to 20', () => {
  const slots = new EndpointSlots<Delivery>()
  assert.equal(slots.planClaim('first').endpoints.usual, 4)
  assert.equal(slots.planClaim('retry').endpoints.usual, 1)
  const widths = Array.from({ length: 4 }, () => {
    const width = slotsOf(slots, alone('r'))
    post(slots, alone('r'), 'succeeded')
    return width
  })
  assert.deepEqual(widths, [4, 8, 16, 20])
})

test('deliveries wait in memory only for an endpoint that has succeeded, twenty per slot', () => {
  const slots = new EndpointSlots<Delivery>()
  run(slots, times(4, alone('new')))
  assert.equal(endpointLimit(slots.planClaim('first'), 'new'), 0)
  for (let number = 0; number < 3; number += 1) post(slots, alone('fast'), 'succeeded')
  assert.equal(run(slots, times(100, alone('fast'))).length, 20)
  assert.deepEqual([slots.held, slots.running], [104, 24])
  assert.equal(endpointLimit(slots.planClaim('first'), 'fast'), 320)
  for (let number = 0; number < 3; number += 1) post(slots, alone('dead'), 'timedOut')
  assert.equal(endpointLimit(slots.planClaim('first'), 'dead'), 1)
})

test('after a claim that was cut, an endpoint gets more when there is room for a hundred', () => {
  const slots = new EndpointSlots<Delivery>()
  for (let number = 0; number < 3; number += 1) post(slots, alone('r'), 'succeeded')
  const backlog = times(2_000, alone('r'))
  while (claim(slots, backlog).length > 0);
  const { held } = slots
  const running = startAll(slots)
  for (let round = 0; round < 3; round += 1) {
    assert.equal(claim(slots, backlog).length, 0)
    const wanted: boolean[] = []
    while (!wanted.includes(true)) {
      const started = running.shift()
      assert(started)
      wanted.push(slots.release(started, 'succeeded'))
      running.push(...startAll(slots))
    }
    const brought = claim(slots, backlog).length
    assert(brought >= 90, `${brought} of ${held}`)
  }
})

test('after a claim that found everything, the end of an attempt asks for no claim', () => {
  const slots = new EndpointSlots<Delivery>()
  for (let number = 0; number < 3; number += 1) post(slots, alone('r'), 'succeeded')
  claim(slots, times(10, alone('r')))
  for (const started of startAll(slots)) assert.equal(slots.release(started, 'succeeded'), false)
  assert(endpointLimit(slots.planClaim('first'), 'r') > 100)
})

test('an idle endpoint keeps its slots for one minute', () => {
  let now = 0
  const slots = new EndpointSlots<Delivery>({ now: () => now })
  const fast = run(slots, times(4, alone('fast')))
  const dead = run(slots, times(4, alone('dead')))
  releaseAll(slots, fast, 'succeeded')
  releaseAll(slots, dead, 'timedOut')
  const isKnown = () => ['fast', 'dead'].map((id) => slots.planClaim('first').endpoints.named.has(id))
  assert.deepEqual(isKnown(), [true, true])
  now = 59_999
  assert.deepEqual(isKnown(), [true, true])
  const again = run(slots, [alone('fast')])
  now = 60_000
  assert.deepEqual(isKnown(), [true, false])
  releaseAll(slots, again, 'succeeded')
  now = 119_999
  assert.deepEqual(isKnown(), [true, false])
  now = 120_000
  assert.deepEqual(isKnown(), [false, false])
})

test('remembers the latest 500 idle endpoints', () => {
  const slots = new EndpointSlots<Delivery>({ now: () => 0 })
  for (let number = 0; number < 700; number += 1) post(slots, alone(String(number)), 'succeeded')
  const { named } = slots.planClaim('first').endpoints
  assert.equal(named.size, 500)
  assert.deepEqual([named.has('199'), named.has('200')], [false, true])
})

test('D43: a single workspace gets half of all slots and places, several get less each, and some stay free', () => {
  const slots = new EndpointSlots<Delivery>()
  const runningOf = new Map<string, number>()
  // Endpoints without any success hold only what they run.
  const backlogOf = (workspaceId: string) =>
    Array.from({ length: 600 }, (_, number) => ({ clientId: `${workspaceId} ${number}`, workspaceId }))
  const fill = (workspaceIds: string[]) => {
    for (let turn = 0; turn < 60; turn += 1) {
      claim(slots, workspaceIds.flatMap(backlogOf))
      for (const { delivery } of slots.start(always).started)
        runningOf.set(delivery.workspaceId, (runningOf.get(delivery.workspaceId) ?? 0) + 1)
    }
  }
  fill(['a'])
  const ofFirst = runningOf.get('a') ?? 0
  assert(ofFirst > 240 && ofFirst <= 250, `${ofFirst}`)
  const others = Array.from({ length: 20 }, (_, number) => `b${number}`)
  fill(others)
  for (const workspaceId of others) assert((runningOf.get(workspaceId) ?? 0) > 0, workspaceId)
  assert.equal(runningOf.get('a'), ofFirst)
  fill(['newcomer'])
  assert((runningOf.get('newcomer') ?? 0) > 0)
})

test('D43: an endpoint leaves slots of its workspace to others', () => {
  const slots = new EndpointSlots<Delivery>({ slotsInAll: 40 })
  const of = (clientId: string) => ({ clientId, workspaceId: 'w' })
  for (let number = 0; number < 3; number += 1) post(slots, of('busy'), 'succeeded')
  // The endpoint has 20 slots, but its workspace gets half of the 40, and the endpoint half of these.
  const busy = run(slots, times(20, of('busy'))).length
  assert(busy < 20, `${busy}`)
  assert(run(slots, times(4, of('other'))).length > 0)
})

test('retries use at most a quarter of the slots of an endpoint, and leave places for new events', () => {
  const slots = new EndpointSlots<Delivery>()
  for (let number = 0; number < 3; number += 1) post(slots, alone('r'), 'succeeded')
  assert.equal(run(slots, times(20, alone('r')), 'retry').length, 5)
  assert.equal(run(slots, times(20, alone('r'))).length, 15)

  const few = new EndpointSlots<Delivery>({ slotsInAll: 40 })
  const endpoints = Array.from({ length: 20 }, (_, number) => alone(`e${number}`))
  assert.equal(run(few, endpoints, 'retry').length, 10)
  assert.equal(run(few, endpoints).length, 20)
})

test('three consecutive timeouts leave an endpoint one slot, and do not affect others', () => {
  const slots = new EndpointSlots<Delivery>()
  releaseAll(slots, run(slots, times(2, alone('r'))), 'timedOut')
  assert.equal(slotsOf(slots, alone('r')), 4)
  post(slots, alone('r'), 'timedOut')
  assert.equal(slotsOf(slots, alone('r')), 1)
  assert.equal(slotsOf(slots, alone('other')), 4)
})

test('a reduced endpoint regains slots with successes; a failure without timeout resets the count', () => {
  const slots = new EndpointSlots<Delivery>()
  const after = (end: AttemptEnd) => {
    post(slots, alone('r'), end)
    return slotsOf(slots, alone('r'))
  }
  assert.deepEqual([after('timedOut'), after('timedOut'), after('failed')], [4, 4, 4])
  assert.deepEqual([after('timedOut'), after('timedOut'), after('timedOut')], [4, 4, 1])
  assert.equal(after('failed'), 1)
  assert.deepEqual([after('succeeded'), after('succeeded')], [2, 4])
})

test('workspaces take turns, then their endpoints', () => {
  const slots = new EndpointSlots<Delivery>()
  const of = (workspaceId: string, clientId: string) => ({ clientId, workspaceId })
  const crowded = [...times(3, of('w', 'a')), ...times(2, of('w', 'b'))]
  slots.add('first', [...crowded, ...times(3, alone('c')), alone('d')], boundless)
  assert.deepEqual(
    startAll(slots).map(({ delivery }) => delivery.clientId),
    ['a', 'c', 'd', 'b', 'c', 'a', 'c', 'b', 'a'],
  )
})

test('rejects the release of a slot that was not taken', () => {
  const slots = new EndpointSlots<Delivery>()
  assert.throws(() => slots.release({ delivery: alone('r'), rank: 'first' }, 'succeeded'), /released once/)
  const [started] = run(slots, [alone('r')])
  assert(started)
  assert.throws(() => slots.release({ ...started, rank: 'retry' }, 'succeeded'), /released once/)
  slots.release(started, 'succeeded')
  assert.throws(() => slots.release(started, 'succeeded'), /released once/)
})

test('returns all waiting deliveries, and frees their places', () => {
  const slots = new EndpointSlots<Delivery>()
  const running = run(slots, times(6, alone('r')))
  assert.equal(slots.takeWaiting().length, 2)
  assert.deepEqual([slots.held, slots.running], [4, 4])
  releaseAll(slots, running, 'failed')
  assert.equal(slots.held, 0)
})

test('a claim that brings nothing is not repeated, also while all slots are taken', () => {
  const slots = new EndpointSlots<Delivery>()
  const crowd = Array.from({ length: 500 }, (_, number) => alone(`e${number}`))
  run(slots, crowd)
  for (const rank of ['first', 'retry'] as const) assert.equal(slots.add(rank, [], slots.planClaim(rank)), false)
})

test('a freed slot asks for a claim if new workspaces had no room', () => {
  const slots = new EndpointSlots<Delivery>({ slotsInAll: 8, aheadInAll: 0 })
  const crowd = Array.from({ length: 40 }, (_, number) => alone(`e${number}`))
  const running: StartedDelivery<Delivery>[] = []
  for (let turn = 0; turn < 20; turn += 1) {
    claim(slots, crowd)
    running.push(...startAll(slots))
  }
  assert.equal(claim(slots, crowd).length, 0)
  const wanted = running.map((started) => slots.release(started, 'timedOut'))
  assert(wanted.includes(true))
})

test('first attempts and retries of an endpoint take turns', () => {
  const slots = new EndpointSlots<Delivery>()
  for (let number = 0; number < 3; number += 1) post(slots, alone('dead'), 'timedOut')
  slots.add('retry', times(3, alone('dead')), boundless)
  slots.add('first', times(3, alone('dead')), boundless)
  const ranks = Array.from({ length: 6 }, () => {
    const [started] = startAll(slots)
    assert(started)
    slots.release(started, 'failed')
    return started.rank
  })
  assert.deepEqual(ranks.filter((rank) => rank === 'retry').length, 3)
  assert.notEqual(ranks[0], ranks[1])
})

test('an endpoint that is not ready is reported, and does not delay others', () => {
  const slots = new EndpointSlots<Delivery>()
  slots.add('first', [alone('a'), alone('b')], boundless)
  const { started, unready } = slots.start({ ...always, isReady: (id) => id === 'b' })
  assert.deepEqual([started.map(({ delivery }) => delivery.clientId), unready], [['b'], ['a']])
})

test('deliveries that waited too long are removed without a slot', () => {
  const slots = new EndpointSlots<Delivery>()
  const late = alone('r')
  slots.add('first', [late, alone('r')], boundless)
  const { started, expired } = slots.start({ ...always, isExpired: (delivery) => delivery === late })
  assert.deepEqual([started.length, expired, slots.held], [1, [late], 1])
})

test('a slow endpoint holds only what it posts in five seconds', () => {
  const slots = new EndpointSlots<Delivery>()
  for (let number = 0; number < 40; number += 1) {
    const [started] = run(slots, [alone('slow')])
    assert(started)
    slots.release(started, 'succeeded', 2_000)
  }
  const limit = endpointLimit(slots.planClaim('first'), 'slow')
  assert(limit >= 40 && limit <= 80, `${limit}`)
})
