// Carrier costs, summed by day, client, message type and country. Only operators see them.
import type { CarrierCost, Charge } from '../../domain/carriers/carrier-cost.ts'
import type { Queries, Tx } from '../database/db.ts'
import { sql } from '../database/sql.ts'
import type { DayRange } from '../workspaces/usage.ts'

/** Time zone and billing period of each message. */
export function listCharges(tx: Tx, messageIds: string[]): Promise<Charge[]> {
  return tx.query<Charge>(sql`
    select message.id as "messageId", workspace.time_zone as "timeZone", entry.period
    from message join workspace on workspace.id = message.workspace_id
      left join ledger_entry entry on entry.workspace_id = message.workspace_id and entry.id = message.reservation_id
    where message.id = any(${messageIds}::uuid[])`)
}

export async function addCarrierCosts(tx: Tx, costs: CarrierCost[]): Promise<void> {
  if (costs.length === 0) return
  await tx.query(sql`
    insert into carrier_cost_day as known (workspace_id, client_id, day, type, country, segments, cost_e4)
    select * from unnest(
      ${costs.map((it) => it.workspaceId)}::uuid[], ${costs.map((it) => it.clientId)}::uuid[],
      ${costs.map((it) => it.day)}::date[], ${costs.map((it) => it.type)}::text[],
      ${costs.map((it) => it.country)}::text[], ${costs.map((it) => it.segments)}::bigint[], ${costs.map((it) => it.costE4)}::bigint[])
    on conflict (client_id, day, type, country) do update set
      segments = known.segments + excluded.segments, cost_e4 = known.cost_e4 + excluded.cost_e4`)
}

/** In no particular order. */
export function listCarrierCosts(db: Queries, { workspaceId, from, to }: DayRange): Promise<CarrierCost[]> {
  return db.query<CarrierCost>(sql`
    select workspace_id as "workspaceId", client_id as "clientId", day, type, country, segments, cost_e4 as "costE4"
    from carrier_cost_day where workspace_id = ${workspaceId} and day between ${from} and ${to}`)
}
