// Messages as they are read (§2.1).
import type { MessageType } from '../domain/message-type.ts'
import type { Encoding } from '../domain/text-encoding.ts'
import type { Queries } from './db.ts'
import { sql } from './sql.ts'

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
