// The search of the console: by name, by id and by number. Every query uses an index, or reads a bounded number of rows.
import type { Queries } from '../database/db.ts'
import { type Fragment, fragment, sql } from '../database/sql.ts'
import { MAX_ROWS_SCANNED } from '../pages.ts'
import type { NAMED_KINDS } from './names.ts'

type NamedKind = (typeof NAMED_KINDS)[number]

/** `within` is the only workspace that the caller may see, or null for any. */
interface Scope {
  within: string | null
}

interface FoundByName {
  id: string
  name: string
  /** null for a carrier. */
  workspaceId: string | null
}

/** A carrier belongs to no workspace. */
const workspaceOf: Record<NamedKind, Fragment> = {
  workspace: fragment`id`,
  client: fragment`workspace_id`,
  template: fragment`workspace_id`,
  carrier: fragment`null::uuid`,
}

const tableOf: Record<NamedKind, Fragment> = {
  workspace: fragment`workspace`,
  client: fragment`client`,
  template: fragment`template`,
  carrier: fragment`carrier`,
}

function ofWorkspace(kind: NamedKind, within: string | null): Fragment {
  return within === null ? fragment`true` : fragment`${workspaceOf[kind]} = ${within}`
}

/** Records with a word that begins with the text; names that begin with it first. Reads the latest MAX_ROWS_SCANNED records. */
export function findByWord(
  db: Queries,
  { kind, text, within, limit }: Scope & { kind: NamedKind; text: string; limit: number },
): Promise<FoundByName[]> {
  const sought = text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')
  return db.query<FoundByName>(sql`
    select id, name, "workspaceId" from (
      select id, name, ${workspaceOf[kind]} as "workspaceId" from ${tableOf[kind]} where ${ofWorkspace(kind, within)}
      order by id desc limit ${MAX_ROWS_SCANNED}
    ) as latest
    where lower(name) like ${`${sought}%`} or lower(name) like ${`% ${sought}%`}
    order by lower(name) like ${`${sought}%`} desc, id desc limit ${limit}`)
}

export function findById(
  db: Queries,
  { kind, id, within }: Scope & { kind: NamedKind; id: string },
): Promise<FoundByName[]> {
  return db.query<FoundByName>(sql`
    select id, name, ${workspaceOf[kind]} as "workspaceId" from ${tableOf[kind]}
    where id = ${id} and ${ofWorkspace(kind, within)}`)
}

/** Ids of the latest messages to a number, by the index of numbers. Reads the latest MAX_ROWS_SCANNED messages to it. */
export async function findMessagesTo(
  db: Queries,
  { number, within, limit }: Scope & { number: string; limit: number },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from (
      select id, workspace_id from message where to_number = ${number} order by id desc limit ${MAX_ROWS_SCANNED}
    ) as latest
    where ${within === null ? fragment`true` : fragment`workspace_id = ${within}`} order by id desc limit ${limit}`)
  return rows.map(({ id }) => id)
}
