// The operator says whose a reply is that nobody could tell (D18).
import { type Refusal, refuse, refuseField } from '../../domain/refusals.ts'
import { inboundEvent } from '../../domain/webhooks/webhook-event.ts'
import { attributeInbound, type InboundMessage, lockInbound } from '../../store/messages/inbound.ts'
import { insertEvents } from '../../store/webhooks/webhook-events.ts'
import { findClient } from '../../store/workspaces/clients.ts'
import type { Caller, Ports } from '../ports.ts'
import { recordChange } from '../record-change.ts'

/** Once for ever: with it the reply is told, and nobody unlearns what was told. */
export async function attributeReply(
  ports: Ports,
  caller: Caller,
  { id, clientId }: { id: string; clientId: string },
): Promise<InboundMessage | Refusal> {
  const result = await ports.managementDb(caller.actor).transaction(async (tx) => {
    const reply = await lockInbound(tx, id)
    if (!reply) return refuse('not_found')
    if (reply.clientId !== null) return refuse('conflict', { error: 'The reply belongs to a client already' })
    const client = await findClient(tx, { id: clientId, within: null })
    if (!client) return refuseField('clientId', 'There is no such client')
    const { workspaceId } = client
    await attributeInbound(tx, { id, workspaceId, clientId })
    const { from, text, receivedAt: at } = reply
    const event = inboundEvent({ inboundId: id, from, text, at })
    await insertEvents(tx, [{ deliveryId: ports.ids.next(), clientId, about: null, event }], ports.clock.now())
    const details = { clientId }
    await recordChange(tx, { ports, caller, workspaceId, action: 'reply.attributed', subject: id, details })
    return { ...reply, workspaceId, clientId }
  })
  ports.bell.ring('webhooks')
  return result
}
