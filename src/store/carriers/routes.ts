// Routes: the carrier for each country, prefix and message type.
import type { CarrierPrice } from '../../domain/carriers/carrier-price.ts'
import {
  type CarrierState,
  isWorking,
  type Route,
  type RoutePolicy,
  type WorkingRoute,
} from '../../domain/carriers/routing.ts'
import type { Queries, Tx } from '../database/db.ts'
import { every, fragment, prepared, sql } from '../database/sql.ts'
import { idBelow, type Page } from '../pages.ts'
import { toPrices } from './carrier-prices.ts'

export interface StoredRoute extends Route {
  createdAt: Date
}

const columns = fragment`
  id, country, prefixes, types, carrier_id as "carrierId", priority, overflow, weight, created_at as "createdAt"`

export async function insertRoute(tx: Tx, route: StoredRoute): Promise<void> {
  const { id, country, prefixes, types, carrierId, priority, overflow, weight, createdAt } = route
  await tx.query(sql`
    insert into route (id, country, prefixes, types, carrier_id, priority, overflow, weight, created_at)
    values (${id}, ${country}, ${prefixes}, ${types}, ${carrierId}, ${priority}, ${overflow}, ${weight}, ${createdAt})`)
}

/** A change of country or prefixes has to be applied to the messages already in the queue. */
export async function updateRoute(tx: Tx, route: Route): Promise<void> {
  const { id, country, prefixes, types, carrierId, priority, overflow, weight } = route
  await tx.query(sql`
    update route set country = ${country}, prefixes = ${prefixes}, types = ${types}, carrier_id = ${carrierId},
      priority = ${priority}, overflow = ${overflow}, weight = ${weight},
      is_queue_updated = is_queue_updated and country = ${country} and prefixes = ${prefixes}
    where id = ${id}`)
}

export async function deleteRoute(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`delete from route where id = ${id}`)
}

export async function lockRoute(tx: Tx, id: string): Promise<StoredRoute | null> {
  const rows = await tx.query<StoredRoute>(sql`select ${columns} from route where id = ${id} for no key update`)
  return rows[0] ?? null
}

export function listRoutes(db: Queries, { before, limit }: Page): Promise<StoredRoute[]> {
  return db.query<StoredRoute>(sql`
    select ${columns} from route where ${every([idBelow(before)])}
    order by id desc limit ${limit}`)
}

/** Includes routes to disabled carriers: messages wait for a disabled carrier instead of taking another route. */
export async function listWorkingRoutes(db: Queries, now: Date): Promise<WorkingRoute[]> {
  const rows = await db.query<RouteRow>(sql`
    select route.id, route.country, route.prefixes, route.types, route.carrier_id as "carrierId", route.priority,
      route.overflow, route.weight, country.policy, list.prefixes as "pricePrefixes", list.prices_e4 as "pricesE4",
      carrier.enabled as "isEnabled", binds.bound_until as "boundUntil", binds.last_working_at as "workedAt"
    from route join carrier on carrier.id = route.carrier_id
      left join country on country.code = route.country
      left join carrier_price_list list on list.carrier_id = route.carrier_id and country.policy = 'cheapest'
      cross join lateral (
        select max(bind.leased_until) filter (where bind.is_working) as bound_until, max(bind.last_working_at) as last_working_at
        from carrier_bind bind where bind.carrier_id = route.carrier_id and bind.mode <> 'receiver'
      ) as binds
    order by route.id`)
  // Routes to one carrier share one array, because results are cached by array.
  const lists = new Map<string, CarrierPrice[]>()
  return rows.map(({ isEnabled, boundUntil, policy, pricePrefixes, pricesE4, ...route }) => ({
    ...route,
    policy: policy ?? 'weighted',
    prices: lists.getOrInsertComputed(`${route.carrierId} ${policy}`, () =>
      toPrices(pricePrefixes ?? [], pricesE4 ?? []),
    ),
    isWorking: isWorking({ isEnabled, boundUntil }, now),
  }))
}

interface RouteRow extends Omit<Route, 'policy' | 'prices'>, CarrierState {
  workedAt: Date | null
  policy: RoutePolicy | null
  pricePrefixes: string[] | null
  pricesE4: number[] | null
}

/** Routes whose prefixes are not yet applied to the messages in the queue. */
export function listUnappliedRoutes(db: Queries): Promise<StoredRoute[]> {
  return db.query<StoredRoute>(prepared(sql`select ${columns} from route where not is_queue_updated order by id`))
}

/** Only if country and prefixes are unchanged since they were applied. */
export async function markRouteApplied(tx: Tx, { id, country, prefixes }: Route): Promise<void> {
  await tx.query(sql`
    update route set is_queue_updated = true where id = ${id} and country = ${country} and prefixes = ${prefixes}`)
}
