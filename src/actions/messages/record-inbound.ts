// Replies (§6.2): put together, attributed (D18), stored, and handed to the outbox.

import { addressKey } from '../../domain/carriers/sender-address.ts'
import {
  answeredMessage,
  fingerprintOf,
  type InboundPart,
  OLDEST_PART_MS,
  REPLY_DAYS,
  sameAfter,
} from '../../domain/messages/inbound.ts'
import { inboundEvent } from '../../domain/webhooks/webhook-event.ts'
import { lowestIdOf } from '../../runtime/ids.ts'
import type { Tx } from '../../store/database/db.ts'
import {
  deleteOldParts,
  forgetSeen,
  type InboundMessage,
  insertInbound,
  listAnswerable,
  lockAssembly,
  rememberSeen,
} from '../../store/messages/inbound.ts'
import { insertEvents } from '../../store/webhooks/webhook-events.ts'
import type { Ports } from '../ports.ts'
import { assembleReply } from './assemble-reply.ts'

const DAY_MS = 24 * 3600 * 1000

/** A reply is acknowledged only after this has returned. Safe to repeat: what was recorded before changes nothing. */
export async function recordInbound(ports: Ports, parts: InboundPart[]): Promise<void> {
  const now = ports.clock.now()
  await ports.db.transaction(async (tx) => {
    const long = parts.flatMap(({ part, ...rest }) => (part ? [{ ...rest, part }] : []))
    await lockAssembly(tx, long)
    if (long.length > 0) await deleteOldParts(tx, new Date(now.getTime() - OLDEST_PART_MS))
    for (const { reply, isNew } of await siftSeen(tx, parts, now)) {
      const { part } = reply
      const whole = isNew ? reply.text : null
      const text = part ? await assembleReply(tx, { ...reply, part }, isNew) : whole
      if (text !== null) await storeReply(tx, ports, { ...reply, text })
    }
  })
  ports.bell.ring('webhooks')
}

/** Each once, and whether it was not seen before. */
async function siftSeen(tx: Tx, parts: InboundPart[], now: Date): Promise<{ reply: InboundPart; isNew: boolean }[]> {
  const named = new Map(parts.map((it) => [fingerprintOf(it), it]))
  const sights = Array.from(named, ([fingerprint, part]) => ({ fingerprint, after: sameAfter(part, now) }))
  await forgetSeen(tx, new Date(now.getTime() - OLDEST_PART_MS))
  const fresh = await rememberSeen(tx, sights, now)
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
  if (!answered) return
  const event = inboundEvent({ inboundId: inbound.id, from, text, at: receivedAt, inReplyTo: answered.id })
  await insertEvents(
    tx,
    [{ deliveryId: ports.ids.next(), clientId: answered.clientId, about: null, event }],
    receivedAt,
  )
}
