// The outbox (§6): an event and its place in the queue, in the transaction of the change it tells of.
import type { WebhookEvent, WebhookStatus } from '../domain/webhook-event.ts'
import type { Tx } from './db.ts'
import { sql } from './sql.ts'

export interface NewEvent {
  deliveryId: string
  clientId: string
  /** Of a change of status; null for a reply. */
  about: { messageId: string; status: WebhookStatus } | null
  event: WebhookEvent
}

/**
 * A client without a webhook URL gets none. §6.2 rule 3: for a message and status that were told already the index
 * decides, and nothing is added.
 */
export async function insertEvents(tx: Tx, events: NewEvent[], now: Date): Promise<void> {
  if (events.length === 0) return
  await tx.query(sql`
    with event as (
      insert into webhook_event (delivery_id, client_id, name, message_id, webhook_status, body, created_at)
      select news.*, ${now}::timestamptz
      from unnest(
          ${events.map((it) => it.deliveryId)}::uuid[], ${events.map((it) => it.clientId)}::uuid[],
          ${events.map((it) => it.event.name)}::text[], ${events.map((it) => it.about?.messageId ?? null)}::uuid[],
          ${events.map((it) => it.about?.status ?? null)}::text[], ${events.map((it) => Buffer.from(it.event.body))}::bytea[]
        ) as news (delivery_id, client_id, name, message_id, webhook_status, body)
        join client on client.id = news.client_id and client.webhook_url is not null
      on conflict (message_id, webhook_status) where message_id is not null do nothing
      returning delivery_id, client_id
    )
    insert into webhook_queue (delivery_id, client_id, workspace_id, due_at)
    select delivery_id, client_id, workspace_id, ${now}::timestamptz from event join client on client.id = client_id`)
}
