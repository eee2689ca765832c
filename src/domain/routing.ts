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
  /** What its carrier, at its rate, has no room for goes to the next. */
  overflow: boolean
  /** Its part of what routes of equal priority serve; one of 0 stands by. */
  weight: number
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
  const own = routes.filter((route) => route.country === country)
  const prefix = longest(own.map((route) => longestPrefix(route.prefixes, to) ?? ''))
  return { country, prefix, avoidCarrierId: null }
}

/** The carriers that may take a message of this type there, in the order they shall be asked. */
export function carriersFor(routes: readonly Route[], destination: Destination, type: MessageType): string[] {
  return servingRoutes(routes, destination, type).map(({ route }) => route.carrierId)
}

interface ServingRoute {
  route: Route
  /** The prefix by which it serves; empty for the whole country. */
  matched: string
}

/** One for each carrier, in the order they shall be asked. */
function servingRoutes(routes: readonly Route[], destination: Destination, type: MessageType): ServingRoute[] {
  const { country, prefix, avoidCarrierId } = destination
  const serving = routes.flatMap((route) => {
    if (route.country !== country && route.country !== '*') return []
    if (route.types && !route.types.includes(type)) return []
    const matched = route.prefixes.length === 0 ? '' : longestPrefix(route.prefixes, prefix)
    return matched === undefined ? [] : [{ route, matched }]
  })
  // A catch-all is no stand-in for a carrier that is down: it may be the simulator, where messages go nowhere.
  const own = serving.filter(({ route }) => route.country === country)
  const inOrder = (own.length > 0 ? own : serving).sort(
    (one, other) =>
      other.matched.length - one.matched.length ||
      one.route.priority - other.route.priority ||
      Number(one.route.weight === 0) - Number(other.route.weight === 0) ||
      (one.route.id < other.route.id ? -1 : 1),
  )
  const first = new Map<string, ServingRoute>()
  for (const it of inOrder) if (!first.has(it.route.carrierId)) first.set(it.route.carrierId, it)
  const avoided = avoidCarrierId === null ? undefined : first.get(avoidCarrierId)
  // Others first, but better this one than none.
  return avoided ? [...[...first.values()].filter((it) => it !== avoided), avoided] : [...first.values()]
}

/** A place in the queue to claim from. */
export interface Work {
  destination: string
  lane: number
}

/** A carrier's part of a place that several share. */
export interface Share {
  carrierId: string
  weight: number
}

export interface CarrierWork extends Work {
  /** Those that share it, itself among them; null where it is this carrier's alone. */
  among: readonly Share[] | null
}

interface CarrierFacts {
  isWorking: (carrierId: string) => boolean
  /** It has more to send than its rate or its windows have room for. */
  isFull: (carrierId: string) => boolean
}

/**
 * What each carrier shall claim if it works: every place where nobody comes before it who works and has room, or shares with it. All
 * at once, for a route may name a thousand places.
 */
export function dealWork(
  facts: { routes: readonly Route[]; destinations: readonly string[] } & CarrierFacts,
): Map<string, CarrierWork[]> {
  const dealt = new Map<string, CarrierWork[]>()
  for (const destination of facts.destinations) {
    const place = parseDestination(destination)
    for (const type of MESSAGE_TYPES) {
      const serving = servingRoutes(facts.routes, place, type)
      for (const { route, among } of turnsAt(serving, place, facts)) {
        const work = dealt.getOrInsertComputed(route.carrierId, () => [])
        work.push({ destination, lane: laneOf(type), among })
      }
    }
  }
  return dealt
}

/** Those of the serving that may claim there, the first of them and whoever it lets pass. */
function turnsAt(serving: ServingRoute[], { avoidCarrierId }: Destination, facts: CarrierFacts) {
  const turns: { route: Route; among: Share[] | null }[] = []
  for (const [at, own] of serving.entries()) {
    // What was refused somewhere goes where the next in order is: it is little, and nobody's share.
    const isShared = (it: ServingRoute) => avoidCarrierId === null && areEqual(it, own)
    if (!serving.slice(0, at).every((it) => isShared(it) || isPassed(it.route, facts))) break
    const sharing = serving.filter(isShared)
    turns.push({ route: own.route, among: sharing.length > 1 ? sharing.map(shareOf) : null })
  }
  return turns
}

function isPassed({ carrierId, overflow }: Route, { isWorking, isFull }: CarrierFacts): boolean {
  return !isWorking(carrierId) || (overflow && isFull(carrierId))
}

/** Of equal priority, and both with a part of it. */
function areEqual(one: ServingRoute, other: ServingRoute): boolean {
  const isSameRank = one.matched.length === other.matched.length && one.route.priority === other.route.priority
  return isSameRank && one.route.weight > 0 && other.route.weight > 0
}

function shareOf({ route: { carrierId, weight } }: ServingRoute): Share {
  return { carrierId, weight }
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

/** Of these names the one that a message to this number waits under. */
export function nameAmong(names: ReadonlySet<string>, { country, to }: { country: string; to: string }): string {
  for (let length = to.length; length > 0; length--) {
    const name = country + to.slice(0, length)
    if (names.has(name)) return name
  }
  return country
}

/** D16: otp before transactional before promotional. */
export function laneOf(type: MessageType): number {
  return { otp: 0, transactional: 1, promotional: 2 }[type]
}

/** By the list they stand in: one may have a thousand, and is asked for every place. */
const known = new WeakMap<readonly string[], ReadonlySet<string>>()

/** The longest of these that the number begins with. */
function longestPrefix(prefixes: readonly string[], number: string): string | undefined {
  if (prefixes.length === 0) return undefined
  let set = known.get(prefixes)
  if (!set) {
    set = new Set(prefixes)
    known.set(prefixes, set)
  }
  for (let length = number.length; length > 0; length--) {
    const beginning = number.slice(0, length)
    if (set.has(beginning)) return beginning
  }
  return undefined
}

function longest(texts: string[]): string {
  return texts.reduce((best, text) => (text.length > best.length ? text : best), '')
}
