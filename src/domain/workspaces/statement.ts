// The statement of one month: what came in, what went out, and the balance at its end (D80).
import { Account, type AccountState, signedE4 } from './account.ts'
import type { Usage } from './usage.ts'

export interface StatementUsage
  extends Pick<Usage, 'clientId' | 'type' | 'messages' | 'segments' | 'costE4' | 'refunds' | 'refundedE4'> {
  name: string
}

export interface StatementTopUp {
  at: Date
  amountE4: number
  note: string | null
}

/** Read at one moment. */
export interface StatementFacts {
  /** First day of the month. */
  period: string
  account: AccountState
  grantE4: number
  topUpE4: number
  topUps: number
  /** The first of them, oldest first. */
  listedTopUps: StatementTopUp[]
  expiredE4: number
  /** D10: refunds after the end of the month, which expired immediately. */
  lateExpiredE4: number
  usage: StatementUsage[]
}

export interface Statement extends Omit<StatementFacts, 'account'> {
  isClosed: boolean
  /** Always 0 (D9): the rest of the previous month has expired. */
  openingE4: number
  costE4: number
  refundedE4: number
  /** The sum of the lines above. */
  sumE4: number
  /** The balance of the ledger. */
  closingE4: number
}

export function buildStatement({ account: state, ...facts }: StatementFacts, now: Date): Statement {
  const { period } = facts
  // A month that has ended may still have to be closed by the next request or the sweeper.
  const account = Account.at(now, state)
  const pending = account.entries.filter((entry) => entry.period === period)
  const sumOf = (kind: 'grant' | 'expiry') =>
    pending.filter((entry) => entry.kind === kind).reduce((sum, { amountE4 }) => sum + amountE4, 0)
  const lines = {
    ...facts,
    openingE4: 0,
    grantE4: facts.grantE4 + sumOf('grant'),
    expiredE4: facts.expiredE4 + sumOf('expiry'),
    costE4: facts.usage.reduce((sum, it) => sum + it.costE4, 0),
    refundedE4: facts.usage.reduce((sum, it) => sum + it.refundedE4, 0),
  }
  return {
    ...lines,
    isClosed: account.period > period,
    sumE4: linesOf(lines).reduce((sum, { amountE4 }) => sum + amountE4, 0),
    closingE4: account.period === period ? account.balanceE4 : 0,
  }
}

type StatementAmounts = Pick<
  Statement,
  'openingE4' | 'grantE4' | 'topUpE4' | 'costE4' | 'refundedE4' | 'expiredE4' | 'lateExpiredE4'
>

export type StatementLine = 'opening' | 'grant' | 'topUp' | 'usage' | 'refund' | 'expiry' | 'lateExpiry'

/** The lines with their signs, in the order of the statement. */
export function linesOf(amounts: StatementAmounts): { line: StatementLine; amountE4: number }[] {
  const { openingE4, grantE4, topUpE4, costE4, refundedE4, expiredE4, lateExpiredE4 } = amounts
  return [
    { line: 'opening', amountE4: openingE4 },
    { line: 'grant', amountE4: signedE4({ kind: 'grant', amountE4: grantE4 }) },
    { line: 'topUp', amountE4: signedE4({ kind: 'topUp', amountE4: topUpE4 }) },
    { line: 'usage', amountE4: signedE4({ kind: 'reservation', amountE4: costE4 }) },
    { line: 'refund', amountE4: signedE4({ kind: 'refund', amountE4: refundedE4 }) },
    { line: 'expiry', amountE4: signedE4({ kind: 'expiry', amountE4: expiredE4 }) },
    { line: 'lateExpiry', amountE4: signedE4({ kind: 'expiry', amountE4: lateExpiredE4 }) },
  ]
}
