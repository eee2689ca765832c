// Statements on PostgreSQL: for random ledgers, the lines of every month add up to the ledger.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DAY_MS } from '../../../src/domain/durations.ts'
import { Account, signedE4 } from '../../../src/domain/workspaces/account.ts'
import { parseMonth, periodOf } from '../../../src/domain/workspaces/billing-period.ts'
import { buildStatement, linesOf, type Statement } from '../../../src/domain/workspaces/statement.ts'
import { chargedDay, UsageSum } from '../../../src/domain/workspaces/usage.ts'
import { ManualClock } from '../../../src/runtime/clock.ts'
import { Ids } from '../../../src/runtime/ids.ts'
import { systemRandom } from '../../../src/runtime/random.ts'
import { sql } from '../../../src/store/database/sql.ts'
import { listEntriesInOrder, storeAccounts } from '../../../src/store/workspaces/ledger.ts'
import { loadStatement } from '../../../src/store/workspaces/statement.ts'
import { addUsage } from '../../../src/store/workspaces/usage.ts'
import { insertWorkspace, lockWorkspaces } from '../../../src/store/workspaces/workspaces.ts'
import { testDatabase } from '../../harness/database.ts'

const db = await testDatabase()
const START = new Date('2026-11-16T04:00:00.000Z')
const timeZone = 'Asia/Kathmandu'
const TYPES = ['otp', 'transactional'] as const

const amountE4 = fc.integer({ min: 1, max: 50_000_000 })
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('reserve' as const), amountE4, type: fc.constantFrom(...TYPES) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('refund' as const), which: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('topUp' as const), amountE4 }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), days: fc.integer({ min: 0, max: 40 }) }) },
)
type Step = typeof step extends fc.Arbitrary<infer It> ? It : never

interface Reserved {
  messageId: string
  amountE4: number
  period: string
  day: string
  type: (typeof TYPES)[number]
}

class RandomLedger {
  readonly #clock = new ManualClock(START)
  readonly #ids = new Ids(this.#clock, systemRandom)
  readonly #reserved: Reserved[] = []
  readonly workspaceId = this.#ids.next()
  readonly clientId = this.#ids.next()

  get now(): Date {
    return this.#clock.now()
  }

  async open(monthlyCreditE4: number): Promise<void> {
    const { workspaceId, clientId, now } = this
    const account = Account.open({ workspaceId, timeZone, monthlyCreditE4, now })
    const settings = {
      ...{
        name: 'Himal',
        country: 'NP',
        currency: 'NPR',
        timeZone,
        plan: 'standard' as const,
        status: 'active' as const,
      },
      ...{ monthlyCreditE4, priceE4: { transactional: 1, otp: 1, promotional: 1 }, allowedTypes: [...TYPES] },
      ...{ allowedCountries: null, templatesRequired: false, maxClients: 1, carrierFields: {} },
    }
    await db.transaction(async (tx) => {
      await insertWorkspace(tx, { id: workspaceId, settings, account, now })
      await storeAccounts(tx, { accounts: [account], ids: this.#ids, now })
      await tx.query(sql`
        insert into client (id, workspace_id, name, brand_name, default_sender, mode, requests_per_second, webhook_secret_sealed, created_at, updated_at)
        values (${clientId}, ${workspaceId}, 'Shop', 'Shop', 'Shop', 'live', 1, ${Buffer.from('x')}, ${now}, ${now})`)
    })
  }

  async take(step: Step): Promise<void> {
    if (step.kind === 'wait') {
      return this.#clock.advanceTo(new Date(this.now.getTime() + step.days * DAY_MS), async () => {})
    }
    await db.transaction(async (tx) => {
      const [state] = await lockWorkspaces(tx, [this.workspaceId])
      assert.ok(state)
      const account = Account.at(this.now, state)
      const usage = new UsageSum()
      this.#change(account, usage, step)
      await storeAccounts(tx, { accounts: [account], ids: this.#ids, now: this.now })
      await addUsage(tx, usage.rows())
    })
  }

  #change(account: Account, usage: UsageSum, step: Exclude<Step, { kind: 'wait' }>): void {
    const of = { workspaceId: this.workspaceId, clientId: this.clientId, country: 'NP' }
    if (step.kind === 'topUp') account.topUp(step.amountE4, 'Invoice')
    else if (step.kind === 'reserve') {
      const { amountE4: costE4, type } = step
      if (!account.reserve(costE4)) return
      const { period } = account
      const day = chargedDay(this.now, { timeZone, period })
      this.#reserved.push({ messageId: this.#ids.next(), amountE4: costE4, period, day, type })
      usage.add({ ...of, day, type }, { messages: 1, segments: 1, costE4 })
    } else {
      const [refunded] = this.#reserved.splice(step.which % Math.max(1, this.#reserved.length), 1)
      if (!refunded) return
      account.refund(refunded)
      const { day, type, amountE4: refundedE4 } = refunded
      usage.add({ ...of, day, type }, { refunds: 1, refundedE4 })
    }
  }

  async statementOf(month: string): Promise<Statement> {
    const facts = await loadStatement(db, { workspaceId: this.workspaceId, ...parseMonth(month, timeZone) })
    assert.ok(facts)
    return buildStatement(facts, this.now)
  }

  async entries() {
    const whole = { since: new Date(0), until: new Date(this.now.getTime() + DAY_MS), after: null, limit: 10_000 }
    return listEntriesInOrder(db, { workspaceId: this.workspaceId, ...whole })
  }
}

/** Checks every month against the entries of the ledger. */
async function checkMonths(ledger: RandomLedger): Promise<void> {
  const entries = await ledger.entries()
  const byPeriod = Map.groupBy(entries, (entry) => entry.period)
  for (const [period, own] of byPeriod) {
    const statement = await ledger.statementOf(period.slice(0, 7))
    const sum = (kind: string) => own.filter((it) => it.kind === kind).reduce((all, it) => all + it.amountE4, 0)
    const { expiredE4, lateExpiredE4, sumE4, closingE4, isClosed } = statement
    const pendingE4 = isClosed && period === [...byPeriod.keys()].toSorted().at(-1) ? closingBalance(own) : 0
    assert.deepEqual(
      [statement.costE4, statement.refundedE4, statement.topUpE4, statement.topUps],
      [sum('reservation'), sum('refund'), sum('topUp'), own.filter((it) => it.kind === 'topUp').length],
      period,
    )
    assert.equal(statement.grantE4, sum('grant'), period)
    assert.equal(expiredE4 + lateExpiredE4, sum('expiry') + pendingE4, period)
    assert.equal(sumE4, closingE4, period)
    assert.equal(isClosed, periodOf(ledger.now, timeZone).period > period)
    // D9: the rest of the month before has expired.
    const [first] = own
    assert.ok(first)
    assert.equal(first.balanceE4 - signedE4(first), statement.openingE4, period)
    assert.equal(
      linesOf(statement).reduce((all, it) => all + it.amountE4, 0),
      sumE4,
    )
    if (!isClosed) assert.equal(closingE4, entries.at(-1)?.balanceE4 ?? 0)
  }
}

/** What expires when the month is closed. */
function closingBalance(own: { kind: string; amountE4: number }[]): number {
  return own.reduce(
    (all, it) => all + (it.kind === 'reservation' || it.kind === 'expiry' ? -it.amountE4 : it.amountE4),
    0,
  )
}

test('adds the lines of every month up to the ledger, for random ledgers (D8 to D10, property)', async () => {
  const credit = fc.constantFrom(0, 5_000_000, 12_345_678)
  await fc.assert(
    fc.asyncProperty(credit, fc.array(step, { maxLength: 25 }), async (monthlyCreditE4, steps) => {
      const ledger = new RandomLedger()
      await ledger.open(monthlyCreditE4)
      for (const it of steps) await ledger.take(it)
      await checkMonths(ledger)
    }),
    { numRuns: 40 },
  )
})

test('lists the first 100 top-ups of a month, and adds up all of them', async () => {
  const ledger = new RandomLedger()
  await ledger.open(0)
  for (let count = 0; count < 103; count++) await ledger.take({ kind: 'topUp', amountE4: count + 1 })
  const { listedTopUps, topUps, topUpE4, sumE4, closingE4 } = await ledger.statementOf('2026-11')
  assert.deepEqual([listedTopUps.length, topUps, topUpE4], [100, 103, (103 * 104) / 2])
  assert.deepEqual([listedTopUps[0]?.amountE4, listedTopUps.at(-1)?.amountE4], [1, 100])
  assert.deepEqual([sumE4, closingE4], [topUpE4, topUpE4])
})
