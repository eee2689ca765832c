// Amounts as whole ten-thousandths of the currency unit, never floats (§2.3, D7). Names of these amounts end in E4.
import assert from 'node:assert/strict'

type ReadAmount =
  | { ok: true; e4: number }
  | { ok: false; why: 'not_finite' | 'negative' | 'too_large' | 'too_many_decimals' }

// An E4 is a plain number. Up to this limit, one hundred thousand million units, it has at most 15 digits, which a double represents exactly.
export const MAX_AMOUNT_E4 = 999_999_999_999_999

// Parses a decimal number of a JSON body exactly: 0.1 + 0.2 or 1e-7 is rejected, not rounded.
export function toE4(amount: number): ReadAmount {
  if (!Number.isFinite(amount)) return { ok: false, why: 'not_finite' }
  if (amount < 0) return { ok: false, why: 'negative' }
  const e4 = Math.round(amount * 10_000)
  if (e4 > MAX_AMOUNT_E4) return { ok: false, why: 'too_large' }
  // Division of two exact integers is correctly rounded, so only the double nearest to the four decimals equals the amount.
  if (e4 / 10_000 !== amount) return { ok: false, why: 'too_many_decimals' }
  return { ok: true, e4: e4 === 0 ? 0 : e4 } // JSON can contain -0
}

// For a JSON response. A ledger entry may be negative.
export function fromE4(e4: number): number {
  assertSafe(e4)
  return e4 / 10_000
}

/** For people: '-1,250.00', with two to four decimals. */
export function writeE4(e4: number, minDecimals: 2 | 4 = 2): string {
  assertSafe(e4)
  const digits = String(Math.abs(e4)).padStart(5, '0')
  const whole = digits.slice(0, -4).replaceAll(/\B(?=(\d{3})+$)/g, ',')
  const decimals = minDecimals === 4 ? digits.slice(-4) : digits.slice(-4).replace(/0{1,2}$/, '')
  return `${e4 < 0 ? '-' : ''}${whole}.${decimals}`
}

// §2.1: cost is the price of the type multiplied by the segments.
export function costE4(priceE4: number, segments: number): number {
  assertSafe(priceE4)
  assertSafe(priceE4 * segments)
  return priceE4 * segments
}

function assertSafe(e4: number): void {
  assert(Number.isSafeInteger(e4), `${e4} is not a whole number of ten-thousandths`)
}
