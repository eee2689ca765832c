// The rules of the fraud guard, one by one (D33).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  checkOtpSend,
  type GuardedClient,
  type Hold,
  isGuarded,
  needsWideFacts,
  type PumpingFacts,
  type PumpingVerdict,
  pumpingCaseOf,
  splitNumber,
} from '../../../src/domain/codes/pumping.ts'

const at = new Date('2026-07-15T06:00Z')
const quiet: PumpingFacts = {
  to: '+9779841234567',
  at,
  isTrusted: false,
  neighbours: { numbers: 0, verified: 0 },
  block: { numbers: 0, verified: 0 },
  prefix: { numbers: 0, verified: 0 },
  prefixSends: { lastHour: 0, usualPerHour: 0 },
  elsewhere: { numbers: 200, verified: 140 },
  normal: { numbers: 5_000, verified: 3_550 },
  blockHold: null,
  prefixHold: null,
}
const deadBlock = { numbers: 12, verified: 0 }
const deadPrefix = { prefix: { numbers: 340, verified: 7 }, prefixSends: { lastHour: 420, usualPerHour: 100 } }
const outage = { elsewhere: { numbers: 240, verified: 20 } }

const cases: [name: string, facts: Partial<PumpingFacts>, expected: string][] = [
  ['no traffic', {}, 'pass'],
  ['4 neighbours, none verified', { neighbours: { numbers: 4, verified: 0 } }, 'pass'],
  ['5 neighbours, none verified', { neighbours: { numbers: 5, verified: 0 } }, 'suspect R1'],
  ['60 neighbours, one verified', { neighbours: { numbers: 60, verified: 1 } }, 'pass'],
  ['7 in the block, none verified', { block: { numbers: 7, verified: 0 } }, 'pass'],
  ['8 in the block, none verified', { block: { numbers: 8, verified: 0 } }, 'suspect R2'],
  ['19 in the block, one verified', { block: { numbers: 19, verified: 1 } }, 'pass'],
  ['20 in the block, one verified', { block: { numbers: 20, verified: 1 } }, 'suspect R2'],
  ['20 in the block, 10 % verified', { block: { numbers: 20, verified: 2 } }, 'pass'],
  ['a dead surge in the prefix', deadPrefix, 'suspect R3'],
  ['99 in the prefix', { ...deadPrefix, prefix: { numbers: 99, verified: 0 } }, 'pass'],
  ['10 % of the prefix verified', { ...deadPrefix, prefix: { numbers: 340, verified: 34 } }, 'pass'],
  ['under 3 times the usual', { ...deadPrefix, prefixSends: { lastHour: 299, usualPerHour: 100 } }, 'pass'],
  ['3 times the usual', { ...deadPrefix, prefixSends: { lastHour: 300, usualPerHour: 100 } }, 'suspect R3'],
  ['a surge from next to nothing', { ...deadPrefix, prefixSends: { lastHour: 90, usualPerHour: 1 } }, 'suspect R3'],
  ['under 3 times the floor', { ...deadPrefix, prefixSends: { lastHour: 89, usualPerHour: 1 } }, 'pass'],
  ['a dead block in an outage', { ...outage, block: deadBlock }, 'outage R2'],
  ['a dead surge in an outage', { ...outage, ...deadPrefix }, 'outage R3'],
  ['dead neighbours in an outage', { ...outage, neighbours: { numbers: 9, verified: 0 } }, 'suspect R1'],
  [
    'half the normal elsewhere is no outage',
    { block: deadBlock, elsewhere: { numbers: 200, verified: 71 } },
    'suspect R2',
  ],
  ['29 numbers elsewhere show no outage', { block: deadBlock, elsewhere: { numbers: 29, verified: 0 } }, 'suspect R2'],
  ['a new client has no normal', { ...outage, block: deadBlock, normal: { numbers: 29, verified: 29 } }, 'suspect R2'],
  ['a trusted number in a dead block', { block: deadBlock, isTrusted: true }, 'pass'],
  ['a trusted number in a held block', { isTrusted: true, blockHold: held({}) }, 'pass'],
  ['a quiet number in a held block', { blockHold: held({}) }, 'suspect R2'],
  ['a quiet number in a held prefix', { prefixHold: held({ rule: 'R3' }) }, 'suspect R3'],
  ['a quiet number when the hold is over', { blockHold: held({ until: at }) }, 'pass'],
]
function saidBy(judged: Exclude<PumpingVerdict, { verdict: 'pass' }>): { rule: string; reason: string } {
  return judged.verdict === 'suspect' ? judged.hold : judged
}

for (const [name, facts, expected] of cases) {
  test(`${name}: ${expected} (D33)`, () => {
    const judged = checkOtpSend({ ...quiet, ...facts })
    assert.equal(judged.verdict === 'pass' ? 'pass' : `${judged.verdict} ${saidBy(judged).rule}`, expected)
  })
}

const reasons: [facts: Partial<PumpingFacts>, reason: string][] = [
  [
    { neighbours: { numbers: 6, verified: 0 } },
    '6 numbers side by side in +977984123xxxx in 10 min, 0 verified; your normal is 71 %',
  ],
  [{ block: deadBlock }, '12 numbers in +977984123xxxx in 60 min, 0 verified; your normal is 71 %'],
  [{ block: deadBlock, normal: { numbers: 0, verified: 0 } }, '12 numbers in +977984123xxxx in 60 min, 0 verified'],
  [deadPrefix, '340 numbers in +977984xxxxxxx in 60 min, 4 times the usual, 7 verified; your normal is 71 %'],
  [
    { ...outage, block: deadBlock },
    '12 numbers in +977984123xxxx in 60 min, 0 verified; your normal is 71 %; ' +
      'elsewhere 20 of 240 verified, so it looks like an outage',
  ],
]
for (const [facts, reason] of reasons) {
  test(`gives the reason '${reason}' (D33)`, () => {
    const judged = checkOtpSend({ ...quiet, ...facts })
    assert.ok(judged.verdict !== 'pass')
    assert.equal(saidBy(judged).reason, reason)
  })
}

test('holds for 15 min, 1 h, 4 h, then 12 h with consecutive strikes (D33)', () => {
  let blockHold: Hold | null = null
  let now = at
  for (const [index, seconds] of [900, 3_600, 14_400, 43_200, 43_200].entries()) {
    const judged = checkOtpSend({ ...quiet, at: now, block: deadBlock, blockHold })
    assert.ok(judged.verdict === 'suspect' && judged.isNew)
    assert.equal(judged.holdSeconds, seconds)
    assert.equal(judged.hold.strikes, index + 1)
    blockHold = judged.hold
    now = blockHold.until
  }
})

test('forgets strikes 24 h after the last one (D33)', () => {
  const strikesAfter = (milliseconds: number) => {
    const struckAt = new Date(at.getTime() - milliseconds)
    const judged = checkOtpSend({ ...quiet, block: deadBlock, blockHold: held({ strikes: 3, struckAt, until: at }) })
    return judged.verdict === 'suspect' && judged.isNew && judged.hold.strikes
  }
  assert.equal(strikesAfter(24 * 3_600_000 - 1), 4)
  assert.equal(strikesAfter(24 * 3_600_000), 1)
})

test('keeps the reason of an active hold, counts down its seconds, and adds no strike (D33)', () => {
  const until = new Date(at.getTime() + 61_500)
  const hold = held({ until })
  const judged = checkOtpSend({ ...quiet, neighbours: { numbers: 9, verified: 0 }, blockHold: hold })
  assert.deepEqual(judged, { verdict: 'suspect', hold, isNew: false, holdSeconds: 62 })
})

test('holds the block for R1 and R2, and the prefix for R3, each with its own strikes (D33)', () => {
  const over = { strikes: 2, until: at }
  const holds = { blockHold: held(over), prefixHold: held({ ...over, strikes: 1 }) }
  for (const [facts, scope, strikes] of [
    [{ neighbours: { numbers: 5, verified: 0 } }, '+977984123', 3],
    [{ block: deadBlock }, '+977984123', 3],
    [deadPrefix, '+977984', 2],
  ] as const) {
    const judged = checkOtpSend({ ...quiet, ...holds, ...facts })
    assert.ok(judged.verdict === 'suspect' && judged.isNew)
    assert.equal(judged.hold.scope, scope)
    assert.equal(judged.hold.strikes, strikes)
  }
})

test('assigns a number to its block of 10 000 and its operator prefix of 10 000 000 (D33)', () => {
  assert.deepEqual(splitNumber('+9779841234567'), { prefix: '+977984', block: '+977984123', lastFour: 4567 })
  assert.deepEqual(splitNumber('+9779841230007'), { prefix: '+977984', block: '+977984123', lastFour: 7 })
})

test('loads the wide facts for every send that a rule could match (D33, property)', () => {
  const conversion = (most: number) =>
    fc.tuple(fc.nat(most), fc.nat(most)).map(([one, other]) => ({
      numbers: Math.max(one, other),
      verified: Math.min(one, other),
    }))
  const anything = fc.record({
    neighbours: conversion(20),
    block: conversion(40),
    prefix: conversion(300),
    sentAgain: fc.nat(50),
    elsewhere: conversion(60),
    normal: conversion(60),
  })
  const { blockHold, prefixHold, isTrusted } = quiet
  let spoke = 0
  fc.assert(
    fc.property(anything, ({ neighbours, block, prefix, sentAgain, elsewhere, normal }) => {
      const nearby = Array.from({ length: neighbours.numbers }, (_, index) => index)
      const prefixSums = { sends: prefix.numbers + sentAgain, verified: prefix.verified + sentAgain }
      const close = {
        isTrusted,
        nearby,
        nearbyVerified: neighbours.verified,
        block,
        prefixSums,
        blockHold,
        prefixHold,
      }
      const wide = { prefix, elsewhere, normal, sendsInHour: prefixSums.sends, sendsUsual: 0 }
      const { facts } = pumpingCaseOf({ clientId: 'c', to: quiet.to }, { close, wide, now: at })
      const isSilent = checkOtpSend(facts).verdict === 'pass'
      if (!isSilent) spoke += 1
      assert.ok(isSilent || needsWideFacts(close, at))
      assert.equal(needsWideFacts({ ...close, isTrusted: true }, at), false)
      assert.equal(needsWideFacts({ ...close, blockHold: held({}) }, at), false)
    }),
    { numRuns: 2_000 },
  )
  assert.ok(spoke > 100)
})

test('does not guard test clients, clients without a guard, and allowed numbers (D33)', () => {
  const watched: GuardedClient = { mode: 'live', pumpingGuard: 'monitor', pumpingAllowlist: ['+97798499'] }
  assert.equal(isGuarded(watched, quiet.to), true)
  assert.equal(isGuarded({ ...watched, pumpingAllowlist: null }, quiet.to), true)
  assert.equal(isGuarded({ ...watched, pumpingAllowlist: ['+97798499', '+97798412'] }, quiet.to), false)
  assert.equal(isGuarded({ ...watched, mode: 'test' }, quiet.to), false)
  assert.equal(isGuarded({ ...watched, pumpingGuard: 'off' }, quiet.to), false)
})

function held(changes: Partial<Hold>): Hold {
  const struckAt = new Date(at.getTime() - 60_000)
  const until = new Date(at.getTime() + 60_000)
  return { scope: '+977984123', rule: 'R2', reason: 'because', strikes: 1, struckAt, until, ...changes }
}
