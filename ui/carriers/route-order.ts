// The order in which the carriers of a country are tried. The service decides by the same rules; a test compares both.
import type { Country, Route } from '../api/calls.ts'

export const ALL_COUNTRIES = '*'

export type OrderedRoute = Pick<Route, 'id' | 'country' | 'prefixes' | 'types' | 'carrierId' | 'priority' | 'weight'>

export interface Place<Of extends OrderedRoute> {
  route: Of
  /** 1 is tried first; routes that share traffic have the same rank. */
  rank: number
  /** The share of the traffic of its rank, or null where one route has all of it. */
  share: number | null
}

interface Destination {
  country: string
  /** The beginning of a number; empty for the whole country. */
  prefix: string
  policy: Country['policy']
}

/** The routes for a destination in order. With the policy `cheapest` the price comes first, which is not known here. */
export function orderRoutes<Of extends OrderedRoute>(routes: readonly Of[], destination: Destination): Place<Of>[] {
  const { country, prefix, policy } = destination
  const serving = routes.flatMap((route) => {
    if (route.country !== country && route.country !== ALL_COUNTRIES) return []
    const matched = matchedLength(route, prefix)
    return matched === null ? [] : [{ route, matched }]
  })
  const own = serving.filter(({ route }) => route.country === country)
  const inOrder = (own.length > 0 ? own : serving).sort(
    (one, other) =>
      other.matched - one.matched ||
      one.route.priority - other.route.priority ||
      Number(one.route.weight === 0) - Number(other.route.weight === 0) ||
      (one.route.id < other.route.id ? -1 : 1),
  )
  let rank = 0
  return inOrder.map((it) => {
    const sharing = inOrder.filter((other) => areSharing(it, other, policy))
    if (sharing[0] === it || sharing.length < 2) rank += 1
    const sum = sharing.reduce((total, { route }) => total + route.weight, 0)
    return { route: it.route, rank, share: sharing.length < 2 ? null : it.route.weight / sum }
  })
}

/** The routes of the country for other numbers than those of the prefix. */
export function countOthers(routes: readonly OrderedRoute[], { country, prefix }: Omit<Destination, 'policy'>): number {
  return routes.filter((route) => route.country === country && matchedLength(route, prefix) === null).length
}

interface Matched {
  route: OrderedRoute
  matched: number
}

function areSharing(one: Matched, other: Matched, policy: Country['policy']): boolean {
  if (policy === 'priority') return one === other
  const isSameRank = one.matched === other.matched && one.route.priority === other.route.priority
  return isSameRank && one.route.weight > 0 && other.route.weight > 0
}

/** The length of the longest prefix of the route that the number begins with, or null where none does. */
function matchedLength({ prefixes }: OrderedRoute, number: string): number | null {
  if (prefixes.length === 0) return 0
  const lengths = prefixes.filter((prefix) => number.startsWith(prefix)).map((prefix) => prefix.length)
  return lengths.length === 0 ? null : Math.max(...lengths)
}
