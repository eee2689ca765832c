// The facts from which incidents are derived.
import type { FigureCounts } from '../carriers/carrier-figures.ts'
import type { CarrierHealth } from '../carriers/carrier-health.ts'
import type { PriceList } from '../carriers/carrier-price.ts'
import type { Route } from '../carriers/routing.ts'
import type { Receipts } from '../messages/report.ts'
import type { NamedItem } from './reach.ts'

/** Messages of one group of the queue. */
export interface WaitingMessages {
  messages: number
  isEstimate: boolean
  firstExpiresAt: Date | null
  oldestDueAt: Date | null
  workspaceIds: readonly string[]
}

/** Refused API requests of the last hour with one code. */
export interface RefusedRequests {
  code: string
  requests: number
  /** The count stopped at its limit. */
  isEstimate: boolean
  since: Date
  lastAt: Date
  workspaceIds: readonly string[]
}

export interface FailingEndpoint {
  client: NamedItem
  workspace: NamedItem
  /** Events that wait for a retry after a failed attempt, or failed in the last hour. */
  failures: number
  /** Times of the first and the last of these events. */
  firstAt: Date
  lastAt: Date
  lastDeliveredAt: Date | null
  error: string | null
}

/** The counts cover the last hour. */
export interface CarrierFacts
  extends Pick<
    FigureCounts,
    | 'accepted'
    | 'accountRejections'
    | 'unreadableAnswers'
    | 'duplicateMessageIds'
    | 'unexpectedAnswers'
    | 'unreadableReceipts'
  > {
  id: string
  name: string
  enabled: boolean
  isSimulator: boolean
  health: CarrierHealth
  binds: readonly { state: string; lastError: string | null; lastErrorAt: Date | null; retryAt: Date | null }[]
  receipts: Receipts
  /** Unmatched receipts of the last day. */
  unmatched: number
  /** D15: messages that it may have accepted, without an answer or receipt; null without any. */
  inDoubt: { messages: number; since: Date } | null
}

/** With the id and name of the workspace. */
export interface CreditRequestFacts extends NamedItem {
  currency: string
  amountE4: number
  requestedAt: Date
}

export interface ServiceFacts {
  now: Date
  smsEnabled: boolean
  liveCountries: readonly { code: string; name: string }[]
  carriers: readonly CarrierFacts[]
  routes: readonly Route[]
  prices: ReadonlyMap<string, PriceList>
  activeWorkspaces: number
  /** Active workspaces without balance, or below their alert; only the first ones if there are many. */
  lowCredit: readonly (NamedItem & { isEmpty: boolean })[]
  /** Open ones; only the first ones if there are many. */
  creditRequests: readonly CreditRequestFacts[]
  pendingTemplates: number
  /** By the names of `waitingGroup`. */
  waiting: ReadonlyMap<string, WaitingMessages>
  refused: readonly RefusedRequests[]
  /** Requests of this and the previous hour. */
  requests: number
  endpoints: readonly FailingEndpoint[]
  workspaceNames: ReadonlyMap<string, string>
}
