// The append-only ledger (D8). Entries and the resulting balance are stored in one statement.
import { MAX_ACCEPT_MS } from '../../domain/messages/lifetime.ts'
import type { Account, EntryKind, UnstoredEntry } from '../../domain/workspaces/account.ts'
import { type Ids, lowestIdOf } from '../../runtime/ids.ts'
import type { Queries, Tx } from '../database/db.ts'
import { every, fragment, sql, unionAll } from '../database/sql.ts'
import { findScanEnd, idBelow, idFrom, type Page, type ScannedPage } from '../pages.ts'

export interface LedgerEntry extends UnstoredEntry {
  id: string
  at: Date
}

/** Stores the new entries and balances of locked accounts. */
export async function storeAccounts(
  tx: Tx,
  { accounts, ids, now }: { accounts: Account[]; ids: Ids; now: Date },
): Promise<void> {
  await storeEntries(tx, { accounts, entries: numberEntries(accounts, ids, now) })
}

/** Assigns ids before the entries are stored. Ids of a workspace ascend in entry order, even across processes with different clocks. */
export function numberEntries(accounts: Account[], ids: Ids, now: Date): LedgerEntry[] {
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
  /** Empty: any kind. */
  kinds: readonly EntryKind[]
  since: Date | null
  until: Date | null
}

/**
 * Newest first. Ids are in time order, so dates narrow the scan. An index covers every kind except reservations, which are nearly all
 * entries: a filter that includes reservations among other kinds is checked row by row up to the page's scan limit.
 */
export async function listEntries(db: Queries, filter: EntryFilter): Promise<ScannedPage<LedgerEntry>> {
  const { workspaceId, kinds, since, until, before, limit } = filter
  const ofWorkspace = fragment`workspace_id = ${workspaceId}`
  const isRare = kinds.length > 0 && !kinds.includes('reservation')
  const drivers = isRare
    ? kinds.map((kind) => fragment`${ofWorkspace} and kind = ${kind} and kind <> 'reservation'`)
    : [ofWorkspace]
  const range = every([
    since === null ? null : fragment`id >= ${idAt(since, -MAX_ACCEPT_MS)} and at >= ${since}`,
    until === null ? null : fragment`id < ${idAt(until, MAX_ACCEPT_MS)} and at < ${until}`,
    idBelow(before),
  ])
  const filters = [kinds.length === 0 || isRare ? null : fragment`kind = any(${kinds})`]
  const scannedTo = await findScanEnd(db, {
    table: fragment`ledger_entry`,
    range: every([ofWorkspace, range]),
    filters,
  })
  const within = every([range, ...filters, idFrom(scannedTo)])
  const rows = await db.query<LedgerEntry>(sql`
    select * from (${unionAll(
      drivers.map(
        (it) => fragment`select ${columns} from ledger_entry where ${it} and ${within} order by id desc limit ${limit}`,
      ),
    )}) as found order by id desc limit ${limit}`)
  return { rows, scannedTo }
}

/** Oldest first: the entries of a period after the entry `after`. */
export function listEntriesInOrder(
  db: Queries,
  filter: { workspaceId: string; since: Date; until: Date; after: string | null; limit: number },
): Promise<LedgerEntry[]> {
  const { workspaceId, since, until, after, limit } = filter
  return db.query<LedgerEntry>(sql`
    select ${columns} from ledger_entry
    where workspace_id = ${workspaceId} and at >= ${since} and at < ${until}
      and id >= ${idAt(since, -MAX_ACCEPT_MS)} and id < ${idAt(until, MAX_ACCEPT_MS)}
      and (${after}::uuid is null or id > ${after})
    order by id limit ${limit}`)
}

const columns = fragment`
  id, workspace_id as "workspaceId", period, kind, amount_e4 as "amountE4", balance_e4 as "balanceE4",
  message_id as "messageId", messages, note, at`

function idAt(at: Date, ms: number): string {
  return lowestIdOf(new Date(at.getTime() + ms))
}
