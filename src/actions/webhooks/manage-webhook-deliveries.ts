// Resends a webhook delivery, replays failed ones, and sends test events.
import { onlyWorkspace } from '../../domain/people/actor.ts'
import { Refusal, refuse } from '../../domain/refusals.ts'
import { SlidingWindow, windowReadsOf } from '../../domain/sliding-window.ts'
import { sampleEvent } from '../../domain/webhooks/webhook-event.ts'
import type { Tx } from '../../store/database/db.ts'
import { insertHits, loadWindows, lockScopes } from '../../store/sliding-windows.ts'
import {
  findDelivery,
  requeueDelivery,
  requeueFailedDeliveries,
  type WebhookDelivery,
} from '../../store/webhooks/webhook-deliveries.ts'
import { insertWebhookEvents } from '../../store/webhooks/webhook-events.ts'
import { type Client, findClient } from '../../store/workspaces/clients.ts'
import type { Caller, Ports } from '../ports.ts'
import { recordChange } from '../record-change.ts'

export const MAX_PER_MINUTE = { 'test-event': 10, resend: 60, replay: 10 }
const REPLAYED_AT_ONCE = 1_000
export const MAX_REPLAYED = 10_000

/** Keeps the delivery id and bytes, and starts a new round of attempts. */
export function resendDelivery(ports: Ports, caller: Caller, id: string): Promise<WebhookDelivery | Refusal> {
  return withNewWork(ports, caller, async (tx) => {
    const delivery = await findDelivery(tx, { id, within: onlyWorkspace(caller.actor) })
    if (!delivery) return refuse('not_found')
    const { clientId, workspaceId, state } = delivery
    const refusal = refuseUnpostable(await findClient(tx, { id: clientId, within: workspaceId }))
    const spent = refusal ?? (await spendQuota(tx, ports, { kind: 'resend', clientId }))
    if (spent) return spent
    await requeueDelivery(tx, { id, now: ports.clock.now() })
    const action = 'webhook_delivery.resent'
    await recordChange(tx, { ports, caller, workspaceId, action, subject: id, details: { clientId, was: state } })
    return readDelivery(tx, id)
  })
}

export interface Replay {
  replayed: number
  /** True if there may be more than one call replays. */
  more: boolean
}

/** In steps, each with its own transaction and audit entry. */
export async function replayFailed(
  ports: Ports,
  caller: Caller,
  { clientId, since }: { clientId: string; since: Date },
): Promise<Replay | Refusal> {
  let replayed = 0
  while (replayed < MAX_REPLAYED) {
    const step = await replayStep(ports, caller, { clientId, since, isFirst: replayed === 0 })
    if (step instanceof Refusal) return replayed === 0 ? step : { replayed, more: true }
    replayed += step
    if (step < REPLAYED_AT_ONCE) return { replayed, more: false }
  }
  return { replayed, more: true }
}

function replayStep(
  ports: Ports,
  caller: Caller,
  { clientId, since, isFirst }: { clientId: string; since: Date; isFirst: boolean },
): Promise<number | Refusal> {
  return withNewWork(ports, caller, async (tx) => {
    const client = await findClient(tx, { id: clientId, within: onlyWorkspace(caller.actor) })
    const refusal = refuseUnpostable(client)
    if (!client || refusal) return refusal ?? refuse('not_found')
    const spent = isFirst ? await spendQuota(tx, ports, { kind: 'replay', clientId }) : null
    if (spent) return spent
    const replayed = await requeueFailedDeliveries(tx, {
      clientId,
      since,
      limit: REPLAYED_AT_ONCE,
      now: ports.clock.now(),
    })
    const { workspaceId } = client
    const action = 'client.webhook_deliveries_replayed'
    await recordChange(tx, { ports, caller, workspaceId, action, subject: clientId, details: { since, replayed } })
    return replayed
  })
}

/** Delivered like a real event, so it tests address, certificate, signature and retries. */
export function sendTestEvent(ports: Ports, caller: Caller, clientId: string): Promise<WebhookDelivery | Refusal> {
  return withNewWork(ports, caller, async (tx) => {
    const client = await findClient(tx, { id: clientId, within: onlyWorkspace(caller.actor) })
    const refusal = refuseUnpostable(client)
    if (!client || refusal) return refusal ?? refuse('not_found')
    const spent = await spendQuota(tx, ports, { kind: 'test-event', clientId })
    if (spent) return spent
    const deliveryId = ports.ids.next()
    const now = ports.clock.now()
    await insertWebhookEvents(tx, [{ deliveryId, clientId, about: null, event: sampleEvent(now) }], now)
    const { workspaceId } = client
    const details = { deliveryId }
    await recordChange(tx, { ports, caller, workspaceId, action: 'client.test_event_sent', subject: clientId, details })
    return readDelivery(tx, deliveryId)
  })
}

/** D43: calls without a price have a quota per client and minute. The lock serializes concurrent calls. */
async function spendQuota(
  tx: Tx,
  ports: Ports,
  { kind, clientId }: { kind: keyof typeof MAX_PER_MINUTE; clientId: string },
): Promise<Refusal | null> {
  const limit = { scope: `${kind}:${clientId}`, most: MAX_PER_MINUTE[kind], seconds: 60 }
  const { scope } = limit
  const now = ports.clock.now()
  await lockScopes(tx, [scope])
  const known = (await loadWindows(tx, windowReadsOf([limit], now))).get(scope)
  const retryAfterSeconds = known ? new SlidingWindow(limit, known).waitSeconds(now) : 0
  if (retryAfterSeconds > 0) {
    const error = `At most ${limit.most} of these calls per minute are allowed for one client`
    return refuse('rate_limited', { error, retryAfterSeconds })
  }
  await insertHits(tx, [{ scope, at: now, messageId: ports.ids.next() }])
  return null
}

function refuseUnpostable(client: Client | null): Refusal | null {
  if (!client) return refuse('not_found')
  if (client.disabledAt)
    return refuse('conflict', { error: 'The client is disabled; its webhooks wait until it is enabled' })
  return client.webhookUrl === null ? refuse('conflict', { error: 'The client has no webhook URL' }) : null
}

async function readDelivery(tx: Tx, id: string): Promise<WebhookDelivery> {
  const delivery = await findDelivery(tx, { id, within: null })
  if (!delivery) throw new Error('queued delivery not found')
  return delivery
}

async function withNewWork<Result>(ports: Ports, caller: Caller, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  const result = await ports.managementDb(caller.actor).transaction(work)
  ports.notifications.notify('webhooks')
  return result
}
