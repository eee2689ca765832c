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

/** What happened, with ids: for whoever must know them before they are stored. */
export function entriesOf(accounts: Account[], ids: Ids, now: Date): LedgerEntry[] {
  return accounts.flatMap((account) => account.entries.map((entry) => ({ ...entry, id: ids.next(), at: now })))
}

export async function storeEntries(
  tx: Tx,
  { accounts, entries }: { accounts: Account[]; entries: LedgerEntry[] },
): Promise<void> {
  if (accounts.length === 0) return
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
    update workspace set balance_e4 = a.balance_e4, period = a.period, period_ends_at = a.period_ends_at
    from unnest(
      ${accounts.map((account) => account.workspaceId)}::uuid[], ${accounts.map((account) => account.balanceE4)}::bigint[],
      ${accounts.map((account) => account.period)}::date[], ${accounts.map((account) => account.periodEndsAt)}::timestamptz[]
    ) a (id, balance_e4, period, period_ends_at)
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
