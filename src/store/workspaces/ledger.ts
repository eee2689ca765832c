// The append-only ledger (D8): entries are added together with the balance they lead to, never one without the other.

import { LONGEST_ACCEPT_MS } from '../../domain/messages/lifetime.ts'
import type { Account, EntryKind, UnstoredEntry } from '../../domain/workspaces/account.ts'
import { type Ids, lowestIdOf } from '../../runtime/ids.ts'
import type { Queries, Tx } from '../database/db.ts'
import { every, type Fragment, part, sql, unionAll } from '../database/sql.ts'
import { MOST_LOOKED_AT, type Page, type Walked } from './workspaces.ts'

export interface LedgerEntry extends UnstoredEntry {
  id: string
  at: Date
}

/** Stores what happened on locked accounts since they were loaded. */
export async function storeAccounts(
  tx: Tx,
  { accounts, ids, now }: { accounts: Account[]; ids: Ids; now: Date },
): Promise<void> {
  await storeEntries(tx, { accounts, entries: entriesOf(accounts, ids, now) })
}

/**
 * What happened, with ids: for whoever must know them before they are stored. Those of a workspace rise in the order of its entries,
 * also where processes whose clocks differ take turns.
 */
export function entriesOf(accounts: Account[], ids: Ids, now: Date): LedgerEntry[] {
  return accounts.flatMap((account) => {
    let last = account.lastEntryId
    return account.entries.map((entry) => {
      last = ids.nextAbove(last)
      return { ...entry, id: last, at: now }
    })
  })
}

export async function storeEntries(
  tx: Tx,
  { accounts, entries }: { accounts: Account[]; entries: LedgerEntry[] },
): Promise<void> {
  if (accounts.length === 0) return
  const lastIds = new Map(entries.map((entry) => [entry.workspaceId, entry.id]))
  await tx.query(sql`
    with entries as (
      insert into ledger_entry (workspace_id, id, period, kind, amount_e4, balance_e4, message_id, messages, note, at)
      select
        unnest(${entries.map((entry) => entry.workspaceId)}::uuid[]), unnest(${entries.map((entry) => entry.id)}::uuid[]),
        unnest(${entries.map((entry) => entry.period)}::date[]), unnest(${entries.map((entry) => entry.kind)}::text[]),
        unnest(${entries.map((entry) => entry.amountE4)}::bigint[]), unnest(${entries.map((entry) => entry.balanceE4)}::bigint[]),
        unnest(${entries.map((entry) => entry.messageId)}::uuid[]), unnest(${entries.map((entry) => entry.messages)}::int[]),
        unnest(${entries.map((entry) => entry.note)}::text[]), unnest(${entries.map((entry) => entry.at)}::timestamptz[])
    )
    update workspace set balance_e4 = a.balance_e4, period = a.period, period_ends_at = a.period_ends_at,
      last_ledger_entry_id = coalesce(a.last_ledger_entry_id, workspace.last_ledger_entry_id)
    from unnest(
      ${accounts.map((account) => account.workspaceId)}::uuid[], ${accounts.map((account) => account.balanceE4)}::bigint[],
      ${accounts.map((account) => account.period)}::date[], ${accounts.map((account) => account.periodEndsAt)}::timestamptz[],
      ${accounts.map((account) => lastIds.get(account.workspaceId) ?? null)}::uuid[]
    ) a (id, balance_e4, period, period_ends_at, last_ledger_entry_id)
    where workspace.id = a.id`)
}

interface EntryFilter extends Page {
  workspaceId: string
  /** Any of these; none is all. */
  kinds: readonly EntryKind[]
  since: Date | null
  until: Date | null
}

/**
 * Newest first. Ids are in the order of time, so that dates narrow the walk by ids. Each kind has an index but for reservations, which
 * nearly all entries are: with those among others, what is no such kind is looked at row by row, and no more rows than a page may.
 */
export async function listEntries(db: Queries, filter: EntryFilter): Promise<Walked<LedgerEntry>> {
  const { workspaceId, kinds, since, until, before, limit } = filter
  const ofWorkspace = part`workspace_id = ${workspaceId}`
  const isRare = kinds.length > 0 && !kinds.includes('reservation')
  const drivers = isRare
    ? kinds.map((kind) => part`${ofWorkspace} and kind = ${kind} and kind <> 'reservation'`)
    : [ofWorkspace]
  const range = every([
    since === null ? null : part`id >= ${idAt(since, -LONGEST_ACCEPT_MS)} and at >= ${since}`,
    until === null ? null : part`id < ${idAt(until, LONGEST_ACCEPT_MS)} and at < ${until}`,
    before === null ? null : part`id < ${before}`,
  ])
  const isWalked = kinds.length > 0 && !isRare
  const lookedTo = isWalked ? await farEnd(db, { ofWorkspace, range }) : null
  const within = every([
    range,
    isWalked ? part`kind = any(${kinds})` : null,
    lookedTo === null ? null : part`id >= ${lookedTo}`,
  ])
  const rows = await db.query<LedgerEntry>(sql`
    select * from (${unionAll(
      drivers.map(
        (it) => part`select ${columns} from ledger_entry where ${it} and ${within} order by id desc limit ${limit}`,
      ),
    )}) as found order by id desc limit ${limit}`)
  return { rows, lookedTo }
}

const columns = part`
  id, workspace_id as "workspaceId", period, kind, amount_e4 as "amountE4", balance_e4 as "balanceE4",
  message_id as "messageId", messages, note, at`

/** The last entry that a page looks at, where there are more than it may. */
async function farEnd(
  db: Queries,
  { ofWorkspace, range }: { ofWorkspace: Fragment; range: Fragment },
): Promise<string | null> {
  const [end] = await db.query<{ id: string }>(sql`
    select id from ledger_entry where ${ofWorkspace} and ${range} order by id desc offset ${MOST_LOOKED_AT - 1} limit 1`)
  return end?.id ?? null
}

function idAt(at: Date, ms: number): string {
  return lowestIdOf(new Date(at.getTime() + ms))
}
