// Updates messages after answers and reports (D12 to D15): loads in one round trip, decides in domain/messages/progress, stores in another.
import { type Charge, sumCosts } from '../../domain/carriers/carrier-cost.ts'
import { destinationName, findDestination, priorityOf } from '../../domain/carriers/routing.ts'
import { keptReports } from '../../domain/messages/kept-reports.ts'
import { countSubmissions, decideProgress } from '../../domain/messages/progress.ts'
import type { AnsweredSubmission } from '../../domain/messages/submission.ts'
import { eventsOfTransitions, type MessageState, type Transition } from '../../domain/messages/transition.ts'
import { REMOVED_NUMBER } from '../../domain/people/masking.ts'
import { Account } from '../../domain/workspaces/account.ts'
import { chargedDay, type Usage, UsageSum } from '../../domain/workspaces/usage.ts'
import { addCarrierCosts } from '../../store/carriers/carrier-costs.ts'
import { listWorkingRoutes } from '../../store/carriers/routes.ts'
import type { Tx } from '../../store/database/db.ts'
import type { NotifiedRole } from '../../store/database/notifications.ts'
import {
  insertQueueRows,
  loadRequeueFields,
  type QueueRow,
  removeRetries,
} from '../../store/messages/delivery-queue.ts'
import type { CounterShard } from '../../store/messages/message-counts.ts'
import type { MessageSelection } from '../../store/messages/message-selection.ts'
import { insertReports, type MatchedReport } from '../../store/messages/reports.ts'
import {
  type LoadedReport,
  type LoadedSubmission,
  loadSubmissions,
  separateReports,
} from '../../store/messages/submissions.ts'
import { listReservations, type MessageUpdate, storeTransitions } from '../../store/messages/transitions.ts'
import { insertWebhookEvents } from '../../store/webhooks/webhook-events.ts'
import { storeAccounts } from '../../store/workspaces/ledger.ts'
import { addUsage } from '../../store/workspaces/usage.ts'
import { lockWorkspaces } from '../../store/workspaces/workspaces.ts'
import type { Ports } from '../ports.ts'

/** Messages with their submissions and reports. */
export interface MessageSnapshot {
  messages: MessageState[]
  submissions: LoadedSubmission[]
  reports: LoadedReport[]
  /** Messages of one segment that were submitted once and have no report; not locked. */
  unreported?: ReadonlySet<string>
}

/** `locked` comes first, so that submissions and reports are read as of the lock. */
export async function loadSnapshot(
  tx: Tx,
  locked: Promise<MessageState[]>,
  which: MessageSelection,
): Promise<MessageSnapshot> {
  const [messages, known] = await Promise.all([locked, loadSubmissions(tx, which)])
  return { messages, ...known }
}

/** Stores new reports and updates the status of the messages. Returns the roles with new work. */
export async function progress(
  tx: Tx,
  ports: Ports,
  {
    snapshot,
    newReports: received,
    counterShard,
    now,
  }: { snapshot: MessageSnapshot; newReports: MatchedReport[]; counterShard: CounterShard; now: Date },
): Promise<NotifiedRole[]> {
  const newReports = withoutRemovedNumbers(snapshot.messages, received)
  const decided = decideAll(snapshot, newReports, now)
  const inMessages = new Set(decided.filter((it) => it.update.isOnlyReport).map((it) => it.id))
  const hasNewReport = new Set(newReports.map((it) => it.messageId))
  const separated = snapshot.reports.filter((it) => it.isInMessage && hasNewReport.has(it.messageId))
  const transitions = decided.flatMap((it) => it.transitions)
  const updates = decided.map((it) => it.update)
  const isWaiting = new Set(snapshot.submissions.filter((it) => it.isWaiting).map((it) => it.messageId))
  const leaving = decided.filter((it) => it.queue === 'leave' && isWaiting.has(it.id)).map((it) => it.id)
  const returns = decided.flatMap(({ id, queue }): QueueReturn[] =>
    typeof queue === 'string' ? [] : [{ messageId: id, ...queue }],
  )
  await returnMessages(tx, { returns, now })
  const refunds = await refund(tx, transitions, now)
  tx.finishWith(
    separateReports(
      tx,
      separated.map((it) => it.messageId),
    ),
    insertReports(
      tx,
      keptReports(snapshot.reports, newReports).filter((it) => !inMessages.has(it.messageId)),
    ),
    ...storeChanges(tx, ports, { transitions, updates, refunds, counterShard, now }),
    removeRetries(tx, leaving),
  )
  const hasAnnouncement = transitions.some((it) => it.announces !== undefined && it.message.hasListener)
  return [...(hasAnnouncement ? ['webhooks' as const] : []), ...(returns.length > 0 ? ['delivery' as const] : [])]
}

/** D77: the text of a receipt can contain the number. */
function withoutRemovedNumbers(messages: readonly MessageState[], reports: MatchedReport[]): MatchedReport[] {
  const removed = new Set(messages.filter((it) => it.to === REMOVED_NUMBER).map((it) => it.id))
  return removed.size === 0 ? reports : reports.map((it) => (removed.has(it.messageId) ? { ...it, raw: '' } : it))
}

/** Stores a change of status with its refund, counters and webhook events. */
export function storeChanges(
  tx: Tx,
  ports: Ports,
  {
    transitions,
    updates = [],
    refunds = NO_REFUNDS,
    counterShard,
    now,
  }: { transitions: Transition[]; updates?: MessageUpdate[]; refunds?: Refunds; counterShard: CounterShard; now: Date },
): Promise<void>[] {
  tx.afterCommit(() => ports.changeFeed.publish(() => transitions.map((it) => it.message)))
  const events = eventsOfTransitions(transitions).map((it) => ({ deliveryId: ports.ids.next(), ...it }))
  return [
    storeTransitions(tx, { transitions, updates, counterShard }),
    storeAccounts(tx, { accounts: refunds.accounts, ids: ports.ids, now }),
    addUsage(tx, refunds.usage),
    insertWebhookEvents(tx, events, now),
  ]
}

/** Refunds on the accounts and on the days of the charges. */
interface Refunds {
  accounts: Account[]
  usage: Usage[]
}

const NO_REFUNDS: Refunds = { accounts: [], usage: [] }

/** Refunds failed messages (D10, D11). Callers that expect failures have locked the workspaces already. */
export async function refund(tx: Tx, transitions: Transition[], now: Date): Promise<Refunds> {
  const failed = transitions.filter((it) => it.refund).map((it) => it.message)
  if (failed.length === 0) return NO_REFUNDS
  const workspaceIds = [...new Set(failed.map((message) => message.workspaceId))]
  const [locked, reservations] = await Promise.all([
    lockWorkspaces(tx, workspaceIds),
    listReservations(
      tx,
      failed.map((message) => message.id),
    ),
  ])
  const accounts = new Map(locked.map((state) => [state.workspaceId, Account.at(now, state)]))
  const zones = new Map(locked.map(({ workspaceId, timeZone }) => [workspaceId, timeZone]))
  const messages = new Map(failed.map((message) => [message.id, message]))
  const sum = new UsageSum()
  for (const reservation of reservations) {
    const { workspaceId, messageId, period, amountE4 } = reservation
    const [message, timeZone] = [messages.get(messageId), zones.get(workspaceId)]
    if (!message || !timeZone) throw new Error('a reservation belongs to no failed message')
    accounts.get(workspaceId)?.refund(reservation)
    const day = chargedDay(message.createdAt, { timeZone, period })
    const { clientId, type, country } = message
    sum.add({ workspaceId, clientId, day, type, country }, { refunds: 1, refundedE4: amountE4 })
  }
  return { accounts: [...accounts.values()], usage: sum.rows() }
}

export const NO_MESSAGES: MessageSnapshot = { messages: [], submissions: [], reports: [] }

export function mergeSnapshots(one: MessageSnapshot, other: MessageSnapshot): MessageSnapshot {
  if (one.messages.length === 0) return other
  if (other.messages.length === 0) return one
  return {
    messages: [...one.messages, ...other.messages],
    submissions: [...one.submissions, ...other.submissions],
    reports: [...one.reports, ...other.reports],
    unreported: (one.unreported ?? NONE).union(other.unreported ?? NONE),
  }
}

const NONE: ReadonlySet<string> = new Set()

function decideAll(
  { messages, submissions, reports, unreported = NONE }: MessageSnapshot,
  newReports: MatchedReport[],
  now: Date,
) {
  const submissionsOf = Map.groupBy(submissions, (it) => it.messageId)
  const reportsOf = Map.groupBy([...reports, ...newReports], (it) => it.messageId)
  const shown = new Map(newReports.map((it) => [it.messageId, it]))
  return messages.map((message: MessageState) => {
    const own = submissionsOf.get(message.id) ?? []
    const report = shown.get(message.id)
    const facts = {
      submissions: own,
      reports: reportsOf.get(message.id) ?? [],
      reportedAt: report?.receivedAt ?? null,
      resendUnknown: own.at(-1)?.resendUnknown ?? false,
      isWaiting: own.some((it) => it.isWaiting),
    }
    const { dlrAt, ...decision } = decideProgress(message, facts, now)
    const dlr = report && dlrAt ? dlrOf(report, dlrAt) : null
    const isOnlyReport = dlr !== null && unreported.has(message.id)
    const update = { messageId: message.id, submissions: countSubmissions(own), dlr, isOnlyReport }
    return { id: message.id, update, ...decision }
  })
}

/** §2.1: a message shows its latest report, whatever the status (D13). */
function dlrOf({ state, code, raw }: MatchedReport, at: Date) {
  return { status: state, code, raw, at: at.toISOString() }
}

export function countCosts(
  tx: Tx,
  { changed, messages, charges }: { changed: AnsweredSubmission[]; messages: MessageState[]; charges: Charge[] },
): Promise<void> {
  const segmentsOf = new Map(messages.map((message) => [message.id, message.segments]))
  const taken = changed.flatMap(({ messageId, ofSegments, carrierCostE4 }) =>
    carrierCostE4 === null
      ? []
      : [{ messageId, segments: ofSegments === 1 ? (segmentsOf.get(messageId) ?? 1) : 1, costE4: carrierCostE4 }],
  )
  return addCarrierCosts(tx, sumCosts(taken, { messages, charges }))
}

/** A message that is submitted again. */
export interface QueueReturn {
  messageId: string
  dueAt: Date
  avoidCarrierId: string | null
}

export async function returnMessages(tx: Tx, { returns, now }: { returns: QueueReturn[]; now: Date }): Promise<void> {
  if (returns.length === 0) return
  const returnOf = new Map(returns.map((it) => [it.messageId, it]))
  const [routes, messages] = await Promise.all([
    listWorkingRoutes(tx, now),
    loadRequeueFields(tx, [...returnOf.keys()]),
  ])
  const rows = messages.map(({ messageId, country, to, type, workspaceId, clientId, attempts }): QueueRow => {
    const { dueAt = now, avoidCarrierId = null } = returnOf.get(messageId) ?? {}
    const destination = destinationName(findDestination(routes, { country, to }))
    const group = { destination, avoidCarrierId, priority: priorityOf(type) }
    return { ...group, workspaceId, clientId, dueAt, attempts, messageIds: [messageId] }
  })
  await insertQueueRows(tx, rows)
}
