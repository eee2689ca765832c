// The append-only ledger (D8): entries are added together with the balance they lead to, never one without the other.
import type { Account, Entry } from '../domain/account.ts'
import type { Ids } from '../runtime/ids.ts'
import type { Queries, Tx } from './db.ts'
import { every, part, sql } from './sql.ts'
import type { Page } from './workspaces.ts'

export interface LedgerEntry extends Entry {
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
      last_entry_id = coalesce(a.last_entry_id, workspace.last_entry_id)
    from unnest(
      ${accounts.map((account) => account.workspaceId)}::uuid[], ${accounts.map((account) => account.balanceE4)}::bigint[],
      ${accounts.map((account) => account.period)}::date[], ${accounts.map((account) => account.periodEndsAt)}::timestamptz[],
      ${accounts.map((account) => lastIds.get(account.workspaceId) ?? null)}::uuid[]
    ) a (id, balance_e4, period, period_ends_at, last_entry_id)
    where workspace.id = a.id`)
}

export function listEntries(db: Queries, { workspaceId, before, limit }: Page & { workspaceId: string }) {
  return db.query<LedgerEntry>(sql`
    select id, workspace_id as "workspaceId", period, kind, amount_e4 as "amountE4", balance_e4 as "balanceE4",
      message_id as "messageId", messages, note, at
    from ledger_entry
    where ${every([part`workspace_id = ${workspaceId}`, before === null ? null : part`id < ${before}`])}
    order by id desc limit ${limit}`)
}
