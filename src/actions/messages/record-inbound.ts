// Records replies (§6.2): assembles parts, attributes replies to messages (D18) and queues their webhook events.
import { addressKey } from '../../domain/carriers/sender-address.ts'
import { DAY_MS } from '../../domain/durations.ts'
import {
  answeredMessage,
  fingerprintOf,
  type InboundPart,
  joinParts,
  OLDEST_PART_MS,
  REPLY_DAYS,
  repetitionSince,
} from '../../domain/messages/inbound.ts'
import { type Refusal, refuse, refuseField } from '../../domain/refusals.ts'
import { inboundEvent } from '../../domain/webhooks/webhook-event.ts'
import { lowestIdOf } from '../../runtime/ids.ts'
import type { Tx } from '../../store/database/db.ts'
import {
  attributeInbound,
  deleteOldFingerprints,
  deleteOldParts,
  deleteParts,
  type InboundMessage,
  insertInbound,
  type LongPart,
  listAnswerable,
  loadParts,
  lockInbound,
  lockReplies,
  recordFingerprints,
  storePart,
} from '../../store/messages/inbound.ts'
import { insertWebhookEvents } from '../../store/webhooks/webhook-events.ts'
import { findClient } from '../../store/workspaces/clients.ts'
import type { Caller, Ports } from '../ports.ts'
import { recordChange } from '../record-change.ts'

/** Idempotent. A reply is acknowledged only after this resolves. */
export async function recordInbound(ports: Ports, parts: InboundPart[]): Promise<void> {
  const now = ports.clock.now()
  await ports.db.transaction(async (tx) => {
    const long = parts.flatMap(({ part, ...rest }) => (part ? [{ ...rest, part }] : []))
    await lockReplies(tx, long)
    if (long.length > 0) await deleteOldParts(tx, new Date(now.getTime() - OLDEST_PART_MS))
    for (const { reply, isNew } of await siftSeen(tx, parts, now)) {
      const { part } = reply
      const whole = isNew ? reply.text : null
      const text = part ? await assembleReply(tx, { ...reply, part }, isNew) : whole
      if (text !== null) await storeReply(tx, ports, { ...reply, text })
    }
  })
  ports.notifications.notify('webhooks')
}

/** Removes duplicates and marks the parts that are new. */
async function siftSeen(tx: Tx, parts: InboundPart[], now: Date): Promise<{ reply: InboundPart; isNew: boolean }[]> {
  const named = new Map(parts.map((it) => [fingerprintOf(it), it]))
  const sights = Array.from(named, ([fingerprint, part]) => ({ fingerprint, after: repetitionSince(part, now) }))
  await deleteOldFingerprints(tx, new Date(now.getTime() - OLDEST_PART_MS))
  const fresh = await recordFingerprints(tx, sights, now)
  return Array.from(named, ([fingerprint, reply]) => ({ reply, isNew: fresh.has(fingerprint) }))
}

async function storeReply(tx: Tx, ports: Ports, reply: Omit<InboundPart, 'part' | 'answeredAt'>): Promise<void> {
  const { carrierId, from, to, text, receivedAt } = reply
  const sinceId = lowestIdOf(new Date(receivedAt.getTime() - REPLY_DAYS * DAY_MS))
  const answered = answeredMessage(await listAnswerable(tx, { to: from, senderKey: addressKey(to), sinceId }))
  const inbound: InboundMessage = {
    id: ports.ids.next(),
    carrierId,
    workspaceId: answered?.workspaceId ?? null,
    clientId: answered?.clientId ?? null,
    from,
    to,
    text,
    inReplyTo: answered?.id ?? null,
    receivedAt,
  }
  await insertInbound(tx, inbound)
  tx.afterCommit(() => ports.changeFeed.publishIn(inbound.workspaceId, 'replies'))
  if (!answered) return
  const event = inboundEvent({ inboundId: inbound.id, from, text, at: receivedAt, inReplyTo: answered.id })
  await insertWebhookEvents(
    tx,
    [{ deliveryId: ports.ids.next(), clientId: answered.clientId, about: null, event }],
    receivedAt,
  )
}

/** The whole text if this part completes it, else null. A repeated part counts only while it waits for the rest. */
async function assembleReply(tx: Tx, long: LongPart, isNew: boolean): Promise<string | null> {
  const { text, receivedAt, part: it } = long
  const known = await loadParts(tx, long)
  const waits = known.some((part) => part.number === it.number && part.text === text)
  if (!isNew && !waits) return null
  const { text: whole, over } = joinParts(known, { part: { number: it.number, text, receivedAt }, total: it.total })
  await deleteParts(tx, long, whole === null ? over : known.map((part) => part.number))
  if (whole === null) await storePart(tx, long)
  return whole
}

/** Final: the attribution sends a webhook event, which cannot be withdrawn. */
export async function attributeReply(
  ports: Ports,
  caller: Caller,
  { id, clientId }: { id: string; clientId: string },
): Promise<InboundMessage | Refusal> {
  const result = await ports.managementDb(caller.actor).transaction(async (tx) => {
    const reply = await lockInbound(tx, id)
    if (!reply) return refuse('not_found')
    if (reply.clientId !== null) return refuse('conflict', { error: 'The reply already belongs to a client' })
    const client = await findClient(tx, { id: clientId, within: null })
    if (!client) return refuseField('clientId', 'Client not found')
    const { workspaceId } = client
    await attributeInbound(tx, { id, workspaceId, clientId })
    tx.afterCommit(() => ports.changeFeed.publishIn(workspaceId, 'replies'))
    const { from, text, receivedAt: at } = reply
    const event = inboundEvent({ inboundId: id, from, text, at })
    await insertWebhookEvents(tx, [{ deliveryId: ports.ids.next(), clientId, about: null, event }], ports.clock.now())
    const details = { clientId }
    await recordChange(tx, { ports, caller, workspaceId, action: 'reply.attributed', subject: id, details })
    return { ...reply, workspaceId, clientId }
  })
  ports.notifications.notify('webhooks')
  return result
}
