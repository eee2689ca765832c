// Who listens to a client (D45), and the events that wait for them.
import type { Listening } from '../../domain/webhooks/listening.ts'
import type { WebhookEvent } from '../../domain/webhooks/webhook-event.ts'
import type { Queries, Tx } from '../database/db.ts'
import { sql } from '../database/sql.ts'

export interface ListenedClient {
  id: string
  workspaceId: string
  held: Listening | null
}

/** The client is locked: of two who would listen at once, one finds the other. */
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

/** In their order. One that was committed late comes when it is there: what was told is known by itself, not by a position. */
export function listWaitingEvents(tx: Tx, clientId: string, limit: number): Promise<WaitingEvent[]> {
  return tx.query<WaitingEvent>(sql`
    select position, delivery_id as "deliveryId", name, body, created_at as "createdAt"
    from listening_event where client_id = ${clientId} and not is_forwarded order by position limit ${limit}`)
}

/** Up to `most` and one more: that there are more is enough to know. */
export async function countWaitingEvents(tx: Tx, clientId: string, most: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*) from (
      select from listening_event where client_id = ${clientId} and not is_forwarded limit ${most + 1}
    ) as waiting`)
  return row?.count ?? 0
}

/** They stay a while, so that no status of a message is told twice (§6.2 rule 3). */
export async function markTold(tx: Tx, clientId: string, positions: number[]): Promise<void> {
  if (positions.length === 0) return
  await tx.query(sql`
    update listening_event set is_forwarded = true
    where client_id = ${clientId} and position = any(${positions}::bigint[]) and not is_forwarded`)
}

export async function dropWaitingEvents(tx: Tx, clientId: string): Promise<void> {
  await tx.query(sql`delete from listening_event where client_id = ${clientId} and not is_forwarded`)
}

/** Listenings that ended by then, a few at a time: nobody who comes back so late has missed anything that is kept. */
export async function forgetListenings(db: Queries, { by, limit }: { by: Date; limit: number }): Promise<number> {
  const gone = await db.query(sql`
    update client set listening_by = null, listening_session = null, listening_until = null
    where id in (select id from client where listening_until <= ${by} limit ${limit} for no key update skip locked)
    returning 1`)
  return gone.length
}
