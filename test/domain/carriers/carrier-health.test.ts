import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BindFacts, Circuit, carrierHealth } from '../../../src/domain/carriers/carrier-health.ts'
import type { CarrierSign } from '../../../src/domain/messages/submission.ts'

const START = new Date('2026-11-16T04:00:00.000Z')
const at = (seconds: number) => new Date(START.getTime() + seconds * 1000)
const LIMITS = { breakAfterUnanswered: 5, breakAfterRefused: 20 }

function circuit({
  limits = LIMITS as { breakAfterUnanswered: number | null; breakAfterRefused: number | null },
} = {}) {
  const it = new Circuit(START)
  let last = 0
  const recordOutcome = (sign: CarrierSign, { to = `+97798${++last}`, seconds = 0 } = {}) =>
    it.recordOutcome(sign, { to, said: sign === 'silent' ? null : 'ESME_RSUBMITFAIL', now: at(seconds), ...limits })
  const times = (count: number, sign: CarrierSign) => {
    for (let index = 0; index < count; index++) recordOutcome(sign)
  }
  const checkSilence = (seconds: number, hasRoom = true) => it.checkSilence({ hasRoom, now: at(seconds), ...limits })
  return { it, recordOutcome, times, checkSilence }
}

test('opens the circuit after five unanswered submissions in a row, but not with an answer between them', () => {
  const { it, recordOutcome, times } = circuit()
  times(4, 'silent')
  recordOutcome('judges')
  times(4, 'silent')
  assert.equal(it.isBroken, false)
  recordOutcome('silent', { seconds: 7 })
  assert.deepEqual([it.isBroken, it.isSilent, it.since], [true, true, at(7)])
  assert.equal(it.reason, 'no response to 5 submissions in a row')
})

test('opens the circuit after twenty rejections that lie with the carrier, not for rejected numbers or texts', () => {
  const { it, recordOutcome, times } = circuit()
  times(19, 'refuses')
  recordOutcome('takes')
  times(19, 'refuses')
  for (const sign of ['judges', 'full', 'throttles', 'nothing'] as const) times(100, sign)
  assert.equal(it.isBroken, false)
  recordOutcome('refuses')
  assert.deepEqual([it.isBroken, it.isSilent], [true, false])
  assert.equal(it.reason, '20 submissions in a row rejected, last status ESME_RSUBMITFAIL')
})

test('stays closed for one unreachable number, however often it is tried', () => {
  const { it, recordOutcome } = circuit()
  for (let count = 0; count < 100; count++) {
    recordOutcome('silent', { to: '+9779841000001' })
    recordOutcome('refuses', { to: '+9779841000001' })
  }
  assert.equal(it.isBroken, false)
})

test('never opens without a limit', () => {
  const { it, times, checkSilence } = circuit({ limits: { breakAfterUnanswered: null, breakAfterRefused: null } })
  for (let count = 0; count < 10; count++) it.begin(`+97798${count}`, START)
  times(100, 'silent')
  times(100, 'refuses')
  checkSilence(3600, false)
  assert.equal(it.isBroken, false)
})

test('opens after ten seconds without an answer, if five submissions wait or the window is full', () => {
  const { it, checkSilence } = circuit()
  for (let count = 0; count < 4; count++) it.begin(`+97798${count}`, at(0))
  checkSilence(3600)
  assert.equal(it.isBroken, false, 'four are too few')
  it.begin('+977984', at(1))
  checkSilence(9.9)
  assert.equal(it.isBroken, false)
  checkSilence(10)
  assert.deepEqual([it.isSilent, it.reason], [true, 'no response for 10 s'])

  const small = circuit()
  small.it.begin('+9779841', at(0))
  small.checkSilence(10)
  assert.equal(small.it.isBroken, false)
  small.checkSilence(10, false)
  assert.equal(small.it.isBroken, true, 'the window is full')
})

test('counts silence from the first waiting submission, and ends it with any answer', () => {
  const { it, recordOutcome, checkSilence } = circuit()
  for (let count = 0; count < 9; count++) it.begin(`+97798${count}`, at(100))
  it.end('+977980')
  recordOutcome('takes', { to: '+977980', seconds: 105 })
  checkSilence(114.9)
  assert.equal(it.isBroken, false)
  checkSilence(115)
  assert.equal(it.isBroken, true)

  const idle = circuit()
  idle.checkSilence(3600, false)
  assert.equal(idle.it.isBroken, false, 'no submission waits')
})

test('probes after 5 s, then at growing intervals up to a minute, and closes with the first accepted probe', () => {
  const { it, recordOutcome, times } = circuit()
  times(5, 'silent')
  const waits: number[] = []
  for (let probe = 0, seconds = 0; probe < 6; probe++) {
    const dueAt = it.probeAt
    assert(dueAt)
    waits.push((dueAt.getTime() - at(seconds).getTime()) / 1000)
    assert.equal(it.isWorthTrying(new Date(dueAt.getTime() - 1)), false)
    assert.equal(it.isWorthTrying(dueAt), true)
    it.beginProbe()
    assert.equal(it.probeAt, null, 'one probe at a time')
    seconds = (dueAt.getTime() - START.getTime()) / 1000 + 1
    recordOutcome('silent', { seconds })
    it.endProbe(at(seconds))
  }
  assert.deepEqual(waits, [5, 10, 20, 40, 60, 60])
  it.beginProbe()
  recordOutcome('takes', { seconds: 500 })
  it.endProbe(at(500))
  assert.deepEqual([it.isBroken, it.reason, it.since, it.probeAt], [false, null, at(500), null])
})

test('closes with a late answer, and after silence with any answer except a rejection that lies with the carrier', () => {
  const refused = circuit()
  refused.times(20, 'refuses')
  refused.recordOutcome('judges')
  assert.equal(refused.it.isBroken, true)
  refused.recordOutcome('takes')
  assert.equal(refused.it.isBroken, false)

  const silent = circuit()
  silent.times(5, 'silent')
  silent.recordOutcome('refuses')
  assert.deepEqual([silent.it.isBroken, silent.it.isSilent], [true, false], 'the connection answers')
  silent.recordOutcome('judges')
  assert.equal(silent.it.isBroken, true)

  const judging = circuit()
  judging.times(5, 'silent')
  judging.recordOutcome('judges')
  assert.equal(judging.it.isBroken, false)
})

test('needs a whole streak to open again after it has closed', () => {
  const { it, recordOutcome, times } = circuit()
  times(20, 'refuses')
  recordOutcome('takes')
  times(19, 'refuses')
  assert.equal(it.isBroken, false)
})

const bind = (change: Partial<BindFacts> = {}): BindFacts => ({
  mode: 'transceiver',
  state: 'bound',
  isWorking: true,
  brokenReason: null,
  healthSince: at(10),
  boundAt: at(20),
  workedAt: at(30),
  lastError: null,
  lastErrorAt: null,
  ...change,
})
const broken = (reason: string, seconds: number) =>
  bind({ isWorking: false, brokenReason: reason, healthSince: at(seconds) })
const waiting = (lastError: string, seconds: number) =>
  bind({ state: 'waiting', isWorking: false, boundAt: null, lastError, lastErrorAt: at(seconds) })

test('reports a carrier as working if one process does, otherwise the latest reason and its time', () => {
  const health = (...binds: BindFacts[]) => carrierHealth({ enabled: true, binds })
  assert.deepEqual(health(bind()), { state: 'working', reason: null, since: at(20) })
  assert.deepEqual(health(bind({ healthSince: at(25) }), broken('x', 40)), {
    state: 'working',
    reason: null,
    since: at(25),
  })
  assert.deepEqual(health(broken('a', 40), broken('b', 50), waiting('c', 60)), {
    state: 'broken',
    reason: 'b',
    since: at(50),
  })
  assert.deepEqual(health(waiting('a', 50), waiting('b', 40)), { state: 'down', reason: 'a', since: at(30) })
  assert.deepEqual(health(bind({ mode: 'receiver', isWorking: false })), { state: 'down', reason: null, since: null })
  assert.deepEqual(carrierHealth({ enabled: false, binds: [bind()] }), { state: 'off', reason: null, since: null })
})
