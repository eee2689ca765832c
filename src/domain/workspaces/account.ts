// The balance of one workspace (D8 to D10): a working copy that collects entries and is then stored as a whole.
import assert from 'node:assert/strict'
import { HOUR_MS } from '../durations.ts'
import { MAX_AMOUNT_E4 } from '../money.ts'
import { parseMonth, periodOf } from './billing-period.ts'

export const ENTRY_KINDS = ['grant', 'topUp', 'reservation', 'refund', 'expiry'] as const
export type EntryKind = (typeof ENTRY_KINDS)[number]

export interface UnstoredEntry {
  workspaceId: string
  period: string
  kind: EntryKind
  amountE4: number
  /** The balance after this entry. */
  balanceE4: number
  messageId: string | null
  /** How many messages a reservation pays for: those accepted together. Each of them refers to it. */
  messages: number | null
  note: string | null
}

export interface AccountState {
  workspaceId: string
  timeZone: string
  monthlyCreditE4: number
  balanceE4: number
  period: string
  periodEndsAt: Date
  /** The next entry gets a higher id, because the ledger is read in the order of ids. */
  lastEntryId: string | null
}

/** When the credit of an entry expires (D9); null for other entries. */
export function creditExpiresAt(
  { kind, period }: Pick<UnstoredEntry, 'kind' | 'period'>,
  timeZone: string,
): Date | null {
  return kind === 'grant' || kind === 'topUp' ? parseMonth(period.slice(0, 7), timeZone).endsAt : null
}

/** The change of the balance: negative for charges and expiries. */
export function signedE4({ kind, amountE4 }: Pick<UnstoredEntry, 'kind' | 'amountE4'>): number {
  return kind === 'reservation' || kind === 'expiry' ? -amountE4 : amountE4
}

/** JSON represents balances up to this exactly. */
export const MAX_BALANCE_E4 = MAX_AMOUNT_E4

/** D79: alerts of a workspace. */
export const MAX_CREDIT_ALERTS = 5
/** D85: a balance that swings around an alert is announced once in this time. */
export const CREDIT_ALERT_EVERY_MS = HOUR_MS

/** False if no alert is set. */
export function isCreditLow(balanceE4: number, alertsE4: readonly number[]): boolean {
  return alertsE4.some((belowE4) => balanceE4 < belowE4)
}

export class Account {
  readonly workspaceId: string
  readonly lastEntryId: string | null
  readonly #timeZone: string
  readonly #monthlyCreditE4: number
  #balanceE4: number
  #period: string
  #periodEndsAt: Date
  /** New entries since the account was loaded, in order. */
  readonly entries: UnstoredEntry[] = []

  private constructor(state: AccountState) {
    this.workspaceId = state.workspaceId
    this.lastEntryId = state.lastEntryId
    this.#timeZone = state.timeZone
    this.#monthlyCreditE4 = state.monthlyCreditE4
    this.#balanceE4 = state.balanceE4
    this.#period = state.period
    this.#periodEndsAt = state.periodEndsAt
  }

  /** The account in the current month. */
  static at(now: Date, state: AccountState): Account {
    const account = new Account(state)
    account.#bringUpTo(now)
    return account
  }

  /** Opens the first period of a new workspace with its credit (D9). */
  static open({ now, ...state }: Pick<AccountState, 'workspaceId' | 'timeZone' | 'monthlyCreditE4'> & { now: Date }) {
    const { period, endsAt } = periodOf(now, state.timeZone)
    const account = new Account({ ...state, balanceE4: 0, period, periodEndsAt: endsAt, lastEntryId: null })
    account.#grant()
    return account
  }

  get balanceE4(): number {
    return this.#balanceE4
  }

  get period(): string {
    return this.#period
  }

  get periodEndsAt(): Date {
    return this.#periodEndsAt
  }

  /** Closes every period that has ended: the remaining balance expires, and the next month's credit is granted (D9). */
  #bringUpTo(now: Date): void {
    while (this.#periodEndsAt <= now) {
      if (this.#balanceE4 > 0) this.#enter('expiry', this.#balanceE4, {})
      const next = periodOf(this.#periodEndsAt, this.#timeZone)
      assert(next.period > this.#period, 'the next period must be later')
      this.#period = next.period
      this.#periodEndsAt = next.endsAt
      this.#grant()
    }
  }

  /** False if the balance would be too large to represent exactly. */
  topUp(amountE4: number, note: string | null): boolean {
    if (this.#balanceE4 + amountE4 > MAX_BALANCE_E4) return false
    this.#enter('topUp', amountE4, { note })
    return true
  }

  /** False, without a change, if the balance is too low. A free message has no entry. */
  reserve(costE4: number): boolean {
    if (this.#balanceE4 < costE4) return false
    if (costE4 > 0) this.#enter('reservation', costE4, { messages: 1 })
    return true
  }

  /** D10: refunds to the period of the reservation; if that period is closed, the refund expires immediately. */
  refund(reservation: { messageId: string; amountE4: number; period: string }): void {
    const { messageId, amountE4, period } = reservation
    assert(period <= this.#period, 'a reservation must not be in a future period')
    this.#enter('refund', amountE4, { messageId, period })
    if (period < this.#period) this.#enter('expiry', amountE4, { messageId, period })
  }

  #grant(): void {
    if (this.#monthlyCreditE4 > 0) this.#enter('grant', this.#monthlyCreditE4, {})
  }

  #enter(
    kind: EntryKind,
    amountE4: number,
    about: { messageId?: string; messages?: number; note?: string | null; period?: string },
  ): void {
    assert(Number.isSafeInteger(amountE4) && amountE4 > 0, 'an entry must have a whole positive amount')
    this.#balanceE4 += signedE4({ kind, amountE4 })
    assert(this.#balanceE4 >= 0, 'a balance must not be negative')
    const last = this.entries.at(-1)
    // Consecutive reservations are one entry: it pays for the messages that are accepted together.
    if (kind === 'reservation' && last?.kind === 'reservation') {
      last.amountE4 += amountE4
      last.balanceE4 = this.#balanceE4
      last.messages = (last.messages ?? 0) + 1
      return
    }
    this.entries.push({
      workspaceId: this.workspaceId,
      period: about.period ?? this.#period,
      kind,
      amountE4,
      balanceE4: this.#balanceE4,
      messageId: about.messageId ?? null,
      messages: about.messages ?? null,
      note: about.note ?? null,
    })
  }
}
