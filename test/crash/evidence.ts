// What the judges read: the logs of the client, the carriers and the receiver, and the database at the end.
import { QUEUE_TABLES } from '../harness/queue-tables.ts'
import type { Installation } from './installation.ts'
import type { DoneKill } from './kills.ts'
import type { Load } from './load.ts'

/** A 200 in the client's log. A repeated request has several. */
export interface Accepted {
  number: number
  key: string
  to: string
  isOtp: boolean
  messageId: string
  /** The response to an OTP has none. */
  cost: number | null
  body: string
}

export interface CarrierLine {
  kind: 'submitted' | 'acknowledged'
  to: string
  at: number
}

export interface Post {
  deliveryId: string
  body: string
  status: number
}

export interface StoredMessage {
  id: string
  to: string
  status: string
  workspaceId: string
  costE4: number
  reservationId: string
}

export interface LedgerEntry {
  id: string
  workspaceId: string
  kind: string
  amountE4: number
  balanceE4: number
  messageId: string | null
  messages: number | null
}

export interface StoredEvent {
  deliveryId: string
  messageId: string
  status: string
}

interface DatabaseAtEnd {
  messages: StoredMessage[]
  ledger: LedgerEntry[]
  balances: { workspaceId: string; balanceE4: number }[]
  events: StoredEvent[]
  /** Rows of queues and claims that should be empty. */
  leftOver: Record<string, number>
}

export interface Evidence {
  kills: DoneKill[]
  accepted: Accepted[]
  observed: { messageId: string; status: string }[]
  responses: Record<number, number>
  unexpected: string[]
  carriers: CarrierLine[]
  posts: Post[]
  database: DatabaseAtEnd
}

export async function collectEvidence(installation: Installation, load: Load, kills: DoneKill[]): Promise<Evidence> {
  const { accepted, observed, responses, unexpected } = load
  const { receiver, database } = installation
  const carriers = Object.values(installation.carriers).flatMap((carrier) => carrier.read<CarrierLine>())
  const posts = receiver.read<Post>()
  return {
    ...{ kills, accepted, observed, responses, unexpected, carriers, posts },
    database: await database.withClient((client) =>
      readDatabase(async <Row extends object>(text: string) => (await client.query<Row>(text)).rows),
    ),
  }
}

export async function readDatabase(rows: <Row extends object>(text: string) => Promise<Row[]>): Promise<DatabaseAtEnd> {
  const leftOver: Record<string, number> = {}
  for (const queue of QUEUE_TABLES)
    leftOver[queue] = (await rows<{ n: number }>(`select count(*)::int as n from ${queue}`))[0]?.n ?? 0
  return {
    messages: await rows<StoredMessage>(`
      select id, to_number as "to", status, workspace_id as "workspaceId", cost_e4::float8 as "costE4",
        reservation_id as "reservationId"
      from message`),
    ledger: await rows<LedgerEntry>(`
      select id, workspace_id as "workspaceId", kind, amount_e4::float8 as "amountE4", balance_e4::float8 as "balanceE4",
        message_id as "messageId", messages
      from ledger_entry order by workspace_id, id`),
    balances: await rows(`select id as "workspaceId", balance_e4::float8 as "balanceE4" from workspace`),
    events: await rows<StoredEvent>(`
      select delivery_id as "deliveryId", message_id as "messageId", webhook_status as status
      from webhook_event where message_id is not null`),
    leftOver,
  }
}
