// Deletes texts and the oldest messages in bounded steps (D44). Newer months are dropped as whole partitions.
import type { Queries, Tx } from '../database/db.ts'
import type { PartitionedTable } from '../database/partitions.ts'
import { fragment, sql } from '../database/sql.ts'

/** Deletes the texts of the next messages below `idsBelow`. Returns the number of messages scanned. */
export async function deleteTexts(tx: Tx, { idsBelow, limit }: { idsBelow: string; limit: number }): Promise<number> {
  // The lock lets one process sweep at a time.
  const [mark] = await tx.query<{ sweptTo: string }>(sql`
    select swept_to as "sweptTo" from expiry_sweep where kind = 'texts' for update`)
  if (!mark) throw new Error('mark of deleted texts is missing')
  const rows = await tx.query<{ id: string }>(sql`
    select id from message where id > ${mark.sweptTo} and id < ${idsBelow} order by id limit ${limit}`)
  const last = rows.at(-1)?.id
  if (last === undefined) return 0
  tx.finishWith(
    tx.query(sql`
      update message set text = null where id > ${mark.sweptTo} and id <= ${last} and text is not null`),
    tx.query(sql`update expiry_sweep set swept_to = ${last} where kind = 'texts'`),
  )
  return rows.length
}

const TABLES = {
  message: { table: fragment`message`, key: fragment`id` },
  submission: { table: fragment`submission`, key: fragment`message_id` },
  report: { table: fragment`report`, key: fragment`message_id` },
  inbound_message: { table: fragment`inbound_message`, key: fragment`id` },
} satisfies Partial<Record<PartitionedTable, unknown>>

export type DeletableTable = keyof typeof TABLES

/** Deletes up to `limit` rows, oldest first, and the other rows of the same messages. Returns the number of rows. */
export async function deleteOldest(
  db: Queries,
  { from, idsBelow, limit }: { from: DeletableTable; idsBelow: string; limit: number },
): Promise<number> {
  const { table, key } = TABLES[from]
  const rows = await db.query(sql`
    delete from ${table} where ${key} = any(array(
      select ${key} from ${table} where ${key} < ${idsBelow} order by ${key} limit ${limit})) and ${key} < ${idsBelow} returning 1`)
  return rows.length
}
