// Ends messages by time (D13 to D15): unsubmitted messages fail, unreported messages become undelivered.
import { canStaySent } from '../../domain/carriers/carrier.ts'
import { isFinal } from '../../domain/message-status.ts'
import type { MessageType } from '../../domain/message-type.ts'
import { deadlineSeconds, expiresAt, validitySeconds } from '../../domain/messages/lifetime.ts'
import { endsAsSent } from '../../domain/messages/progress.ts'
import { submissionKey } from '../../domain/messages/submission.ts'
import { type MessageState, type Transition, transition } from '../../domain/messages/transition.ts'
import { NIL_UUID } from '../../domain/uuid.ts'
import { lowestIdOf, timeOfId } from '../../runtime/ids.ts'
import { listAllCarriers } from '../../store/carriers/carriers.ts'
import type { Tx } from '../../store/database/db.ts'
import type { NotifiedRole } from '../../store/database/notifications.ts'
import {
  type DeadlineKind,
  findFirstAfterMark,
  findOldestWaiting,
  listExpiredMessages,
  lockDeadlineMark,
  moveDeadlineMark,
  scanDeadlines,
} from '../../store/messages/deadlines.ts'
import { lockQueued, removeFromQueue } from '../../store/messages/delivery-queue.ts'
import { type LoadedReport, type LoadedSubmission, loadSubmissions } from '../../store/messages/submissions.ts'
import { lockMessages, lockWorkspacesOf } from '../../store/messages/transitions.ts'
import type { Ports } from '../ports.ts'
import { refund, storeChanges } from './progress.ts'
import { settleStored } from './record-reports.ts'

const AT_ONCE = 500
/** Larger, because most messages in range are final already. */
const WALKED_AT_ONCE = 2_000
const SHORTEST_REST_MS = 1_000
/** A smaller step back is a difference between the clocks of two processes. */
const CLOCKS_DIFFER_MS = 60_000
const KINDS: { kind: DeadlineKind; type: MessageType }[] = [
  { kind: 'otp', type: 'otp' },
  { kind: 'other', type: 'transactional' },
]

/** Ends messages past their validity. Returns the number of messages removed from the queue. */
export async function expireWaiting(ports: Ports): Promise<number> {
  const now = ports.clock.now()
  const codesBefore = idBefore(now, validitySeconds('otp'))
  const othersBefore = idBefore(now, validitySeconds('transactional'))
  const ids = await listExpiredMessages(ports.db, { codesBefore, othersBefore, limit: AT_ONCE })
  return expireMessages(ports, ids)
}

export async function expireMessages(ports: Ports, ids: string[]): Promise<number> {
  if (ids.length === 0) return 0
  const now = ports.clock.now()
  const { ended, roles } = await ports.db.transaction(async (tx) => {
    await lockWorkspacesOf(tx, ids)
    const [locked, queued] = await Promise.all([lockMessages(tx, ids), lockQueued(tx, ids)])
    // A message that is no longer in the queue was claimed and may be on the wire.
    const isQueued = new Set(queued.map((it) => it.messageId))
    // Ids are created slightly before their messages, so some messages have a moment left.
    const over = locked.filter((message) => expiresAt(message) <= now && isQueued.has(message.id))
    const { settled, roles } = await settleStored(tx, ports, { messages: over, now })
    const messages = over.filter((message) => !settled.has(message.id))
    const expired = new Set(idsOf(messages))
    const { submissions } = await loadSubmissions(tx, [...expired])
    const unknown = new Set(submissions.filter((it) => it.outcome === 'unknown').map((it) => it.messageId))
    const transitions = messages.flatMap((message) => endOfWaiting(message, unknown.has(message.id), now))
    const refunds = await refund(tx, transitions, now)
    tx.finishWith(
      ...storeChanges(tx, ports, { transitions, refunds, counterShard: 'deadlines', now }),
      removeFromQueue(
        tx,
        queued.filter((it) => expired.has(it.messageId)),
      ),
    )
    return { ended: over.length, roles }
  })
  for (const role of new Set<NotifiedRole>(['webhooks', ...roles])) ports.notifications.notify(role)
  return ended
}

function idsOf(messages: MessageState[]): string[] {
  return messages.map((message) => message.id)
}

/** D14 for OTPs. D15: a message that a carrier may have accepted waits for its receipt. */
function endOfWaiting(message: MessageState, isUnknown: boolean, now: Date): Transition[] {
  if (isFinal(message.status) || message.status === 'sent') return []
  if (message.type === 'otp') return [transition(message, 'failed', { at: now, error: 'delivery_timeout' })]
  return isUnknown ? [] : [transition(message, 'failed', { at: now, error: 'network_unavailable' })]
}

/** Ends submitted messages without a final receipt. Returns whether there was work or may be more. */
export async function expireUnreported(ports: Ports): Promise<boolean> {
  let worked = false
  for (const { kind, type } of KINDS) worked = (await sweepDeadlines(ports, kind, deadlineSeconds(type))) || worked
  return worked
}

async function sweepDeadlines(ports: Ports, kind: DeadlineKind, ageSeconds: number): Promise<boolean> {
  const now = ports.clock.now()
  const before = idBefore(now, ageSeconds)
  const worked = await ports.db.transaction(async (tx) => {
    const { sweptTo, sweptAt } = await lockDeadlineMark(tx, kind)
    // After the clock was set back, new ids may lie before the mark, so the walk starts again.
    const after = now.getTime() < sweptAt.getTime() - CLOCKS_DIFFER_MS ? NIL_UUID : sweptTo
    const { scannedTo, scanned, unfinished } = await scanDeadlines(tx, { kind, after, before, limit: WALKED_AT_ONCE })
    await endUnreported(tx, ports, { ids: unfinished, now })
    // Never past the last message: the clock may have been ahead without any messages.
    if (scanned > 0 || after !== sweptTo)
      await moveDeadlineMark(tx, kind, { sweptTo: scannedTo ?? after, sweptAt: now })
    return unfinished.length > 0 || scanned === WALKED_AT_ONCE
  })
  if (worked) ports.notifications.notify('webhooks')
  return worked
}

async function endUnreported(tx: Tx, ports: Ports, { ids, now }: { ids: string[]; now: Date }): Promise<void> {
  if (ids.length === 0) return
  await lockWorkspacesOf(tx, ids)
  const [locked, queued] = await Promise.all([lockMessages(tx, ids), lockQueued(tx, ids)])
  const { settled } = await settleStored(tx, ports, { messages: locked, now })
  const messages = locked.filter((message) => !settled.has(message.id))
  const open = idsOf(messages)
  const { submissions, reports } = await loadSubmissions(tx, open)
  const withOperator = await lastSeenAtOperator(tx, { submissions, reports })
  const submissionsOf = Map.groupBy(submissions, (it) => it.messageId)
  // D56: without a requested receipt, sent is final.
  const isOver = (message: MessageState) =>
    isFinal(message.status) ||
    endsAsSent(message, submissionsOf.get(message.id) ?? []) ||
    (message.status === 'sent' && withOperator.has(message.id))
  const unfinished = messages.filter((message) => !isOver(message))
  // D13: the carrier accepted all segments and sent no final receipt. D15: the carrier may have accepted some segments.
  const transitions = unfinished.map((message) =>
    transition(message, message.status === 'sent' ? 'undelivered' : 'failed', { at: now, error: 'delivery_timeout' }),
  )
  const refunds = await refund(tx, transitions, now)
  await Promise.all([
    ...storeChanges(tx, ports, { transitions, refunds, counterShard: 'deadlines', now }),
    removeFromQueue(tx, queued),
  ])
}

/** D13: messages that the mobile operator has according to the carrier, whose final receipt may never come. */
async function lastSeenAtOperator(
  tx: Tx,
  { submissions, reports }: { submissions: LoadedSubmission[]; reports: LoadedReport[] },
): Promise<ReadonlySet<string>> {
  if (reports.length === 0) return new Set()
  const carriers = new Map((await listAllCarriers(tx)).map((carrier) => [carrier.id, carrier]))
  const carrierOf = new Map(submissions.map((it) => [submissionKey(it), carriers.get(it.carrierId)]))
  const seen = reports.filter((report) => {
    const carrier = carrierOf.get(submissionKey(report))
    return carrier !== undefined && canStaySent(carrier, report.state)
  })
  return new Set(seen.map(({ messageId }) => messageId))
}

/** When the next message may expire, at least SHORTEST_REST_MS from now. */
export async function nextEnd({ db, clock }: Ports): Promise<Date | null> {
  const soonest = clock.now().getTime() + SHORTEST_REST_MS
  const [waiting, ...unreported] = await Promise.all([
    findOldestWaiting(db),
    ...KINDS.map(({ kind }) => findFirstAfterMark(db, kind)),
  ])
  const ends = [
    endOf(waiting.code, validitySeconds('otp')),
    endOf(waiting.other, validitySeconds('transactional')),
    ...KINDS.map(({ type }, index) => endOf(unreported[index] ?? null, deadlineSeconds(type))),
  ].filter((end) => end !== null)
  return ends.length === 0 ? null : new Date(Math.max(soonest, Math.min(...ends)))
}

/** Plus one millisecond: a message expires after the last millisecond of its lifetime. */
function endOf(id: string | null, ageSeconds: number): number | null {
  return id === null ? null : timeOfId(id).getTime() + ageSeconds * 1000 + 1
}

function idBefore(now: Date, ageSeconds: number): string {
  return lowestIdOf(new Date(now.getTime() - ageSeconds * 1000))
}
