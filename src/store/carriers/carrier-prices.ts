// Price lists of carriers (D61). A list is always read and replaced as a whole.
import type { CarrierPrice, PriceList } from '../../domain/carriers/carrier-price.ts'
import type { Queries, Tx } from '../database/db.ts'
import { sql } from '../database/sql.ts'

export interface StoredPriceList extends PriceList {
  carrierId: string
  revision: number
  updatedAt: Date
}

interface Row extends Omit<StoredPriceList, 'prices'> {
  prefixes: string[]
  pricesE4: number[]
}

export async function findPrices(db: Queries, carrierId: string): Promise<StoredPriceList | null> {
  const [list] = await listPrices(db, [carrierId])
  return list ?? null
}

export async function listPrices(db: Queries, carrierIds: readonly string[]): Promise<StoredPriceList[]> {
  const rows = await db.query<Row>(sql`
    select carrier_id as "carrierId", revision, currency, prefixes, prices_e4 as "pricesE4", updated_at as "updatedAt"
    from carrier_price_list where carrier_id = any(${carrierIds}::uuid[])`)
  return rows.map(({ prefixes, pricesE4, ...list }) => ({ ...list, prices: toPrices(prefixes, pricesE4) }))
}

export function toPrices(prefixes: readonly string[], pricesE4: readonly number[]): CarrierPrice[] {
  return prefixes.map((prefix, index) => ({ prefix, priceE4: Number(pricesE4[index]) }))
}

/** A cached list is current if its revision is unchanged. */
export function listPriceRevisions(db: Queries): Promise<{ carrierId: string; revision: number }[]> {
  return db.query(sql`select carrier_id as "carrierId", revision from carrier_price_list`)
}

/** The currency of the other carriers' prices, locked until the transaction ends. */
export async function lockPriceCurrency(tx: Tx, exceptCarrierId: string): Promise<string | null> {
  // An advisory lock, because no row exists before the first price.
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('carrier prices', 7))`)
  const rows = await tx.query<{ currency: string }>(sql`
    select currency from carrier_price_list
    where carrier_id <> ${exceptCarrierId} and cardinality(prefixes) > 0 limit 1`)
  return rows[0]?.currency ?? null
}

export async function storePrices(
  tx: Tx,
  { carrierId, currency, prices, now }: PriceList & { carrierId: string; now: Date },
): Promise<void> {
  await tx.query(sql`
    insert into carrier_price_list as known (carrier_id, revision, currency, prefixes, prices_e4, updated_at)
    values (${carrierId}, 1, ${currency}, ${prices.map((it) => it.prefix)}::text[],
      ${prices.map((it) => it.priceE4)}::bigint[], ${now})
    on conflict (carrier_id) do update set revision = known.revision + 1, currency = excluded.currency,
      prefixes = excluded.prefixes, prices_e4 = excluded.prices_e4, updated_at = excluded.updated_at`)
}
