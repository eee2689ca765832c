// Messages as they are read (§2.1).
import type { MessageStatus } from '../domain/message-status.ts'
import type { MessageType } from '../domain/message-type.ts'
import type { Encoding } from '../domain/text-encoding.ts'
import { lowestIdOf } from '../runtime/ids.ts'
import type { Queries } from './db.ts'
import { every, part, sql } from './sql.ts'
import type { Page } from './workspaces.ts'

export interface StoredMessage {
  id: string
  to: string
  sender: string
  /** null for a message with a one-time code. */
  text: string | null
  type: MessageType
  encoding: Encoding
  segments: number
  costE4: number
  status: string
  error: string
  submissions: number
  dlr: { status: string; code: string; raw: string; at: string } | null
  submittedAt: Date | null
  sentAt: Date | null
  deliveredAt: Date | null
  failedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

/** §2.1 rule 3: a message is found only by the client that sent it. */
export async function findMessage(
  db: Queries,
  { id, clientId }: { id: string; clientId: string },
): Promise<StoredMessage | null> {
  const rows = await db.query<StoredMessage>(sql`
    select id, to_number as to, sender, text, type, encoding, segments, cost_e4 as "costE4", status, error, submissions,
      dlr, submitted_at as "submittedAt", sent_at as "sentAt", delivered_at as "deliveredAt", failed_at as "failedAt",
      created_at as "createdAt", updated_at as "updatedAt"
    from message where id = ${id} and client_id = ${clientId}`)
  return rows[0] ?? null
}

/** A message as its owner lists it. */
export interface ListedMessage extends StoredMessage {
  workspaceId: string
  clientId: string
}

const listed = part`
  id, workspace_id as "workspaceId", client_id as "clientId", to_number as to, sender, text, type, encoding, segments,
  cost_e4 as "costE4", status, error, submissions, dlr, submitted_at as "submittedAt", sent_at as "sentAt",
  delivered_at as "deliveredAt", failed_at as "failedAt", created_at as "createdAt", updated_at as "updatedAt"`

/** `within` is the only workspace the asker may see, or null for any. */
export async function findListedMessage(
  db: Queries,
  { id, within }: { id: string; within: string | null },
): Promise<ListedMessage | null> {
  const rows = await db.query<ListedMessage>(sql`
    select ${listed} from message where id = ${id} and (${within}::uuid is null or workspace_id = ${within})`)
  return rows[0] ?? null
}

export interface MessageFilter extends Page {
  workspaceId: string
  clientId: string | null
  /** Any of them. */
  statuses: MessageStatus[] | null
  type: MessageType | null
  to: string | null
  since: Date | null
  until: Date | null
}

/** Newest first. Ids are in the order of time, so that dates narrow the scan by ids. */
export function listMessages(db: Queries, filter: MessageFilter): Promise<ListedMessage[]> {
  const { workspaceId, clientId, statuses, type, to, since, until, before, limit } = filter
  return db.query<ListedMessage>(sql`
    select ${listed} from message
    where ${every([
      part`workspace_id = ${workspaceId}`,
      clientId === null ? null : part`client_id = ${clientId}`,
      statuses === null ? null : part`status = any(${statuses})`,
      type === null ? null : part`type = ${type}`,
      to === null ? null : part`to_number = ${to}`,
      since === null ? null : part`id >= ${lowestIdOf(since)}`,
      until === null ? null : part`id < ${lowestIdOf(until)}`,
      before === null ? null : part`id < ${before}`,
    ])}
    order by id desc limit ${limit}`)
}

export interface Counters {
  sent: number
  delivered: number
  failed: number
}

/** D17 */
export async function readCounters(db: Queries, clientId: string): Promise<Counters> {
  const rows = await db.query<Counters>(
    sql`select sent, delivered, failed from client_counter where client_id = ${clientId}`,
  )
  return rows[0] ?? { sent: 0, delivered: 0, failed: 0 }
}
