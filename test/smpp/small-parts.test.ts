// Times, message IDs, statuses and reconnection.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type IdNotation, normaliseMessageId } from '../../src/smpp/receipt.ts'
import { planReconnect } from '../../src/smpp/reconnect.ts'
import { statusName } from '../../src/smpp/status.ts'
import { formatReceiptTime, formatRelativeTime, parseReceiptTime, parseValidityPeriod } from '../../src/smpp/time.ts'

describe('validity_period', () => {
  const cases: [number, string][] = [
    [300, '000000000500000R'],
    [0.9, '000000000000000R'],
    [-5, '000000000000000R'],
    [59, '000000000059000R'],
    [86_399, '000000235959000R'],
    [2 * 86_400, '000002000000000R'],
    [400 * 86_400, '000099000000000R'],
  ]
  for (const [seconds, expected] of cases) {
    test(`${seconds} s`, () => assert.equal(formatRelativeTime(seconds), expected))
  }

  const now = new Date('2026-11-16T04:00:00.000Z')
  const ends: [string, string | undefined][] = [
    ['000000000500000R', '2026-11-16T04:05:00.000Z'],
    ['010217233001000R', '2028-02-03T03:30:01.000Z'],
    ['261116100000748+', '2026-11-15T22:00:00.700Z'],
    ['261116100000748-', '2026-11-16T22:00:00.700Z'],
    ['261331000000000+', undefined],
    ['0000000005000R', undefined],
    ['', undefined],
  ]
  for (const [text, expected] of ends) {
    test(`${text || 'nothing'} ends`, () => {
      assert.equal(parseValidityPeriod(text, now)?.toISOString(), expected)
    })
  }
})

describe('receipt dates', () => {
  const cases: [string, string | undefined][] = [
    ['2601021504', '2026-01-02T15:04:00.000Z'],
    ['260102150405', '2026-01-02T15:04:05.000Z'],
    ['202601021504', '2026-01-02T15:04:00.000Z'],
    ['20260102150405', '2026-01-02T15:04:05.000Z'],
    ['2602301504', undefined],
    ['2613011504', undefined],
    ['260102150', undefined],
    ['26010215xx', undefined],
    ['0000000000', undefined],
    ['', undefined],
  ]
  for (const [text, expected] of cases) {
    test(text || 'nothing', () => assert.equal(parseReceiptTime(text)?.toISOString(), expected))
  }

  test('reads back what it writes, to the minute', () => {
    const minutes = fc.integer({ min: Date.UTC(2000, 0) / 60_000, max: Date.UTC(2099, 11) / 60_000 })
    fc.assert(
      fc.property(minutes, (minute) => {
        const at = new Date(minute * 60_000)
        assert.deepEqual(parseReceiptTime(formatReceiptTime(at)), at)
      }),
    )
  })
})

describe('message IDs', () => {
  const cases: [string, IdNotation, string][] = [
    ['00AbC', 'opaque', 'abc'],
    ['000', 'opaque', '0'],
    ['', 'opaque', ''],
    ['0007', 'decimal', '7'],
    ['1A2B', 'hex', '6699'],
    ['00001a2b', 'hex', '6699'],
    ['ffffffffffffffffffff', 'hex', '1208925819614629174706175'],
    ['not-hex', 'hex', 'not-hex'],
    ['', 'hex', ''],
    ['0x1A2B', 'opaque', '1a2b'],
    ['0X001a2b', 'hex', '6699'],
    ['0x1A2B', 'decimal', '6699'],
    ['0x', 'opaque', 'x'],
    ['1'.repeat(100), 'opaque', '1'.repeat(65)],
  ]
  for (const [id, notation, expected] of cases) {
    test(`${JSON.stringify(id)} as ${notation}`, () => assert.equal(normaliseMessageId(id, notation), expected))
  }

  test('hex and decimal notations of one number are equal', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 128n }), (number) =>
        assert.equal(
          normaliseMessageId(number.toString(16).toUpperCase(), 'hex'),
          normaliseMessageId(`00${number}`, 'decimal'),
        ),
      ),
    )
  })
})

describe('status names', () => {
  test('known', () => assert.equal(statusName(0x58), 'ESME_RTHROTTLED'))
  test('carrier-specific', () => assert.equal(statusName(0x401), '0x00000401'))
})

describe('reconnecting', () => {
  const never = { boundMs: 0 }

  test('the ceiling doubles from 2 to 60 s', () => {
    let failures = 0
    const ceilings = Array.from({ length: 8 }, () => {
      const plan = planReconnect(failures, never, () => 1)
      failures = plan.failures
      return plan.waitMs
    })
    assert.deepEqual(ceilings, [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
  })

  test('the wait is between 1 s and the ceiling', () => {
    fc.assert(
      fc.property(fc.nat(2000), fc.double({ min: 0, max: 1, noNaN: true }), (failures, random) => {
        const { waitMs } = planReconnect(failures, never, () => random)
        assert(waitMs >= 1_000 && waitMs <= 60_000)
      }),
    )
    assert.equal(planReconnect(5, never, () => 0).waitMs, 1_000)
  })

  test('only 30 s of a bound link reset the backoff', () => {
    assert.equal(planReconnect(5, { boundMs: 29_999 }, () => 1).waitMs, 60_000)
    assert.deepEqual(
      planReconnect(5, { boundMs: 30_000 }, () => 1),
      { waitMs: 2_000, failures: 1 },
    )
  })

  for (const bindStatus of [0x0e, 0x0f, 0x53]) {
    test(`a bind rejected with ${statusName(bindStatus)} waits 5 minutes`, () =>
      assert.equal(planReconnect(0, { boundMs: 0, bindStatus }, () => 0).waitMs, 300_000))
  }

  for (const bindStatus of [0x05, 0x0d]) {
    test(`a bind rejected with ${statusName(bindStatus)} backs off like other failures`, () =>
      assert.equal(planReconnect(0, { boundMs: 0, bindStatus }, () => 1).waitMs, 2_000))
  }
})
