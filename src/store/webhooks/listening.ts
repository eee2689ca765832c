// Webhook forwarding to a listener (D45): the listener of a client, and the events that wait for the listener.
import type { Listening } from '../../domain/webhooks/listening.ts'
import type { WebhookEvent } from '../../domain/webhooks/webhook-event.ts'
import type { Queries, Tx } from '../database/db.ts'
import { sql } from '../database/sql.ts'

export interface ListenedClient {
  id: string
  workspaceId: string
  held: Listening | null
}

/** Locks the client, so that of two concurrent listeners only one succeeds. */
export async function lockListening(
  tx: Tx,
  { id, within }: { id: string; within: string | null },
): Promise<ListenedClient | null> {
  const [row] = await tx.query<{ workspaceId: string } & { [name in keyof Listening]: Listening[name] | null }>(sql`
    select workspace_id as "workspaceId", listening_by as listener, listening_session as session, listening_until as until
    from client where id = ${id} and (${within}::uuid is null or workspace_id = ${within}) for no key update`)
  if (!row) return null
  const { workspaceId, listener, session, until } = row
  return { id, workspaceId, held: listener && session && until ? { listener, session, until } : null }
}

export async function storeListening(tx: Tx, id: string, held: Listening | null): Promise<void> {
  await tx.query(sql`
    update client set listening_by = ${held?.listener ?? null}, listening_session = ${held?.session ?? null},
      listening_until = ${held?.until ?? null}
    where id = ${id}`)
}

export interface WaitingEvent {
  position: number
  deliveryId: string
  name: WebhookEvent['name']
  body: Buffer
  createdAt: Date
}

/** In order. Each event has a flag instead of a shared position, so that an event committed late is not skipped. */
export function listWaitingEvents(tx: Tx, clientId: string, limit: number): Promise<WaitingEvent[]> {
  return tx.query<WaitingEvent>(sql`
    select position, delivery_id as "deliveryId", name, body, created_at as "createdAt"
    from listening_event where client_id = ${clientId} and not is_forwarded order by position limit ${limit}`)
}

/** Counts up to `most + 1`. */
export async function countWaitingEvents(tx: Tx, clientId: string, most: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*) from (
      select from listening_event where client_id = ${clientId} and not is_forwarded limit ${most + 1}
    ) as waiting`)
  return row?.count ?? 0
}

/** Forwarded events are kept for a while, so that no message status is forwarded twice (§6.2 rule 3). */
export async function markEventsForwarded(tx: Tx, clientId: string, positions: number[]): Promise<void> {
  if (positions.length === 0) return
  await tx.query(sql`
    update listening_event set is_forwarded = true
    where client_id = ${clientId} and position = any(${positions}::bigint[]) and not is_forwarded`)
}

export async function deleteWaitingEvents(tx: Tx, clientId: string): Promise<void> {
  await tx.query(sql`delete from listening_event where client_id = ${clientId} and not is_forwarded`)
}

/** Clears up to `limit` listeners whose lease ended at `by` or before. Their events are already deleted. */
export async function clearEndedListenings(db: Queries, { by, limit }: { by: Date; limit: number }): Promise<number> {
  const gone = await db.query(sql`
    update client set listening_by = null, listening_session = null, listening_until = null
    where id in (select id from client where listening_until <= ${by} limit ${limit} for no key update skip locked)
    returning 1`)
  return gone.length
}
