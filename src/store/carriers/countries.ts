// Countries (§2.4): live, coming soon or off.
import type { RoutePolicy } from '../../domain/carriers/routing.ts'
import type { Queries, Tx } from '../database/db.ts'
import { sql } from '../database/sql.ts'

export const COUNTRY_STATES = ['live', 'comingSoon', 'off'] as const
export type CountryState = (typeof COUNTRY_STATES)[number]

export interface Country {
  code: string
  name: string
  state: CountryState
  timeZone: string
  quietFrom: string | null
  quietTo: string | null
  /** D62 */
  policy: RoutePolicy
}

export function listCountries(db: Queries): Promise<Country[]> {
  return db.query<Country>(sql`
    select code, name, state, time_zone as "timeZone", quiet_from as "quietFrom", quiet_to as "quietTo", policy
    from country order by code`)
}

export async function findCountry(db: Queries, code: string): Promise<Country | null> {
  const countries = await listCountries(db)
  return countries.find((country) => country.code === code) ?? null
}

export async function storeCountry(tx: Tx, country: Country): Promise<void> {
  const { code, name, state, timeZone, quietFrom, quietTo, policy } = country
  await tx.query(sql`
    insert into country (code, name, state, time_zone, quiet_from, quiet_to, policy)
    values (${code}, ${name}, ${state}, ${timeZone}, ${quietFrom}, ${quietTo}, ${policy})
    on conflict (code) do update set
      name = excluded.name, state = excluded.state, time_zone = excluded.time_zone,
      quiet_from = excluded.quiet_from, quiet_to = excluded.quiet_to, policy = excluded.policy`)
}

export async function deleteCountry(tx: Tx, code: string): Promise<void> {
  await tx.query(sql`delete from country where code = ${code}`)
}
