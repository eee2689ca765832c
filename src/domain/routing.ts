// Which carrier takes a message: the routes of its country, longest prefix first, then priority; the next one when one
// is down. Messages wait in the queue under a destination, so that work for one carrier is found without looking at the rest.
import { MESSAGE_TYPES, type MessageType } from './message-type.ts'

export interface Route {
  id: string
  /** '*' serves what no route of the country itself does. */
  country: string
  /** Beginnings of E.164 numbers; none is the whole country. */
  prefixes: string[]
  /** null is every type. */
  types: MessageType[] | null
  carrierId: string
  priority: number
}

export interface WorkingRoute extends Route {
  /** Its carrier works, for some process that has it bound. */
  isWorking: boolean
  /** When it last did, or might have. */
  workedAt: Date | null
}

/**
 * The name a message is queued under: its country, the longest prefix that any route of that country names, and after a
 * refusal for now the carrier that others shall be tried before: `NP`, `NP+97798`, `NP+97798~<carrier>`.
 */
export interface Destination {
  country: string
  prefix: string
  avoidCarrierId: string | null
}

export function formatDestination({ country, prefix, avoidCarrierId }: Destination): string {
  return `${country}${prefix}${avoidCarrierId === null ? '' : `~${avoidCarrierId}`}`
}

export function parseDestination(text: string): Destination {
  const [place = '', avoidCarrierId = null] = text.split('~')
  return { country: place.slice(0, 2), prefix: place.slice(2), avoidCarrierId }
}

export function destinationOf(routes: readonly Route[], { country, to }: { country: string; to: string }): Destination {
  const named = routes.filter((route) => route.country === country).flatMap((route) => route.prefixes)
  const prefix = longest(named.filter((candidate) => to.startsWith(candidate)))
  return { country, prefix, avoidCarrierId: null }
}

/** The carriers that may take a message of this type there, in the order they shall be asked. */
export function carriersFor(routes: readonly Route[], destination: Destination, type: MessageType): string[] {
  const { country, prefix, avoidCarrierId } = destination
  const serving = routes.flatMap((route) => {
    if (route.country !== country && route.country !== '*') return []
    if (route.types && !route.types.includes(type)) return []
    if (route.prefixes.length === 0) return [{ route, matched: '' }]
    const matches = route.prefixes.filter((candidate) => prefix.startsWith(candidate))
    return matches.length > 0 ? [{ route, matched: longest(matches) }] : []
  })
  // A catch-all is no stand-in for a carrier that is down: it may be the simulator, where messages go nowhere.
  const own = serving.filter(({ route }) => route.country === country)
  const inOrder = (own.length > 0 ? own : serving).sort(
    (one, other) =>
      other.matched.length - one.matched.length ||
      one.route.priority - other.route.priority ||
      (one.route.id < other.route.id ? -1 : 1),
  )
  const carrierIds = [...new Set(inOrder.map(({ route }) => route.carrierId))]
  // Others first, but better this one than none.
  return avoidCarrierId === null || !carrierIds.includes(avoidCarrierId)
    ? carrierIds
    : [...carrierIds.filter((id) => id !== avoidCarrierId), avoidCarrierId]
}

/** A place in the queue to claim from. */
export interface Work {
  destination: string
  lane: number
}

/** What this carrier shall claim if it works: every place where it is then the first of those that do. */
export function workOf(
  carrierId: string,
  facts: { routes: readonly Route[]; destinations: readonly string[]; isWorking: (carrierId: string) => boolean },
): Work[] {
  const mayServe = (id: string) => id === carrierId || facts.isWorking(id)
  return facts.destinations.flatMap((destination) => {
    const place = parseDestination(destination)
    const types = MESSAGE_TYPES.filter((type) => carriersFor(facts.routes, place, type).find(mayServe) === carrierId)
    return types.map((type) => ({ destination, lane: laneOf(type) }))
  })
}

/** Every name that accepting a message or a retry may give today. */
export function nameDestinations(routes: readonly Route[], countries: readonly string[]): string[] {
  const names = new Set<string>()
  for (const country of countries) {
    const own = routes.filter((route) => route.country === country || route.country === '*')
    const carrierIds = [...new Set(own.map((route) => route.carrierId)), null]
    for (const prefix of ['', ...own.flatMap((route) => route.prefixes)]) {
      for (const avoidCarrierId of carrierIds) names.add(formatDestination({ country, prefix, avoidCarrierId }))
    }
  }
  return [...names].sort()
}

/** D16: otp before transactional before promotional. */
export function laneOf(type: MessageType): number {
  return { otp: 0, transactional: 1, promotional: 2 }[type]
}

function longest(texts: string[]): string {
  return texts.reduce((best, text) => (text.length > best.length ? text : best), '')
}
