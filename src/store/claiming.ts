// What a claim reads of its messages, and that it marks them as being submitted (D12).

import type { Encoding } from '../domain/text-encoding.ts'
import type { MessageState } from '../domain/transition.ts'
import type { Tx } from './db.ts'
import { sql } from './sql.ts'

export interface ClaimableMessage extends MessageState {
  country: string
  sender: string
  /** null for a message with a one-time code: its text is sealed. */
  text: string | null
  sealedText: Buffer | null
  encoding: Encoding
}

/** Whoever is at work on a message keeps it: it is passed over, not waited for. */
export function lockClaimable(tx: Tx, ids: string[]): Promise<ClaimableMessage[]> {
  return tx.query<ClaimableMessage>(sql`
    select message.id, message.workspace_id as "workspaceId", client_id as "clientId", to_number as to, country, sender,
      text, sealed as "sealedText", type, encoding, segments, cost_e4 as "costE4", message.status,
      message.created_at as "createdAt", message.updated_at as "updatedAt", webhook_url is not null as "isTold"
    from message join client on client.id = message.client_id
      left join sealed_text on sealed_text.message_id = message.id
    where message.id = any(${ids}::uuid[]) order by message.id for no key update of message skip locked`)
}
