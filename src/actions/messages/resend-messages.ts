// Resends messages (D59, D69): each is judged as a new send would be. One in doubt goes back to the queue under its own charge; one
// that failed is sent as another message, stored and charged like any that is accepted.
import { checkResend, type Decided, decideAcceptance } from '../../domain/messages/acceptance.ts'
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

/** A message in doubt, and how it goes back to the queue. */
export interface Again {
  message: MessageState
  transitions: Transition[]
  avoidCarrierId: string | null
}

interface Resending {
  again: Again[]
  anew: MessageState[]
  details: ReadonlyMap<string, ActionDetails>
  now: Date
}

/** By message: the one that it goes out as, or why it does not. All are of one workspace, which is locked, and so are they. */
export async function resendMessages(
  tx: Tx,
  ports: Ports,
  { again, anew, details, now }: Resending,
): Promise<Map<string, string | Refusal>> {
  const messages = [...again.map((it) => it.message), ...anew]
  if (messages.length === 0) return new Map()
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
  const allowed = again.filter(({ message: { id } }) => {
    const send = sends.get(id)
    if (!send) return false
    const refusal = checkResend(send.request, facts)
    outcomes.set(id, refusal ?? id)
    return refusal === null
  })
  const resends = anew.flatMap(({ id: of }) => {
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
  await sendAgain(tx, ports, { again: allowed, now })
  await sendAnew(tx, ports, { resends, decided, now })
  return outcomes
}

/** As the client would send it today. */
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

async function sendAgain(tx: Tx, ports: Ports, { again, now }: { again: Again[]; now: Date }): Promise<void> {
  if (again.length === 0) return
  await allowResend(
    tx,
    again.map((it) => it.message.id),
    now,
  )
  const returns = again.map(({ message, avoidCarrierId }) => ({ messageId: message.id, dueAt: now, avoidCarrierId }))
  await returnMessages(tx, { returns, now })
  const transitions = again.flatMap((it) => it.transitions)
  await Promise.all(storeChanges(tx, ports, { transitions, counterShard: 'deadlines', now }))
  tx.afterCommit(() => ports.messageFeed.publish(() => again.map((it) => it.message)))
}

async function sendAnew(
  tx: Tx,
  ports: Ports,
  { resends, decided, now }: { resends: (Send & { of: string })[]; decided: Decided; now: Date },
): Promise<void> {
  const accepted = resends.flatMap(({ of, client, request }, index) => {
    const decision = decided.decisions[index]
    if (decision?.kind !== 'accepted') return []
    return [
      { of, id: request.messageId, sending: { client, request, code: null }, message: decision.message, answer: '' },
    ]
  })
  const { accounts, hits } = decided
  await Promise.all([
    storeAccepted(tx, ports, { accepted, accounts, now }),
    insertHits(tx, hits),
    recordResends(tx, accepted, now),
  ])
  const touched = accepted.map(({ id, sending: { client } }) => ({ id, workspaceId: client.workspaceId }))
  tx.afterCommit(() => ports.messageFeed.publish(() => touched))
}
