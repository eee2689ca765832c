// Resends messages (D59, D69): unknown ones return to the queue under their charge, failed ones become new, charged messages.
import { type BatchDecision, checkResend, decideAcceptance } from '../../domain/messages/acceptance.ts'
import type { TextRequest } from '../../domain/messages/send-request.ts'
import type { MessageState, Transition } from '../../domain/messages/transition.ts'
import { Refusal, refuse } from '../../domain/refusals.ts'
import type { Tx } from '../../store/database/db.ts'
import { type ActionDetails, recordResends } from '../../store/messages/message-acts.ts'
import { allowResend } from '../../store/messages/submissions.ts'
import { insertHits } from '../../store/sliding-windows.ts'
import { type KnownClient, loadClients } from '../../store/workspaces/admission.ts'
import type { Ports } from '../ports.ts'
import { TemplateCache } from '../templates/template-cache.ts'
import { loadFacts, storeAccepted } from './accept-batch.ts'
import { returnMessages, storeChanges } from './progress.ts'
import { WatchedBacklog } from './watch-backlog.ts'

/** A message with an unknown outcome that returns to the queue. */
export interface Requeue {
  message: MessageState
  transitions: Transition[]
  avoidCarrierId: string | null
}

interface ResendInput {
  unknown: Requeue[]
  failed: MessageState[]
  details: ReadonlyMap<string, ActionDetails>
  now: Date
}

interface ResendResult {
  /** By message id: the id that it is sent under, or the refusal. */
  outcomes: Map<string, string | Refusal>
  chargedE4: number
}

/** The messages and their one workspace are locked. */
export async function resendMessages(
  tx: Tx,
  ports: Ports,
  { unknown, failed, details, now }: ResendInput,
): Promise<ResendResult> {
  const messages = [...unknown.map((it) => it.message), ...failed]
  if (messages.length === 0) return { outcomes: new Map(), chargedE4: 0 }
  const known = await loadClients(tx, [...new Set(messages.map((it) => it.clientId))])
  const clients = new Map(known.map((it) => [it.id, it]))
  const outcomes = new Map<string, string | Refusal>()
  const sends = new Map<string, Send>()
  for (const message of messages) {
    const send = sendOf(ports, message, { client: clients.get(message.clientId), more: details.get(message.id) })
    if (send instanceof Refusal) outcomes.set(message.id, send)
    else sends.set(message.id, send)
  }
  const accepting = { templateCache: new TemplateCache(), backlog: new WatchedBacklog(ports), startedAt: now }
  const facts = { ...(await loadFacts(tx, accepting, { batch: [...sends.values()], now })), pumping: new Map() }
  const allowed = unknown.filter(({ message: { id } }) => {
    const send = sends.get(id)
    if (!send) return false
    const refusal = checkResend(send.request, facts)
    outcomes.set(id, refusal ?? id)
    return refusal === null
  })
  const resends = failed.flatMap(({ id: of }) => {
    const send = sends.get(of)
    return send ? [{ of, ...send }] : []
  })
  const decided = decideAcceptance(
    resends.map((it) => it.request),
    facts,
    now,
  )
  for (const [index, { of, request }] of resends.entries()) {
    const decision = decided.decisions[index]
    outcomes.set(of, decision?.kind === 'refused' ? decision.refusal : request.messageId)
  }
  await requeueMessages(tx, ports, { unknown: allowed, now })
  await storeResends(tx, ports, { resends, decided, now })
  const charges = decided.decisions.map((it) => (it.kind === 'accepted' ? it.message.reservedE4 : 0))
  return { outcomes, chargedE4: charges.reduce((sum, charge) => sum + charge, 0) }
}

/** The request that the client would send today. */
function sendOf(
  ports: Ports,
  { to, type }: MessageState,
  { client, more }: { client: KnownClient | undefined; more: ActionDetails | undefined },
): Send | Refusal {
  if (!client || !more || more.text === null) return refuse('not_found')
  if (client.disabledAt) return refuse('client_disabled')
  const { text, country, sender, templateId } = more
  const request: TextRequest = {
    kind: 'text',
    client,
    messageId: ports.ids.next(),
    number: { ok: true, e164: to, country },
    senderId: sender,
    idempotency: null,
    type,
    content: { text, keptTemplateId: templateId },
  }
  return { client, request }
}

interface Send {
  client: KnownClient
  request: TextRequest
}

async function requeueMessages(
  tx: Tx,
  ports: Ports,
  { unknown, now }: { unknown: Requeue[]; now: Date },
): Promise<void> {
  if (unknown.length === 0) return
  await allowResend(
    tx,
    unknown.map((it) => it.message.id),
    now,
  )
  const returns = unknown.map(({ message, avoidCarrierId }) => ({ messageId: message.id, dueAt: now, avoidCarrierId }))
  await returnMessages(tx, { returns, now })
  const transitions = unknown.flatMap((it) => it.transitions)
  await Promise.all(storeChanges(tx, ports, { transitions, counterShard: 'deadlines', now }))
  tx.afterCommit(() => ports.changeFeed.publish(() => unknown.map((it) => it.message)))
}

async function storeResends(
  tx: Tx,
  ports: Ports,
  { resends, decided, now }: { resends: (Send & { of: string })[]; decided: BatchDecision; now: Date },
): Promise<void> {
  const accepted = resends.flatMap(({ of, client, request }, index) => {
    const decision = decided.decisions[index]
    if (decision?.kind !== 'accepted') return []
    return [{ of, id: request.messageId, job: { client, request, code: null }, message: decision.message, answer: '' }]
  })
  const { accounts, hits } = decided
  await Promise.all([
    storeAccepted(tx, ports, { accepted, accounts, now }),
    insertHits(tx, hits),
    recordResends(tx, accepted, now),
  ])
  // The original too: it now has a link to the new message.
  const touched = accepted.flatMap(({ of, id, job: { client } }) =>
    [of, id].map((messageId) => ({ id: messageId, workspaceId: client.workspaceId })),
  )
  tx.afterCommit(() => ports.changeFeed.publish(() => touched))
}
