// The live destinations of a carrier: the numbers that only this carrier reaches, and the numbers that other carriers also reach.
import { carriersFor, type Route } from '../carriers/routing.ts'
import { MESSAGE_TYPES, type MessageType } from '../message-type.ts'

/** Prefixes listed per group; a route may have a thousand. */
export const MAX_PREFIXES_SHOWN = 20

export interface NamedItem {
  id: string
  name: string
}

/** Numbers of one country. */
interface NumberGroup {
  countryCode: string
  countryName: string
  /** Empty for the whole country; the first ones if there are many. */
  prefixes: string[]
  prefixCount: number
  /** null is every type. */
  types: MessageType[] | null
}

export interface LostNumbers extends NumberGroup {
  /** False if a working carrier still serves some numbers or types of the country. */
  isWholeCountry: boolean
  /** Whether no other carrier has a route for these numbers. */
  isOnlyCarrier: boolean
}

export interface CoveredNumbers extends NumberGroup {
  carriers: NamedItem[]
}

export interface CarrierReach {
  /** No working carrier has a route for these numbers. */
  lost: LostNumbers[]
  /** Another working carrier has a route for these numbers. */
  covered: CoveredNumbers[]
}

export interface RoutingFacts {
  routes: readonly Route[]
  liveCountries: readonly { code: string; name: string }[]
  /** Carriers that are enabled and accept messages. */
  working: readonly NamedItem[]
}

/** The live destinations of a carrier's routes. */
export function reachOf(carrierId: string, facts: RoutingFacts): CarrierReach {
  const reaches = facts.liveCountries.map((country) => reachInCountry(carrierId, country, facts))
  return { lost: reaches.flatMap((it) => it.lost), covered: reaches.flatMap((it) => it.covered) }
}

/** Prefixes with the same remaining carriers and types are one group. */
function reachInCountry(
  carrierId: string,
  { code, name }: RoutingFacts['liveCountries'][number],
  { routes, working }: RoutingFacts,
): CarrierReach {
  const serving = routes.filter(({ country }) => country === code || country === '*')
  const own = serving.filter((route) => route.carrierId === carrierId)
  const prefixes = new Set(own.flatMap((route) => (route.prefixes.length === 0 ? [''] : route.prefixes)))
  const groups = new Map<string, { prefixes: string[]; types: MessageType[]; left: string[]; isOnlyCarrier: boolean }>()
  for (const prefix of prefixes) {
    const states = MESSAGE_TYPES.flatMap((type) => {
      const carrierIds = carriersFor(serving, { country: code, prefix }, { type })
      const left = carrierIds.filter((id) => working.some((it) => it.id === id))
      return carrierIds.includes(carrierId) ? [{ type, left, isOnlyCarrier: carrierIds.length === 1 }] : []
    })
    for (const [key, same] of Map.groupBy(states, ({ left, isOnlyCarrier }) => `${left.join()} ${isOnlyCarrier}`)) {
      const types = same.map(({ type }) => type)
      const { left = [], isOnlyCarrier = false } = same[0] ?? {}
      groups
        .getOrInsertComputed(`${key} ${types}`, () => ({ prefixes: [], types, left, isOnlyCarrier }))
        .prefixes.push(prefix)
    }
  }
  const isServedInPart = serving.some(
    (route) => working.some(({ id }) => id === route.carrierId) && route.country === code,
  )
  const found = [...groups.values()].map(({ prefixes: all, types, left, isOnlyCarrier }) => {
    const named = all.filter((prefix) => prefix !== '').sort()
    const isAll = all.includes('')
    const shown = isAll ? [] : named.slice(0, MAX_PREFIXES_SHOWN)
    const isEveryType = types.length === MESSAGE_TYPES.length
    const numbers = {
      ...{ countryCode: code, countryName: name, prefixes: shown, prefixCount: isAll ? 0 : named.length },
      types: isEveryType ? null : types,
    }
    return { numbers, left, isOnlyCarrier, isWholeCountry: isAll && isEveryType && !isServedInPart }
  })
  return {
    lost: found
      .filter(({ left }) => left.length === 0)
      .map(({ numbers, isWholeCountry, isOnlyCarrier }) => ({ ...numbers, isWholeCountry, isOnlyCarrier })),
    covered: found
      .filter(({ left }) => left.length > 0)
      .map(({ numbers, left }) => ({ ...numbers, carriers: working.filter(({ id }) => left.includes(id)) })),
  }
}
