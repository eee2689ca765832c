// The balance of one workspace (D8 to D10), by cases and by properties.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DAY_MS } from '../../../src/domain/durations.ts'
import { Account, MAX_BALANCE_E4, type UnstoredEntry } from '../../../src/domain/workspaces/account.ts'

const NOVEMBER = new Date('2026-11-16T04:00:00Z')
const DECEMBER = new Date('2026-12-16T04:00:00Z')

function open({ monthlyCreditE4 = 100, now = NOVEMBER } = {}): Account {
  return Account.open({ workspaceId: 'w', timeZone: 'Asia/Kathmandu', monthlyCreditE4, now })
}

/** Loads the account again; its entries are the new ones. */
function reload({ workspaceId, balanceE4, period, periodEndsAt }: Account, now: Date, monthlyCreditE4 = 100): Account {
  const timeZone = 'Asia/Kathmandu'
  return Account.at(now, { workspaceId, timeZone, monthlyCreditE4, balanceE4, period, periodEndsAt, lastEntryId: null })
}

function entriesOf({ entries }: Account): [kind: string, amountE4: number, balanceE4: number, period: string][] {
  return entries.map((it) => [it.kind, it.amountE4, it.balanceE4, it.period])
}

test('grants a new workspace its credit at once (D9)', () => {
  assert.deepEqual(entriesOf(open()), [['grant', 100, 100, '2026-11-01']])
})

test('expires the remaining balance with the month, to the millisecond of its time zone (D9)', () => {
  const before = reload(open(), new Date('2026-11-30T18:14:59.999Z'))
  assert.deepEqual(entriesOf(before), [])
  assert.deepEqual(entriesOf(reload(before, new Date('2026-11-30T18:15:00.000Z'))), [
    ['expiry', 100, 0, '2026-11-01'],
    ['grant', 100, 100, '2026-12-01'],
  ])
})

test('closes missed months one by one (D9)', () => {
  const account = reload(open(), new Date('2027-02-10T00:00:00Z'))
  const periods = account.entries.filter((it) => it.kind === 'expiry').map((it) => it.period)
  assert.deepEqual(periods, ['2026-11-01', '2026-12-01', '2027-01-01'])
  assert.deepEqual([account.balanceE4, account.period], [100, '2027-02-01'])
})

test('passes months without an entry in a workspace without credit', () => {
  const account = reload(open({ monthlyCreditE4: 0 }), DECEMBER, 0)
  assert.deepEqual([account.entries, account.period], [[], '2026-12-01'])
})

test('reserves up to the balance, and not a ten-thousandth more', () => {
  const account = open()
  assert.equal(account.reserve(101), false)
  assert.equal(account.reserve(100), true)
  assert.equal(account.reserve(1), false)
  assert.equal(account.reserve(0), true)
  assert.deepEqual(entriesOf(account).slice(1), [['reservation', 100, 0, '2026-11-01']])
})

test('joins consecutive reservations in one entry with its message count; any other entry separates them', () => {
  const account = open()
  for (const costE4 of [10, 0, 20]) account.reserve(costE4)
  account.topUp(5, null)
  account.reserve(1)
  assert.deepEqual(
    account.entries.slice(1).map(({ kind, amountE4, balanceE4, messages }) => [kind, amountE4, balanceE4, messages]),
    [
      ['reservation', 30, 70, 2],
      ['topUp', 5, 75, null],
      ['reservation', 1, 74, 1],
    ],
  )
})

test('refunds to the month of the reservation, and expires the refund if that month is closed (D10)', () => {
  const account = open()
  account.reserve(30)
  account.reserve(20)
  account.refund({ messageId: 'early', amountE4: 30, period: '2026-11-01' })
  assert.equal(account.balanceE4, 80)
  const later = reload(account, DECEMBER)
  later.refund({ messageId: 'late', amountE4: 20, period: '2026-11-01' })
  assert.deepEqual(entriesOf(later).slice(-2), [
    ['refund', 20, 120, '2026-11-01'],
    ['expiry', 20, 100, '2026-11-01'],
  ])
})

test('changes nothing for a top-up beyond the exact maximum (D7)', () => {
  const account = open({ monthlyCreditE4: 1 })
  assert.equal(account.topUp(MAX_BALANCE_E4, null), false)
  assert.equal(account.topUp(MAX_BALANCE_E4 - 1, 'all there is'), true)
  assert.equal(account.balanceE4, MAX_BALANCE_E4)
})

test('throws for an entry with a zero, negative or fractional amount', () => {
  for (const amountE4 of [0, -1, 0.5, Number.NaN]) assert.throws(() => open().topUp(amountE4, null))
  assert.throws(() => open().refund({ messageId: 'm', amountE4: 1, period: '2027-01-01' }))
})

type Step =
  | { do: 'topUp'; amountE4: number }
  | { do: 'reserve'; amountE4: number }
  | { do: 'refund'; which: number }
  | { do: 'wait'; days: number }

const amountE4 = fc.integer({ min: 1, max: 500 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('reserve' as const), amountE4 }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('refund' as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('topUp' as const), amountE4 }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), days: fc.integer({ min: 0, max: 45 }) }) },
)

/** Runs the steps like the service: the account is loaded, brought up to now, changed, and stored. */
function walk(monthlyCreditE4: number, steps: Step[]) {
  let now = NOVEMBER
  let account = open({ monthlyCreditE4, now })
  const stored: UnstoredEntry[] = []
  const reserved: { messageId: string; amountE4: number; period: string }[] = []
  for (const [index, it] of steps.entries()) {
    stored.push(...account.entries)
    account = reload(account, now, monthlyCreditE4)
    if (it.do === 'wait') now = new Date(now.getTime() + it.days * DAY_MS)
    else if (it.do === 'topUp') account.topUp(it.amountE4, null)
    else if (it.do === 'reserve' && account.reserve(it.amountE4)) {
      reserved.push({ messageId: String(index), amountE4: it.amountE4, period: account.period })
    } else if (it.do === 'refund' && reserved.length > 0) {
      const [reservation] = reserved.splice(it.which % reserved.length, 1)
      if (reservation) account.refund(reservation)
    }
  }
  return { account, entries: [...stored, ...account.entries] }
}

const signed = ({ kind, amountE4: moved }: UnstoredEntry) =>
  kind === 'reservation' || kind === 'expiry' ? -moved : moved
const sum = (entries: UnstoredEntry[]) => entries.reduce((total, entry) => total + signed(entry), 0)

test('adds entries up to the balance, closed months to zero, and opens and closes each month once (D8, D9, property)', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1000 }), fc.array(step, { maxLength: 80 }), (credit, steps) => {
      const { account, entries } = walk(credit, steps)
      let balanceE4 = 0
      for (const entry of entries) {
        balanceE4 += signed(entry)
        assert.equal(entry.balanceE4, balanceE4)
        assert.ok(balanceE4 >= 0)
      }
      assert.equal(account.balanceE4, balanceE4)
      for (const [period, ofPeriod] of Map.groupBy(entries, (entry) => entry.period)) {
        assert.equal(sum(ofPeriod), period === account.period ? balanceE4 : 0)
        for (const kind of ['grant', 'expiry']) {
          assert.ok(ofPeriod.filter((entry) => entry.kind === kind && entry.messageId === null).length <= 1)
        }
      }
    }),
    { numRuns: 500 },
  )
})
