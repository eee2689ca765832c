// Rows of one day, oldest first, for an archive (D78).
import type { Queries } from '../database/db.ts'
import { type Fragment, fragment, sql } from '../database/sql.ts'

export const ARCHIVED_TABLES = ['messages', 'replies', 'audit'] as const
export type ArchivedTable = (typeof ARCHIVED_TABLES)[number]

interface Columns {
  table: Fragment
  /** By column of the archive, in order. */
  columns: Record<string, Fragment>
}

const partsOf = (table: Fragment, columns: Fragment, order: Fragment) => fragment`
  (select json_agg(to_json(part) order by ${order}) from (
    select ${columns} from ${table} where message_id = message.id and message_id >= bounds.since and message_id < bounds.until
  ) as part)`

const SUBMISSIONS = partsOf(
  fragment`submission`,
  fragment`ordinal, segment, segment_count as "ofSegments", carrier_id as "carrierId", sender, outcome, error,
    command_status as "commandStatus", carrier_message_id as "carrierMessageId", cost_e4 as "costE4",
    claimed_at as "claimedAt", answered_at as "answeredAt"`,
  fragment`ordinal, segment`,
)
const RECEIPTS = partsOf(
  fragment`report`,
  fragment`id, ordinal, segment, state, code, status, error, raw, received_at as "receivedAt"`,
  fragment`id`,
)

const TABLES: Record<ArchivedTable, Columns> = {
  messages: {
    table: fragment`message`,
    columns: {
      id: fragment`id`,
      createdAt: fragment`created_at`,
      workspaceId: fragment`workspace_id`,
      clientId: fragment`client_id`,
      to: fragment`to_number`,
      country: fragment`country`,
      from: fragment`sender`,
      type: fragment`type`,
      encoding: fragment`encoding`,
      segments: fragment`segments`,
      costE4: fragment`cost_e4`,
      status: fragment`status`,
      error: fragment`error`,
      attempts: fragment`submissions`,
      templateId: fragment`template_id`,
      submittedAt: fragment`submitted_at`,
      sentAt: fragment`sent_at`,
      deliveredAt: fragment`delivered_at`,
      undeliveredAt: fragment`undelivered_at`,
      failedAt: fragment`failed_at`,
      updatedAt: fragment`updated_at`,
      text: fragment`text`,
      lastReceipt: fragment`dlr::text`,
      submissions: fragment`${SUBMISSIONS}::text`,
      receipts: fragment`${RECEIPTS}::text`,
    },
  },
  replies: {
    table: fragment`inbound_message`,
    columns: {
      id: fragment`id`,
      receivedAt: fragment`received_at`,
      workspaceId: fragment`workspace_id`,
      clientId: fragment`client_id`,
      carrierId: fragment`carrier_id`,
      from: fragment`from_number`,
      to: fragment`to_address`,
      inReplyTo: fragment`in_reply_to`,
      text: fragment`text`,
    },
  },
  audit: {
    table: fragment`audit_entry`,
    columns: {
      id: fragment`id`,
      at: fragment`at`,
      workspaceId: fragment`workspace_id`,
      actor: fragment`actor`,
      action: fragment`action`,
      subject: fragment`subject`,
      address: fragment`address`,
      requestId: fragment`request_id`,
      details: fragment`details::text`,
    },
  },
}

export function listArchiveColumns(table: ArchivedTable): string[] {
  return Object.keys(TABLES[table].columns)
}

interface ArchivePage {
  table: ArchivedTable
  /** Ids of the day: from this one, below that one. */
  since: string
  until: string
  after: string | null
  limit: number
}

export type ArchivedRow = { id: string } & Record<string, string | number | Date | null>

export function listArchived(db: Queries, { table, since, until, after, limit }: ArchivePage): Promise<ArchivedRow[]> {
  const { table: from, columns } = TABLES[table]
  const selected = Object.entries(columns).reduce(
    (list, [name, column]) => fragment`${list}, ${column} as ${quoted(name)}`,
    fragment`1 as nothing`,
  )
  return db.query<ArchivedRow>(sql`
    select ${selected} from ${from}, (select ${since}::uuid as since, ${until}::uuid as until) as bounds
    where id >= ${since} and id < ${until} and ${after === null ? fragment`true` : fragment`id > ${after}`}
    order by id limit ${limit}`)
}

/** A column name of this file; a parameter cannot be a name. */
function quoted(name: string): Fragment {
  const strings = Object.assign([`"${name}"`], { raw: [`"${name}"`] })
  return fragment(strings)
}

/** The id of the oldest row of each table that has one. */
export async function findOldest(db: Queries): Promise<{ table: ArchivedTable; id: string }[]> {
  const found = ARCHIVED_TABLES.map(async (table) => {
    const rows = await db.query<{ id: string }>(sql`select id from ${TABLES[table].table} order by id limit 1`)
    return rows.map(({ id }) => ({ table, id }))
  })
  return (await Promise.all(found)).flat()
}
