// The webhook outbox (§6): events and queue rows are inserted in the transaction of the change that they announce.
import type { WebhookEvent, WebhookStatus } from '../../domain/webhooks/webhook-event.ts'
import type { Tx } from '../database/db.ts'
import { sql } from '../database/sql.ts'

interface NewEvent {
  deliveryId: string
  clientId: string
  /** Of a status change; null for other events. */
  about: { messageId: string; status: WebhookStatus } | null
  event: WebhookEvent
}

/**
 * Adds an event for the webhook URL of a client, and one for its listener (D45), if it has them. Unique indexes prevent a second
 * event for the same message and status (§6.2 rule 3).
 */
export async function insertWebhookEvents(tx: Tx, events: NewEvent[], now: Date): Promise<void> {
  if (events.length === 0) return
  await tx.query(sql`
    with new_event as materialized (
      select new_event.*, client.webhook_url is not null as posted, client.listening_until > ${now}::timestamptz as heard
      from unnest(
          ${events.map((it) => it.deliveryId)}::uuid[], ${events.map((it) => it.clientId)}::uuid[],
          ${events.map((it) => it.event.name)}::text[], ${events.map((it) => it.about?.messageId ?? null)}::uuid[],
          ${events.map((it) => it.about?.status ?? null)}::text[], ${events.map((it) => Buffer.from(it.event.body))}::bytea[]
        ) with ordinality as new_event (delivery_id, client_id, name, message_id, webhook_status, body, nth)
        join client on client.id = new_event.client_id
    ), event as (
      insert into webhook_event (delivery_id, client_id, name, message_id, webhook_status, body, created_at)
      select delivery_id, client_id, name, message_id, webhook_status, body, ${now}::timestamptz from new_event where posted
      on conflict (message_id, webhook_status) where message_id is not null do nothing
      returning delivery_id, client_id
    ), heard as (
      insert into listening_event (client_id, delivery_id, name, message_id, webhook_status, body, created_at)
      select client_id, delivery_id, name, message_id, webhook_status, body, ${now}::timestamptz from new_event
      -- A scalar subquery forces an index lookup per row, even with a plan made while the table was empty.
      where heard and (
        select true from webhook_event known
        where known.message_id = new_event.message_id and known.webhook_status = new_event.webhook_status limit 1
      ) is null
      order by nth
      on conflict (message_id, webhook_status) where message_id is not null do nothing
    )
    insert into webhook_queue (delivery_id, client_id, workspace_id, due_at)
    select delivery_id, client_id, workspace_id, ${now}::timestamptz from event join client on client.id = client_id`)
}
