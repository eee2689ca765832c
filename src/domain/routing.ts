// Which carrier takes a message: the routes of its country, longest prefix first, then priority; the next one when one
// is down. Messages wait in the queue under a destination, so that work for one carrier is found without looking at the rest.
import { isLeased } from './lease.ts'
import type { MessageType } from './message-type.ts'

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
  /** Some process has its carrier bound, and may submit. */
  isWorking: boolean
  /** When one last had. */
  workedAt: Date | null
}

/** A carrier, as far as it tells whether messages can go to it now. */
export interface CarrierState {
  isEnabled: boolean
  /** Until when some process has a bind to it that may submit; null where none has. */
  boundUntil: Date | null
}

export function isWorking({ isEnabled, boundUntil }: CarrierState, now: Date): boolean {
  return isEnabled && isLeased(boundUntil, now)
}

/** Where a message goes: its country, and the longest prefix that any route of that country names. Its name is `NP` or `NP+97798`. */
export interface Destination {
  country: string
  prefix: string
}

export function nameOfDestination({ country, prefix }: Destination): string {
  return `${country}${prefix}`
}

export function destinationNamed(name: string): Destination {
  return { country: name.slice(0, 2), prefix: name.slice(2) }
}

export function destinationOf(routes: readonly Route[], { country, to }: { country: string; to: string }): Destination {
  const named = routes.filter((route) => route.country === country).flatMap((route) => route.prefixes)
  const prefix = longest(named.filter((candidate) => to.startsWith(candidate)))
  return { country, prefix }
}

/** The carriers that may take a message of this type there, in the order they shall be asked. */
export function carriersFor(
  routes: readonly Route[],
  { country, prefix }: Destination,
  { type, avoidCarrierId = null }: { type: MessageType; avoidCarrierId?: string | null },
): string[] {
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

/** A place in the queue: under which messages wait that the same carriers may take, in the same order. */
export interface Place {
  /** The name of one. */
  destination: string
  /** After a refusal for now: others shall be tried before this one. */
  avoidCarrierId: string | null
  priority: number
}

/** What this carrier shall claim of the places where messages wait: those where it is the first of the carriers that work. */
export function placesOf(
  carrierId: string,
  facts: { routes: readonly Route[]; places: readonly Place[]; isWorking: (carrierId: string) => boolean },
): Place[] {
  return facts.places.filter(({ destination, avoidCarrierId, priority }) => {
    const inOrder = carriersFor(facts.routes, destinationNamed(destination), { type: typeOf(priority), avoidCarrierId })
    return inOrder.find(facts.isWorking) === carrierId
  })
}

/** D16: otp before transactional before promotional. */
const BY_PRIORITY = ['otp', 'transactional', 'promotional'] as const satisfies MessageType[]

export function priorityOf(type: MessageType): number {
  return BY_PRIORITY.indexOf(type)
}

export function typeOf(priority: number): MessageType {
  const type = BY_PRIORITY[priority]
  if (!type) throw new RangeError('there are three priorities')
  return type
}

function longest(texts: string[]): string {
  return texts.reduce((best, text) => (text.length > best.length ? text : best), '')
}
