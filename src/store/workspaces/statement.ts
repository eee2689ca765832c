// Reads what a monthly statement consists of, in one statement and so as of one moment.
import { MAX_ACCEPT_MS } from '../../domain/messages/lifetime.ts'
import type { EntryKind } from '../../domain/workspaces/account.ts'
import type { StatementFacts } from '../../domain/workspaces/statement.ts'
import { lowestIdOf } from '../../runtime/ids.ts'
import type { Queries } from '../database/db.ts'
import { fragment, sql } from '../database/sql.ts'

/** Further top-ups are only counted and added up. */
const MAX_TOP_UPS_LISTED = 100

interface Month {
  workspaceId: string
  /** First and last day. */
  from: string
  to: string
  startsAt: Date
}

/** Reservations and refunds come from the usage by day, which adds up to them (D10); an index has the other kinds. */
export async function loadStatement(
  db: Queries,
  { workspaceId, from, to, startsAt }: Month,
): Promise<StatementFacts | null> {
  const lowestId = lowestIdOf(new Date(startsAt.getTime() - MAX_ACCEPT_MS))
  const entriesOf = (kind: EntryKind) => fragment`
    from ledger_entry where workspace_id = ${workspaceId} and kind = ${kind} and kind <> 'reservation'
      and id >= ${lowestId} and period = ${from}`
  const total = fragment`coalesce(sum(amount_e4), 0)::bigint`
  const [row] = await db.query<Omit<StatementFacts, 'account' | 'listedTopUps'> & Row>(sql`
    with top_up as materialized (select id, at, amount_e4, note ${entriesOf('topUp')}),
      expired as materialized (select message_id, amount_e4 ${entriesOf('expiry')})
    select ${from} as period,
      (select ${total} ${entriesOf('grant')}) as "grantE4",
      (select ${total} from top_up) as "topUpE4", (select count(*) from top_up) as "topUps",
      (select coalesce(json_agg(json_build_object('at', at, 'amountE4', amount_e4, 'note', note) order by id), '[]')
        from (select * from top_up order by id limit ${MAX_TOP_UPS_LISTED}) as listed) as "listedTopUps",
      (select ${total} from expired where message_id is null) as "expiredE4",
      (select ${total} from expired where message_id is not null) as "lateExpiredE4",
      (select coalesce(json_agg(json_build_object(
          'clientId', client_id, 'name', name, 'type', type, 'messages', messages, 'segments', segments,
          'costE4', cost_e4, 'refunds', refunds, 'refundedE4', refunded_e4) order by name, client_id, type), '[]')
        from (
          select client_id, client.name, type, sum(messages)::bigint as messages, sum(segments)::bigint as segments,
            sum(cost_e4)::bigint as cost_e4, sum(refunds)::bigint as refunds, sum(refunded_e4)::bigint as refunded_e4
          from usage_day join client on client.id = client_id
          where usage_day.workspace_id = ${workspaceId} and day between ${from} and ${to}
          group by client_id, client.name, type
        ) as summed) as usage,
      json_build_object('workspaceId', id, 'timeZone', time_zone, 'monthlyCreditE4', monthly_credit_e4, 'balanceE4', balance_e4,
        'period', period, 'periodEndsAt', period_ends_at, 'lastEntryId', last_ledger_entry_id) as account
    from workspace where id = ${workspaceId}`)
  if (!row) return null
  const { account, listedTopUps, ...facts } = row
  return {
    ...facts,
    account: { ...account, periodEndsAt: new Date(account.periodEndsAt) },
    listedTopUps: listedTopUps.map((it) => ({ ...it, at: new Date(it.at) })),
  }
}

/** JSON has times as text. */
interface Row {
  account: Omit<StatementFacts['account'], 'periodEndsAt'> & { periodEndsAt: string }
  listedTopUps: (Omit<StatementFacts['listedTopUps'][number], 'at'> & { at: string })[]
}
