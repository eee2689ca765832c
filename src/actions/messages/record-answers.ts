// Records the answers of carriers to submissions and updates the messages (D12 to D15).
import { type FirstReceipt, firstReceipts } from '../../domain/messages/first-receipts.ts'
import { type AcceptedSubmission, type AnsweredSubmission, submissionKey } from '../../domain/messages/submission.ts'
import type { MessageState } from '../../domain/messages/transition.ts'
import { planFirstMatchAttempt } from '../../domain/messages/unmatched-reports.ts'
import { countBy } from '../../runtime/count-by.ts'
import { listCharges } from '../../store/carriers/carrier-costs.ts'
import { isDuplicate, isUnexpectedCount, type Tx } from '../../store/database/db.ts'
import { deleteClaims, listLapsedClaims, lockClaims, storeUnknown } from '../../store/messages/claims.ts'
import { claimPendingReports, insertPendingReports } from '../../store/messages/reports.ts'
import { type NewSubmission, storeAnswers, storeFirstAnswers } from '../../store/messages/submissions.ts'
import { lockMessages, lockWorkspacesOf } from '../../store/messages/transitions.ts'
import { listListeningClients } from '../../store/workspaces/clients.ts'
import { lockWorkspaces } from '../../store/workspaces/workspaces.ts'
import type { Ports } from '../ports.ts'
import { countCosts, loadSnapshot, type MessageSnapshot, mergeSnapshots, NO_MESSAGES, progress } from './progress.ts'
import { matchStoredReports, matchWithin } from './record-reports.ts'

/** The claim of a batch of messages. */
export interface OpenClaim {
  readonly id: string
  readonly leasedUntil: Date
  /** The number of its segments without a recorded answer. */
  unrecorded: number
}

export interface ReceivedAnswer extends NewSubmission {
  workspaceId: string
  /** null for a late answer: its segment was recorded as unknown before. */
  claim: OpenClaim | null
  /** The message as of its claim, if this is its first submission. */
  message: MessageState | null
}

/** Called with accepted submissions in the transaction of their answers. Returns a further write, or null. */
export type OnAccepted = (tx: Tx, accepted: AcceptedSubmission[]) => Promise<void> | null

/** Idempotent. Returns first receipts that waited for these answers. */
export async function recordAnswers(
  ports: Ports,
  received: ReceivedAnswer[],
  onAccepted?: OnAccepted,
): Promise<FirstReceipt[]> {
  const now = ports.clock.now()
  const answers = oneEach(received)
  const common = answers.filter((answer) => isCommon(answer, now))
  try {
    return await recordBatch(ports, { received, answers, common, onAccepted, now })
  } catch (error) {
    // A message has changed since its claim, or its answer is recorded already.
    if (common.length === 0 || !(isUnexpectedCount(error) || isDuplicate(error))) throw error
    return recordBatch(ports, { received, answers, common: [], onAccepted, now })
  }
}

/** Left of the lease. Longer than the wait for a connection and the transaction, so that no other process ends the claim meanwhile. */
const MIN_LEASE_LEFT_MS = 20_000

/**
 * The carrier accepts a message of one segment at the first attempt. Its claim keeps other processes from submitting or
 * ending it, so nothing has to be loaded or locked.
 */
function isCommon({ message, claim, outcome, ofSegments, ordinal }: ReceivedAnswer, now: Date): boolean {
  return (
    message?.status === 'queued' &&
    claim !== null &&
    claim.leasedUntil.getTime() - MIN_LEASE_LEFT_MS > now.getTime() &&
    outcome === 'accepted' &&
    ofSegments === 1 &&
    ordinal === 1
  )
}

interface AnswerBatch {
  received: readonly ReceivedAnswer[]
  /** One for each submission. */
  answers: readonly ReceivedAnswer[]
  common: readonly ReceivedAnswer[]
  onAccepted: OnAccepted | undefined
  now: Date
}

async function recordBatch(
  ports: Ports,
  { received, answers, common, onAccepted, now }: AnswerBatch,
): Promise<FirstReceipt[]> {
  const recorded = countBy(
    received.flatMap(({ claim }) => claim ?? []),
    (claim) => claim,
  )
  const isCommon = new Set(common)
  const others = common.length < answers.length ? answers.filter((it) => !isCommon.has(it)) : []
  const messageIds = [...new Set(others.map((it) => it.messageId))].sort()
  const foreseen = [...new Set(answers.filter(mayFail).map((it) => it.workspaceId))]
  const unanswered = new Set(answers.filter((it) => it.outcome === 'unknown').map((it) => it.messageId))
  const priced = answers.filter((it) => it.outcome === 'accepted' && it.carrierCostE4 !== null)
  const { roles, receipts } = await ports.db.transaction(async (tx) => {
    // Workspaces are locked before messages, in the same round trip as the queries below.
    const workspaces = foreseen.length > 0 ? lockWorkspaces(tx, foreseen) : []
    // Messages are locked before submissions and pending reports, in the order of their ids. If some must be locked, all are: an update of another
    // one would lock it out of order.
    const locked =
      messageIds.length > 0
        ? lockMessages(
            tx,
            answers.map((it) => it.messageId),
          )
        : Promise.resolve([])
    const [changedOthers, early, listening, loaded, charges] = await Promise.all([
      others.length > 0 ? storeAnswers(tx, others, now) : [],
      // A report may arrive before the answer that identifies its message.
      claimPendingReports(tx, answers),
      listListeningClients(tx, [...new Set(common.flatMap((it) => it.message?.clientId ?? []))]),
      messageIds.length > 0 ? loadSnapshot(tx, withIds(locked, messageIds), messageIds) : NO_MESSAGES,
      priced.length > 0 ? listCharges(tx, [...new Set(priced.map((it) => it.messageId))]) : [],
      workspaces,
      storeFirstAnswers(tx, common, now),
    ])
    const changed = [...common, ...changedOthers]
    const stored = await matchStoredReports(tx, {
      messages: loaded.messages.filter((it) => unanswered.has(it.id)),
      now,
    })
    const claimed = snapshotOfClaim(common, listening)
    const known = mergeSnapshots(claimed, loaded)
    const { messages } = known
    const snapshot =
      stored.length > 0
        ? mergeSnapshots(claimed, await loadSnapshot(tx, Promise.resolve(loaded.messages), messageIds))
        : known
    tx.finishWith(countCosts(tx, { changed, messages, charges }))
    const more = onAccepted?.(tx, acceptedAmong(answers, { changed, messages, now }))
    if (more) tx.finishWith(more)
    // Reports of segments without an answer stay pending.
    const { newReports: adopted, rest } = matchWithin(known, early)
    tx.finishWith(insertPendingReports(tx, rest, planFirstMatchAttempt(now)))
    const newReports = [...adopted, ...stored]
    const roles = await progress(tx, ports, { snapshot, newReports, counterShard: 'answers', now })
    // Claims are locked after messages.
    tx.finishWith(deleteClaims(tx, settledAmong(recorded)))
    return { roles, receipts: firstReceipts(snapshot, newReports) }
  })
  for (const [claim, count] of recorded) claim.unrecorded -= count
  for (const role of roles) ports.notifications.notify(role)
  return receipts
}

async function withIds(messages: Promise<MessageState[]>, ids: readonly string[]): Promise<MessageState[]> {
  const isWanted = new Set(ids)
  return (await messages).filter((it) => isWanted.has(it.id))
}

/** The messages of common answers, without a query: each has the one submission that the answer accepts, and no report. */
function snapshotOfClaim(common: readonly ReceivedAnswer[], listening: ReadonlySet<string>): MessageSnapshot {
  const messages = common.flatMap(({ message }) =>
    message ? [{ ...message, hasListener: listening.has(message.clientId) }] : [],
  )
  return { messages, submissions: [...common], reports: [] }
}

/** The claims whose last answers are recorded now. */
function settledAmong(recorded: ReadonlyMap<OpenClaim, number>): string[] {
  return [...recorded].filter(([claim, count]) => claim.unrecorded === count).map(([claim]) => claim.id)
}

/** Submissions that these answers, and no earlier ones, accepted. */
function acceptedAmong(
  answers: readonly ReceivedAnswer[],
  { changed, messages, now }: { changed: AnsweredSubmission[]; messages: MessageState[]; now: Date },
): AcceptedSubmission[] {
  const isChanged = new Set(changed.map(submissionKey))
  const messageOf = new Map(messages.map((it) => [it.id, it]))
  return answers.flatMap((answer) => {
    const { outcome, messageId, ordinal, segment, carrierId, carrierMessageId, reference, to } = answer
    const message = messageOf.get(messageId)
    if (outcome !== 'accepted' || reference === null || !message || !isChanged.has(submissionKey(answer))) return []
    return [{ messageId, ordinal, segment, carrierId, carrierMessageId, reference, to, message, acceptedAt: now }]
  })
}

/** A message may fail, and be refunded, also when its last segment is accepted after another was rejected. */
function mayFail({ outcome, ofSegments }: ReceivedAnswer): boolean {
  return outcome !== 'accepted' || ofSegments > 1
}

/** Keeps one answer per submission: a late answer replaces a timeout in the same batch. */
function oneEach(answers: ReceivedAnswer[]): ReceivedAnswer[] {
  const kept = new Map<string, ReceivedAnswer>()
  for (const answer of answers) {
    const name = submissionKey(answer)
    if ((kept.get(name)?.outcome ?? 'unknown') === 'unknown') kept.set(name, answer)
  }
  return [...kept.values()]
}

const LAPSED_AT_ONCE = 10

/** Ends claims whose process did not record all answers in time: the outcome of their open segments is unknown. Returns their number. */
export async function endLapsedClaims(ports: Ports): Promise<number> {
  const now = ports.clock.now()
  const lapsed = await listLapsedClaims(ports.db, { now, limit: LAPSED_AT_ONCE })
  const errors: unknown[] = []
  // A claim that cannot be ended does not keep the others.
  for (const claim of lapsed) await endClaim(ports, claim, now).catch((error) => errors.push(error))
  if (errors.length > 0) throw errors[0]
  return lapsed.length
}

async function endClaim(
  ports: Ports,
  { id, messageIds }: { id: string; messageIds: string[] },
  now: Date,
): Promise<void> {
  const roles = await ports.db.transaction(async (tx) => {
    await lockWorkspacesOf(tx, messageIds)
    const messages = await lockMessages(tx, messageIds)
    // Another process may have ended the claim, or its own process may have recorded the last answer.
    if (!(await lockClaims(tx, [id])).has(id)) return []
    await storeUnknown(tx, messageIds, now)
    await deleteClaims(tx, [id])
    const newReports = await matchStoredReports(tx, { messages, now })
    const snapshot = await loadSnapshot(tx, Promise.resolve(messages), messageIds)
    return progress(tx, ports, { snapshot, newReports, counterShard: 'answers', now })
  })
  for (const role of roles) ports.notifications.notify(role)
}
