// D61: the cost of a submission, and the day it counts for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sumCosts } from '../../../src/domain/carriers/carrier-cost.ts'
import { priceOf, submissionCostE4 } from '../../../src/domain/carriers/carrier-price.ts'
import type { MessageState } from '../../../src/domain/messages/transition.ts'

const prices = [
  { prefix: '+977', priceE4: 100 },
  { prefix: '+97798', priceE4: 0 },
  { prefix: '+9779801234567', priceE4: 7 },
]

test('uses the price of the longest prefix, also a zero price, and none without a match', () => {
  const table: [string, number | null][] = [
    ['+9779761234567', 100],
    ['+9779811234567', 0],
    ['+9779801234567', 7],
    ['+919811234567', null],
  ]
  for (const [number, price] of table) assert.equal(priceOf(prices, number), price, number)
  assert.equal(priceOf([], '+9779811234567'), null)
  assert.equal(priceOf([...prices, { prefix: '', priceE4: 5 }], '+919811234567'), 5)
})

test('uses the price of the longest matching prefix in every list (property)', () => {
  const digits = fc.string({ unit: fc.constantFrom('0', '1'), maxLength: 6 }).map((it) => `+${it}`)
  fc.assert(
    fc.property(fc.uniqueArray(digits, { maxLength: 20 }), digits, (prefixes, number) => {
      const list = prefixes.map((prefix, priceE4) => ({ prefix, priceE4 }))
      const fitting = prefixes.filter((it) => number.startsWith(it)).sort((one, other) => other.length - one.length)
      const expected = fitting[0] === undefined ? null : prefixes.indexOf(fitting[0])
      assert.equal(priceOf(list, number), expected)
    }),
  )
})

test('charges an accepted submission by segments, if the workspace and the prices have the same currency', () => {
  const to = '+9779761234567'
  const list = { currency: 'NPR', prices }
  assert.equal(submissionCostE4(list, { to, currency: 'NPR', segments: 3 }), 300)
  assert.equal(submissionCostE4(list, { to, currency: 'USD', segments: 3 }), null)
  assert.equal(submissionCostE4(list, { to: '+14155550100', currency: 'NPR', segments: 1 }), null)
  assert.equal(submissionCostE4(undefined, { to, currency: 'NPR', segments: 1 }), null)
})

test('counts costs for the day of the charge in the time zone of the workspace, never before the paying month', () => {
  const late = new Date('2026-11-30T18:14:59.999Z')
  const message = {
    id: 'm',
    workspaceId: 'w',
    clientId: 'c',
    type: 'otp',
    country: 'NP',
    createdAt: late,
  } as MessageState
  const sum = (period: string | null) =>
    sumCosts(
      [
        { messageId: 'm', segments: 1, costE4: 3 },
        { messageId: 'm', segments: 2, costE4: 4 },
      ],
      { messages: [message], charges: [{ messageId: 'm', timeZone: 'Asia/Kathmandu', period }] },
    )
  const row = { workspaceId: 'w', clientId: 'c', type: 'otp', country: 'NP', segments: 3, costE4: 7 }
  assert.deepEqual(sum('2026-11-01'), [{ ...row, day: '2026-11-30' }])
  assert.deepEqual(sum('2026-12-01'), [{ ...row, day: '2026-12-01' }])
  assert.deepEqual(sum(null), [{ ...row, day: '2026-11-30' }])
})
