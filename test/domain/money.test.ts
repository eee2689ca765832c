// Amounts in ten-thousandths (D7).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { costE4, fromE4, MAX_AMOUNT_E4, toE4, writeE4 } from '../../src/domain/money.ts'

const read: [amount: number, e4: number][] = [
  [0, 0],
  [-0, 0],
  [1, 10_000],
  [0.0001, 1],
  [1e-4, 1],
  [0.1, 1_000],
  [0.3, 3_000],
  [1.005, 10_050],
  [1.1, 11_000],
  [4.35, 43_500],
  [8.2, 82_000],
  [1234.5678, 12_345_678],
  [99_999_999_999.9999, MAX_AMOUNT_E4],
]
for (const [amount, e4] of read) {
  test(`reads ${amount} as ${e4} ten-thousandths (D7)`, () => assert.deepEqual(toE4(amount), { ok: true, e4 }))
}

const refused: [amount: number, why: string][] = [
  [0.1 + 0.2, 'too_many_decimals'],
  [0.00001, 'too_many_decimals'],
  [1e-7, 'too_many_decimals'],
  [1.00005, 'too_many_decimals'],
  [Number.MIN_VALUE, 'too_many_decimals'],
  [-0.0001, 'negative'],
  [-1, 'negative'],
  [100_000_000_000, 'too_large'],
  [Number.MAX_SAFE_INTEGER, 'too_large'],
  [Number.MAX_VALUE, 'too_large'],
  [Number.NaN, 'not_finite'],
  [Number.POSITIVE_INFINITY, 'not_finite'],
]
for (const [amount, why] of refused) {
  test(`rejects ${amount}: ${why} (D7)`, () => assert.deepEqual(toE4(amount), { ok: false, why }))
}

const amountsE4 = fc.oneof(fc.integer({ min: 0, max: MAX_AMOUNT_E4 }), fc.integer({ min: 0, max: 100_000 }))

test('keeps every amount exact in JSON (D7)', () => {
  fc.assert(
    fc.property(amountsE4, (e4) => {
      assert.deepEqual(toE4(JSON.parse(JSON.stringify(fromE4(e4)))), { ok: true, e4 })
    }),
    { numRuns: 1_000 },
  )
})

test('reads an amount by its decimal digits, and rejects a fifth decimal (D7)', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), fc.nat(9_999), fc.integer({ min: 1, max: 9 }), (units, fraction, fifth) => {
      const decimal = `${units}.${String(fraction).padStart(4, '0')}`
      assert.deepEqual(toE4(Number(decimal)), { ok: true, e4: units * 10_000 + fraction })
      assert.deepEqual(toE4(Number(decimal + fifth)), { ok: false, why: 'too_many_decimals' })
    }),
    { numRuns: 1_000 },
  )
})

test('computes the cost as price times segments, without floats (§2.1)', () => {
  assert.equal(costE4(11_000, 3), 33_000)
  assert.equal(costE4(1, 6), 6)
  assert.equal(fromE4(costE4(1_000, 3)), 0.3)
})

test('throws for a number that is not a whole ten-thousandth (D7)', () => {
  assert.throws(() => costE4(1.1, 3))
  assert.throws(() => costE4(Number.MAX_SAFE_INTEGER, 2))
  assert.throws(() => fromE4(Number.NaN))
})

test('shows the sign of a ledger entry (D7)', () => assert.equal(fromE4(-33_000), -3.3))

test('writes amounts with two to four decimals and groups of digits', () => {
  const table: [number, string][] = [
    [0, '0.00'],
    [1, '0.0001'],
    [3_000, '0.30'],
    [-3_010, '-0.301'],
    [10_000, '1.00'],
    [12_345_678_900, '1,234,567.89'],
    [MAX_AMOUNT_E4, '99,999,999,999.9999'],
  ]
  for (const [e4, text] of table) assert.equal(writeE4(e4), text)
  assert.equal(writeE4(-12_500_000, 4), '-1,250.0000')
})
