// The pause of a carrier worker after a small claim, in mocked time and without a database.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Claimer } from '../../src/actions/messages/claim-messages.ts'
import type { Ports } from '../../src/actions/ports.ts'
import { type Connection, unsent } from '../../src/delivery/connection.ts'
import { CarrierWorker } from '../../src/delivery/worker/carrier-worker.ts'
import type { Tally } from '../../src/delivery/worker/measures.ts'
import type { Places } from '../../src/delivery/worker/places.ts'
import type { ClaimedMessage } from '../../src/domain/carriers/claim.ts'
import { DEFAULT_COMMON_SETTINGS } from '../../src/domain/carriers/common-settings.ts'
import { DEFAULT_SMPP_SETTINGS } from '../../src/domain/carriers/smpp/smpp-settings.ts'
import { ManualClock } from '../../src/runtime/clock.ts'
import { createLog } from '../../src/runtime/log.ts'

const START = new Date('2026-11-16T04:00:00Z')
const PAUSE_MS = 20
const WINDOW = 250

function startWorker(t: TestContext) {
  let ms = 0
  t.mock.method(performance, 'now', () => ms)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const queue: ClaimedMessage[] = []
  const claims: { ms: number; messages: number }[] = []
  t.mock.method(Claimer.prototype, 'claim', async () => {
    const messages = queue.splice(0)
    claims.push({ ms, messages: messages.length })
    return { messages, expired: [], nextAt: null, worked: messages.length > 0, hasRoom: true, isOutdated: false }
  })
  const unanswered: (() => void)[] = []
  const worker = new CarrierWorker({
    ports: { clock: new ManualClock(START), ids: { next: () => 'claim' } } as unknown as Ports,
    places: {
      revision: 1,
      of: () => [{ destination: 'NP', avoidCarrierId: null, priority: 1, among: null }],
    } as unknown as Places,
    log: createLog('silent'),
    lane: { add: async () => {}, push: (_event, onStored) => onStored(null), drain: async () => {} },
    tally: { firstSubmission: () => {}, submission: () => {}, sharedId: () => {} } as unknown as Tally,
    carrier: {
      ...DEFAULT_COMMON_SETTINGS,
      id: 'carrier',
      name: 'Everest',
      kind: 'smpp',
      smpp: { ...DEFAULT_SMPP_SETTINGS, host: '127.0.0.1', port: 9, systemId: 'hulaki' },
      secretsSealed: Buffer.alloc(0),
      createdAt: START,
      updatedAt: START,
    },
    sharing: { isNext: () => true, give: () => {} },
    onChange: () => {},
  })
  worker.binds.set(1, {
    ...{ places: WINDOW, room: WINDOW },
    submit: (_segment, { onResult }) => void unanswered.push(() => onResult(unsent('unwritable'))),
    close: async () => answer(),
  } as Connection)
  const answer = () => {
    for (const respond of unanswered.splice(0)) respond()
  }
  const finishTurns = async () => {
    for (let round = 0; round < 10; round++) await new Promise(setImmediate)
  }
  const wake = () => {
    worker.wake()
    return finishTurns()
  }
  const accept = async (count: number) => {
    for (let n = 0; n < count; n++) {
      queue.push(makeMessage())
      await wake()
    }
  }
  /** In steps, because a timer that fires may start another one. */
  const pass = async (by: number) => {
    for (let step = 0; step < by; step++) {
      ms += 1
      t.mock.timers.tick(1)
      await finishTurns()
    }
  }
  t.after(async () => {
    const stopped = worker.stop()
    await pass(PAUSE_MS)
    await stopped
  })
  return { claims, wake, accept, pass, answer }
}

function makeMessage(): ClaimedMessage {
  return {
    id: 'message',
    to: '+9779841000001',
    type: 'transactional',
    text: 'Namaste',
    submitting: [1],
    ofSegments: 1,
    ordinal: 1,
    load: { submissions: 1, segments: 1 },
    receipts: 'each',
    source: { address: 'Shop' },
    fields: {},
    claimedAt: START,
    expiresAt: new Date(START.getTime() + 3_600_000),
  } as unknown as ClaimedMessage
}

test('a burst after a small claim is claimed at once, 20 ms after that claim', async (t) => {
  const { claims, accept, pass } = startWorker(t)
  await accept(1)
  assert.deepEqual(claims.splice(0), [{ ms: 0, messages: 1 }])
  await accept(5)
  await pass(PAUSE_MS - 1)
  await accept(5)
  assert.deepEqual(claims, [])
  await pass(1)
  assert.deepEqual(claims, [{ ms: PAUSE_MS, messages: 10 }])
})

test('no pause follows an empty claim or a claim of fifty messages', async (t) => {
  const { claims, accept, pass, wake } = startWorker(t)
  await wake()
  assert.deepEqual(claims.splice(0), [{ ms: 0, messages: 0 }])
  await accept(1)
  assert.deepEqual(claims.splice(0), [{ ms: 0, messages: 1 }])
  await accept(50)
  await pass(PAUSE_MS)
  assert.deepEqual(claims.splice(0), [
    { ms: PAUSE_MS, messages: 50 },
    { ms: PAUSE_MS, messages: 0 },
  ])
  await accept(1)
  assert.deepEqual(claims, [{ ms: PAUSE_MS, messages: 1 }])
})

test('responses while the queue is empty cause one claim in 20 ms, and a new message does not wait for that claim', async (t) => {
  const { claims, accept, pass, answer } = startWorker(t)
  await accept(10)
  await pass(2 * PAUSE_MS)
  assert.deepEqual(claims.splice(0), [
    { ms: 0, messages: 1 },
    { ms: PAUSE_MS, messages: 9 },
    { ms: 2 * PAUSE_MS, messages: 0 },
  ])
  answer()
  await pass(PAUSE_MS - 1)
  assert.deepEqual(claims, [])
  await pass(1)
  assert.deepEqual(claims.splice(0), [{ ms: 3 * PAUSE_MS, messages: 0 }])
  await accept(1)
  await pass(PAUSE_MS)
  claims.splice(0)
  answer()
  await accept(1)
  assert.deepEqual(claims, [{ ms: 4 * PAUSE_MS, messages: 1 }])
})
