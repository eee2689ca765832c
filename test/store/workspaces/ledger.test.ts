// The ledger on PostgreSQL: random entries add up to the balances, and each month closes once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Account } from '../../../src/domain/workspaces/account.ts'
import { ManualClock } from '../../../src/runtime/clock.ts'
import { Ids } from '../../../src/runtime/ids.ts'
import { systemRandom } from '../../../src/runtime/random.ts'
import type { Db, Tx } from '../../../src/store/database/db.ts'
import { sql } from '../../../src/store/database/sql.ts'
import { storeAccounts } from '../../../src/store/workspaces/ledger.ts'
import { insertWorkspace, lockWorkspaces } from '../../../src/store/workspaces/workspaces.ts'
import { testDatabase } from '../../harness/database.ts'

/** `MOVEMENTS=1000000` takes half a minute. */
const MOVEMENTS = Number(process.env.MOVEMENTS ?? 300_000)
const BATCH = 5_000
const WORKSPACES = 50
const MONTHLY_CREDIT_E4 = 3_000_000
const START = new Date('2026-11-16T04:00:00.000Z')
/** The test covers two years, so that months change in every workspace. */
const BATCH_MS = (2 * 365 * 86_400_000) / (MOVEMENTS / 2 / BATCH)

interface Reservation {
  messageId: string
  amountE4: number
  period: string
}

/** The expected balances, calculated independently of the service and with bigint. */
class Model {
  readonly balances = new Map<string, bigint>()
  readonly open: { workspaceId: string; reservation: Reservation }[] = []

  add(workspaceId: string, amountE4: number): void {
    this.balances.set(workspaceId, (this.balances.get(workspaceId) ?? 0n) + BigInt(amountE4))
  }
}

test('grants, top-ups, reservations, refunds and closed months add up to the balances (D8)', {
  timeout: 400_000,
}, async (t) => {
  const db = await testDatabase()
  const seed = Number(process.env.SEED ?? systemRandom.below(2 ** 31))
  t.diagnostic(`SEED=${seed}`)
  const models = await Promise.all([moveMoney(db, seed), moveMoney(db, seed + 1)])
  await checkLedger(db)
  const expected = new Map(models.flatMap(({ balances }) => [...balances]))
  const balances = await db.query<{ id: string; balance: number }>(sql`select id, balance_e4 as balance from workspace`)
  assert.deepEqual(new Map(balances.map(({ id, balance }) => [id, BigInt(balance)])), expected)
  const [count] = await db.query<{ movements: number; months: number }>(sql`
    select sum(coalesce(messages, 1)) as movements, count(*) filter (where kind = 'grant') as months from ledger_entry`)
  assert.equal(count?.months, WORKSPACES * 25)
  assert.ok(count.movements >= MOVEMENTS * 0.9, `only ${count.movements} movements`)
})

/** Two of these run at once with half of the workspaces each: one calculates while the other stores. */
async function moveMoney(db: Db, seed: number): Promise<Model> {
  const random = generator(seed)
  const clock = new ManualClock(START)
  const ids = new Ids(clock, systemRandom)
  const model = new Model()
  const workspaceIds = await openWorkspaces(db, ids, model)
  for (let moved = 0; moved < MOVEMENTS / 2; moved += BATCH) {
    await clock.advanceTo(new Date(clock.now().getTime() + BATCH_MS), async () => {})
    await db.transaction(async (tx) => {
      const accounts = await loadAccounts(tx, { workspaceIds, now: clock.now(), model })
      for (let movement = 0; movement < BATCH; movement++) move(accounts, { random, ids, model })
      await storeAccounts(tx, { accounts, ids, now: clock.now() })
    })
  }
  return model
}

async function openWorkspaces(db: Db, ids: Ids, model: Model): Promise<string[]> {
  const settings = {
    ...{ name: 'Many', country: 'NP', currency: 'NPR', timeZone: 'Asia/Kathmandu' },
    ...{ plan: 'standard' as const, status: 'active' as const, monthlyCreditE4: MONTHLY_CREDIT_E4 },
    ...{ priceE4: { transactional: 1, otp: 1, promotional: 1 }, allowedTypes: [] },
    ...{ allowedCountries: null, templatesRequired: true, maxClients: 20, carrierFields: {} },
  }
  return db.transaction(async (tx) => {
    const accounts = Array.from({ length: WORKSPACES / 2 }, () =>
      Account.open({ workspaceId: ids.next(), now: START, ...settings }),
    )
    for (const account of accounts) {
      await insertWorkspace(tx, { id: account.workspaceId, settings, account, now: START })
      model.add(account.workspaceId, MONTHLY_CREDIT_E4)
    }
    await storeAccounts(tx, { accounts, ids, now: START })
    return accounts.map((account) => account.workspaceId)
  })
}

async function loadAccounts(
  tx: Tx,
  { workspaceIds, now, model }: { workspaceIds: string[]; now: Date; model: Model },
): Promise<Account[]> {
  const locked = await lockWorkspaces(tx, workspaceIds)
  return locked.map((state) => {
    const account = Account.at(now, state)
    if (account.period !== state.period) model.balances.set(state.workspaceId, BigInt(MONTHLY_CREDIT_E4))
    return account
  })
}

function move(accounts: Account[], { random, ids, model }: { random: () => number; ids: Ids; model: Model }): void {
  const account = accounts[Math.floor(random() * accounts.length)]
  assert.ok(account)
  const amountE4 = 1 + Math.floor(random() * 60_000)
  const chosen = random()
  const messageId = ids.next()
  const { workspaceId, period } = account
  if (chosen < 0.3 && model.open.length > 0) {
    refundOne(accounts, { random, model })
  } else if (chosen < 0.7 && account.reserve(amountE4)) {
    model.add(workspaceId, -amountE4)
    model.open.push({ workspaceId, reservation: { messageId, amountE4, period } })
  } else {
    account.topUp(amountE4, null)
    model.add(workspaceId, amountE4)
  }
}

function refundOne(accounts: Account[], { random, model }: { random: () => number; model: Model }): void {
  const at = Math.floor(random() * model.open.length)
  const last = model.open.pop()
  const refunded = at === model.open.length ? last : model.open[at]
  if (last && at < model.open.length) model.open[at] = last
  const account = accounts.find((it) => it.workspaceId === refunded?.workspaceId)
  assert.ok(account && refunded)
  account.refund(refunded.reservation)
  // D10: a refund into a closed month expires immediately.
  if (refunded.reservation.period === account.period) model.add(account.workspaceId, refunded.reservation.amountE4)
}

/** Invariants of every ledger at any time. */
async function checkLedger(db: Db): Promise<void> {
  const none = async (what: string, rows: Promise<unknown[]>) => assert.deepEqual(await rows, [], what)
  await none(
    'the sum of all accounts is zero',
    db.query(sql`select sum(amount_e4) as off from ledger_line having sum(amount_e4) <> 0`),
  )
  await none(
    'every balance equals the sum of its ledger lines',
    db.query(sql`
      select id, balance_e4 from workspace where balance_e4 <> (
        select sum(amount_e4) from ledger_line where workspace_id = workspace.id and account = 'available')`),
  )
  await none(
    'every closed month has the sum zero',
    db.query(sql`
      select line.workspace_id, line.period, sum(amount_e4) as off
      from ledger_line line join workspace on workspace.id = line.workspace_id and workspace.period <> line.period
      where account = 'available' group by 1, 2 having sum(amount_e4) <> 0`),
  )
  await none(
    'each entry has the balance after it, and no balance is negative',
    db.query(sql`
      select id from (
        select id, balance_e4, sum(case when kind in ('reservation', 'expiry') then -amount_e4 else amount_e4 end)
          over (partition by workspace_id order by id) as reckoned
        from ledger_entry) entry
      where balance_e4 <> reckoned or balance_e4 < 0 limit 5`),
  )
  await none(
    'each month is opened once and closed at most once',
    db.query(sql`
      select workspace_id, period from ledger_entry where message_id is null and kind in ('grant', 'expiry')
      group by 1, 2 having count(*) filter (where kind = 'grant') <> 1 or count(*) filter (where kind = 'expiry') > 1`),
  )
  await none(
    'no message is refunded twice',
    db.query(sql`
      select message_id from ledger_entry where kind = 'refund' group by 1 having count(*) > 1 limit 5`),
  )
  await none(
    'no month refunds more than it reserved',
    db.query(sql`
      select workspace_id, period from ledger_entry where kind in ('reservation', 'refund') group by 1, 2
      having sum(amount_e4) filter (where kind = 'refund') > sum(amount_e4) filter (where kind = 'reservation')
        or count(*) filter (where kind = 'refund') > sum(messages)`),
  )
}

/** mulberry32: deterministic for a seed. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
