// Owners send webhook deliveries again: one, or all that died since a time; and try out a receiver with a test event.
import { onlyWorkspace } from '../domain/actor.ts'
import { type Refusal, refuse } from '../domain/refusals.ts'
import { sampleEvent } from '../domain/webhook-event.ts'
import { type Client, findClient } from '../store/clients.ts'
import type { Tx } from '../store/db.ts'
import { findDelivery, requeueDead, requeueDelivery, type WebhookDelivery } from '../store/webhook-deliveries.ts'
import { insertEvents } from '../store/webhook-events.ts'
import type { Caller, House } from './house.ts'
import { recordChange } from './record-change.ts'

/** The same delivery id and bytes, with a new round of postings from now on. */
export function resendDelivery(house: House, caller: Caller, id: string): Promise<WebhookDelivery | Refusal> {
  return withNewWork(house, async (tx) => {
    const delivery = await findDelivery(tx, { id, within: onlyWorkspace(caller.actor) })
    if (!delivery) return refuse('not_found')
    const { clientId, workspaceId, state } = delivery
    const refusal = refuseUnpostable(await findClient(tx, { id: clientId, within: workspaceId }))
    if (refusal) return refusal
    await requeueDelivery(tx, { id, now: house.clock.now() })
    const action = 'webhook_delivery.resent'
    await recordChange(tx, { house, caller, workspaceId, action, subject: id, details: { clientId, was: state } })
    return readDelivery(tx, id)
  })
}

export function replayDead(
  house: House,
  caller: Caller,
  { clientId, since }: { clientId: string; since: Date },
): Promise<{ replayed: number } | Refusal> {
  return withNewWork(house, async (tx) => {
    const client = await findClient(tx, { id: clientId, within: onlyWorkspace(caller.actor) })
    const refusal = refuseUnpostable(client)
    if (!client || refusal) return refusal ?? refuse('not_found')
    const replayed = await requeueDead(tx, { clientId, since, now: house.clock.now() })
    const { workspaceId } = client
    const action = 'client.webhook_deliveries_replayed'
    await recordChange(tx, { house, caller, workspaceId, action, subject: clientId, details: { since, replayed } })
    return { replayed }
  })
}

/** Goes the way of every other event, so that what arrives proves all of it: address, certificate, signature, retries. */
export function sendTestEvent(house: House, caller: Caller, clientId: string): Promise<WebhookDelivery | Refusal> {
  return withNewWork(house, async (tx) => {
    const client = await findClient(tx, { id: clientId, within: onlyWorkspace(caller.actor) })
    const refusal = refuseUnpostable(client)
    if (!client || refusal) return refusal ?? refuse('not_found')
    const deliveryId = house.ids.next()
    const now = house.clock.now()
    await insertEvents(tx, [{ deliveryId, clientId, about: null, event: sampleEvent(now) }], now)
    const { workspaceId } = client
    const details = { deliveryId }
    await recordChange(tx, { house, caller, workspaceId, action: 'client.test_event_sent', subject: clientId, details })
    return readDelivery(tx, deliveryId)
  })
}

function refuseUnpostable(client: Client | null): Refusal | null {
  if (!client) return refuse('not_found')
  if (client.disabledAt)
    return refuse('conflict', { error: 'The client is disabled; its webhooks wait until it is enabled' })
  return client.webhookUrl === null ? refuse('conflict', { error: 'The client has no webhook URL' }) : null
}

async function readDelivery(tx: Tx, id: string): Promise<WebhookDelivery> {
  const delivery = await findDelivery(tx, { id, within: null })
  if (!delivery) throw new Error('a delivery that was just queued is not there')
  return delivery
}

async function withNewWork<Result>(house: House, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  const result = await house.db.transaction(work)
  house.bell.ring('webhooks')
  return result
}
