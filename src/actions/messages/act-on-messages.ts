// Cancels, fails and resends messages (D59). Lock order: workspace, messages, queue.
import { isFinal } from '../../domain/message-status.ts'
import { type ActDecision, type ActFacts, decideAct, type MessageAct } from '../../domain/messages/message-acts.ts'
import { endsAsSent } from '../../domain/messages/progress.ts'
import type { MessageState } from '../../domain/messages/transition.ts'
import { onlyWorkspace } from '../../domain/people/actor.ts'
import { Refusal, refuse } from '../../domain/refusals.ts'
import type { Tx } from '../../store/database/db.ts'
import type { NotifiedRole } from '../../store/database/notifications.ts'
import { listClaimed, storeUnknown } from '../../store/messages/claims.ts'
import { type LockedMessage, lockQueued, removeFromQueue } from '../../store/messages/delivery-queue.ts'
import { loadActionDetails } from '../../store/messages/message-acts.ts'
import { findListedMessage, type ListedMessage } from '../../store/messages/messages.ts'
import { loadSubmissions } from '../../store/messages/submissions.ts'
import { lockMessages } from '../../store/messages/transitions.ts'
import { lockWorkspaces } from '../../store/workspaces/workspaces.ts'
import type { Caller, Ports } from '../ports.ts'
import { recordChange } from '../record-change.ts'
import { refund, storeChanges } from './progress.ts'
import { settleStored } from './record-reports.ts'
import { type Requeue, resendMessages } from './resend-messages.ts'

export const AUDIT_ACTIONS = { cancel: 'message.cancelled', fail: 'message.failed', resend: 'message.resent' } as const

/** Returns the changed message, or the new message for the resend of a failed one. */
export async function actOnMessage(
  ports: Ports,
  caller: Caller,
  { id, act }: { id: string; act: MessageAct },
): Promise<ListedMessage | Refusal> {
  const { result, roles } = await ports.managementDb(caller.actor).transaction(async (tx) => {
    const known = await findListedMessage(tx, { id, within: onlyWorkspace(caller.actor) })
    if (!known) return { result: refuse('not_found'), roles: [] }
    const { workspaceId } = known
    const { outcomes, roles } = await actWithin(tx, ports, { act, workspaceId, ids: [id] })
    const outcome = outcomes.get(id) ?? refuse('not_found')
    if (outcome instanceof Refusal) return { result: outcome, roles }
    const details = { was: known.status, ...(outcome !== id && { as: outcome }) }
    await recordChange(tx, { ports, caller, workspaceId, action: AUDIT_ACTIONS[act], subject: id, details })
    const after = await findListedMessage(tx, { id: outcome, within: workspaceId })
    if (!after) throw new Error('changed message not found')
    return { result: after, roles }
  })
  for (const role of roles) ports.notifications.notify(role)
  return result
}

export interface ActResult {
  /** By message id: the resulting message id, or the refusal. */
  outcomes: Map<string, string | Refusal>
  /** For the resends of failed messages. */
  chargedE4: number
  refundedE4: number
  /** Roles with new work. */
  roles: NotifiedRole[]
}

/** For messages of one workspace. A claimed message is not changed. */
export async function actWithin(
  tx: Tx,
  ports: Ports,
  { act, workspaceId, ids }: { act: MessageAct; workspaceId: string; ids: string[] },
): Promise<ActResult> {
  const now = ports.clock.now()
  await lockWorkspaces(tx, [workspaceId])
  const reported = act === 'cancel' ? [] : await applyStoredReports(tx, ports, { ids, now })
  const [messages, queue, { submissions }, known] = await Promise.all([
    lockMessages(tx, ids),
    readQueue(tx, { ids, now }),
    loadSubmissions(tx, ids),
    loadActionDetails(tx, ids),
  ])
  const { stateOf } = queue
  const submissionsOf = Map.groupBy(submissions, (it) => it.messageId)
  const details = new Map(known.map((it) => [it.id, it]))
  const decided = messages.map((message): MessageDecision => {
    const { error = '', text = null, resentAs = null } = details.get(message.id) ?? {}
    const own = submissionsOf.get(message.id) ?? []
    const onItsWay = { queue: stateOf(message.id), outcomes: own.map((it) => it.outcome) }
    const facts = { ...onItsWay, endsAsSent: endsAsSent(message, own), error, text, resentAs }
    return { message, ...decideAct(act, message, facts, now) }
  })
  const outcomes = new Map(decided.map((it) => [it.message.id, it.kind === 'refuse' ? it.refusal : it.message.id]))
  const ended = decided.filter((it) => it.kind === 'end')
  const unknown = decided.flatMap((it): Requeue[] => {
    if (it.kind !== 'resubmit') return []
    const { message, transitions } = it
    const last = submissionsOf.get(message.id)?.findLast((submission) => submission.outcome === 'unknown')
    // The carrier that did not answer is tried last.
    return [{ message, transitions, avoidCarrierId: last?.carrierId ?? null }]
  })
  const failed = decided.filter((it) => it.kind === 'send_as_new').map((it) => it.message)
  const resent = await resendMessages(tx, ports, { unknown, failed, details, now })
  const refundedE4 = await endAll(tx, ports, { ended, locked: queue.locked, now })
  const roles: NotifiedRole[] = [
    ...reported,
    ...(resent.outcomes.size > 0 ? ['delivery' as const] : []),
    ...(ended.length > 0 || unknown.length > 0 ? ['webhooks' as const] : []),
  ]
  return { outcomes: new Map([...outcomes, ...resent.outcomes]), chargedE4: resent.chargedE4, refundedE4, roles }
}

/** Applies waiting receipts first, so that a delivered message is neither failed nor resent. */
async function applyStoredReports(
  tx: Tx,
  ports: Ports,
  { ids, now }: { ids: string[]; now: Date },
): Promise<NotifiedRole[]> {
  const [messages, { stateOf }] = await Promise.all([lockMessages(tx, ids), readQueue(tx, { ids, now })])
  const free = messages.filter((it) => stateOf(it.id) !== 'held' && !isFinal(it.status))
  const lapsed = free.filter((it) => stateOf(it.id) === 'lapsed')
  await storeUnknown(
    tx,
    lapsed.map((it) => it.id),
    now,
  )
  return (await settleStored(tx, ports, { messages: free, now })).roles
}

interface QueueState {
  locked: LockedMessage[]
  stateOf: (id: string) => ActFacts['queue']
}

/** Locks the queued messages. Claims are read afterwards, so a message that was claimed meanwhile is found there. */
async function readQueue(tx: Tx, { ids, now }: { ids: string[]; now: Date }): Promise<QueueState> {
  const locked = await lockQueued(tx, ids)
  const claimed = await listClaimed(tx, ids)
  const isLocked = new Set(locked.map((it) => it.messageId))
  const leases = new Map(claimed.map((it) => [it.messageId, it.leasedUntil]))
  const stateOf = (id: string): ActFacts['queue'] => {
    const leasedUntil = leases.get(id)
    if (leasedUntil) return leasedUntil > now ? 'held' : 'lapsed'
    return isLocked.has(id) ? 'waiting' : 'none'
  }
  return { locked, stateOf }
}

type MessageDecision = ActDecision & { message: MessageState }

/** Returns the refunded amount. */
async function endAll(
  tx: Tx,
  ports: Ports,
  { ended, locked, now }: { ended: (MessageDecision & { kind: 'end' })[]; locked: LockedMessage[]; now: Date },
): Promise<number> {
  if (ended.length === 0) return 0
  const ids = new Set(ended.map((it) => it.message.id))
  const transitions = ended.map((it) => it.transition)
  const refunds = await refund(tx, transitions, now)
  await Promise.all([
    ...storeChanges(tx, ports, { transitions, refunds, counterShard: 'deadlines', now }),
    removeFromQueue(
      tx,
      locked.filter((it) => ids.has(it.messageId)),
    ),
  ])
  return refunds.usage.reduce((sum, { refundedE4 = 0 }) => sum + refundedE4, 0)
}
