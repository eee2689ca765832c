// The fraud guard on hours of generated traffic: what it catches, what it spares, and what leaks before it acts (D33).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Conversion,
  checkOtpSend,
  type Hold,
  type PumpingFacts,
  splitNumber,
} from '../../../src/domain/codes/pumping.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

type Ask = { atMs: number; to: string; isAttack: boolean; isTrusted: boolean; verifiedAtMs: number }
type Random = { below: (limit: number) => number; digits: (count: number) => string }

const PREFIXES = ['980', '981', '982', '984', '985', '986', '974', '975', '976', '961'].map((code) => `+977${code}`)
const COUNTRY = { numbers: PREFIXES.map((prefix) => `${prefix}_______`), untilMs: 6 * HOUR, everyMs: 9 * SECOND }
const ATTACK_FROM_MS = 2 * HOUR

type Attack = { name: string; asks: (random: Random) => Ask[]; recall: number; precision: number; leaked: number }

const attacks: Attack[] = [
  {
    name: 'one block, at random',
    asks: (random) => attack(2_500, 4 * SECOND, () => fill('+977984123____', random)),
    recall: 0.96,
    precision: 1,
    leaked: 50,
  },
  {
    name: 'one block, number after number',
    asks: () => attack(2_500, 2 * SECOND, (index) => `+97798412${30_000 + index}`),
    recall: 0.99,
    precision: 1,
    leaked: 6,
  },
  {
    name: '1 000 blocks of one operator',
    asks: (random) => attack(5_000, SECOND, () => fill('+977984_______', random)),
    recall: 0.85,
    precision: 0.95,
    leaked: 400,
  },
]
for (const { name, asks, ...bounds } of attacks) {
  test(`catches an attack on ${name} early, and spares other traffic (D33)`, () => {
    for (const seed of [1, 2, 3]) {
      const random = seededRandom(seed)
      const outcome = replay([...customers(random, COUNTRY), ...asks(random)])
      assert.ok(outcome.recall >= bounds.recall, `recall ${outcome.recall}`)
      assert.ok(outcome.precision >= bounds.precision, `precision ${outcome.precision}`)
      assert.ok(outcome.leaked <= bounds.leaked, `leaked ${outcome.leaked}`)
    }
  })
}

test('lets a day of customers pass (D33)', () => {
  for (const seed of [1, 2, 3]) {
    const outcome = replay(customers(seededRandom(seed), { ...COUNTRY, untilMs: 12 * HOUR }))
    assert.deepEqual([outcome.refusedCustomers, outcome.alerts], [0, 0])
  }
})

test('blocks nobody during a carrier outage in a town with few blocks, and reports it (D33)', () => {
  const blocks = PREFIXES.flatMap((prefix) => ['100', '101', '102'].map((block) => `${prefix}${block}____`))
  const asks = customers(seededRandom(1), { numbers: blocks, untilMs: 4 * HOUR, everyMs: 3 * SECOND })
  const outcome = replay(asks.map((ask) => (ask.atMs > 2 * HOUR ? { ...ask, verifiedAtMs: Infinity } : ask)))
  assert.equal(outcome.refusedCustomers, 0)
  assert.ok(outcome.alerts > 0)
})

// Of 100 customers, 40 are known and 70 verify within a minute; every third of the others asks again.
function customers(random: Random, traffic: { numbers: string[]; untilMs: number; everyMs: number }): Ask[] {
  const asks: Ask[] = []
  for (let atMs = 0; atMs < traffic.untilMs; atMs += random.below(2 * traffic.everyMs)) {
    const to = fill(traffic.numbers[random.below(traffic.numbers.length)] ?? '', random)
    const isTrusted = random.below(100) < 40
    const verifies = random.below(100) < 70
    const verifiedAtMs = verifies ? atMs + 5 * SECOND + random.below(55 * SECOND) : Infinity
    asks.push({ atMs, to, isAttack: false, isTrusted, verifiedAtMs })
    if (!verifies && random.below(3) === 0) {
      asks.push({ atMs: atMs + 90 * SECOND, to, isAttack: false, isTrusted, verifiedAtMs: Infinity })
    }
  }
  return asks
}

function attack(count: number, everyMs: number, numberAt: (index: number) => string): Ask[] {
  return Array.from({ length: count }, (_, index) => {
    const atMs = ATTACK_FROM_MS + index * everyMs
    return { atMs, to: numberAt(index), isAttack: true, isTrusted: false, verifiedAtMs: Infinity }
  })
}

// The guard in block mode: a rejected OTP is not sent, and so is not evidence later.
function replay(asks: Ask[]) {
  const store: Store = { byScope: new Map(), holds: new Map() }
  const refused: Ask[] = []
  let alerts = 0
  let leaked = 0
  for (const ask of asks.toSorted((a, b) => a.atMs - b.atMs)) {
    const judged = checkOtpSend(loadFacts(store, ask))
    if (judged.verdict === 'suspect') refused.push(ask)
    else storeSend(store, ask)
    if (judged.verdict === 'suspect' && judged.isNew) store.holds.set(judged.hold.scope, judged.hold)
    if (judged.verdict === 'outage') alerts++
    if (ask.isAttack && refused.length === 0) leaked++
  }
  const refusedAttacks = refused.filter((ask) => ask.isAttack).length
  return {
    recall: refusedAttacks / asks.filter((ask) => ask.isAttack).length,
    precision: refusedAttacks / refused.length,
    refusedCustomers: refused.length - refusedAttacks,
    leaked,
    alerts,
  }
}

// The sends of one client by block, by prefix and ('') in total, in the order of time.
type Store = { byScope: Map<string, Ask[]>; holds: Map<string, Hold> }

function storeSend(store: Store, ask: Ask): void {
  const { prefix, block } = splitNumber(ask.to)
  for (const scope of ['', prefix, block]) store.byScope.getOrInsert(scope, []).push(ask)
}

// Counts only as far as the guard needs, which keeps the replay fast.
function loadFacts({ byScope, holds }: Store, { atMs, to, isTrusted }: Ask): PumpingFacts {
  const { prefix, block, lastFour } = splitNumber(to)
  const inScope = (scope: string) =>
    byScope
      .get(scope)
      ?.slice(-500)
      .filter((send) => send.atMs > atMs - HOUR) ?? []
  const isMatured = (send: Ask) => send.verifiedAtMs <= atMs || send.atMs <= atMs - 120 * SECOND
  const isNeighbour = (send: Ask) =>
    send.to !== to && send.atMs > atMs - 10 * MINUTE && Math.abs(splitNumber(send.to).lastFour - lastFour) <= 50
  return {
    to,
    at: new Date(atMs),
    isTrusted,
    get neighbours() {
      return conversionOf(inScope(block).filter(isNeighbour), atMs)
    },
    get block() {
      return conversionOf(inScope(block).filter(isMatured), atMs)
    },
    get prefix() {
      return conversionOf(inScope(prefix).filter(isMatured), atMs)
    },
    get prefixSends() {
      return { lastHour: inScope(prefix).length, usualPerHour: HOUR / COUNTRY.everyMs / PREFIXES.length }
    },
    get elsewhere() {
      const sends = inScope('').filter((send) => !send.to.startsWith(prefix))
      return conversionOf(sends.filter(isMatured), atMs)
    },
    normal: { numbers: 20_000, verified: 14_000 },
    blockHold: holds.get(block) ?? null,
    prefixHold: holds.get(prefix) ?? null,
  }
}

function conversionOf(sends: Ask[], atMs: number): Conversion {
  const verified = sends.filter((send) => send.verifiedAtMs <= atMs)
  return {
    numbers: new Set(sends.map((send) => send.to)).size,
    verified: new Set(verified.map((send) => send.to)).size,
  }
}

function fill(pattern: string, random: Random): string {
  return pattern.replace(/_+/, (gap) => random.digits(gap.length))
}

// The same traffic in every run (mulberry32).
function seededRandom(seed: number): Random {
  let state = seed
  const below = (limit: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }
  return { below, digits: (count) => String(below(10 ** count)).padStart(count, '0') }
}
