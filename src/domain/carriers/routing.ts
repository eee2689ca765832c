// Which carrier takes a message: the routes of its country, longest prefix first, then priority; the next one when one
// is down. Messages wait in the queue under a destination, so that work for one carrier is found without looking at the rest.

import type { MessageType } from '../message-type.ts'
import { callingPrefix } from '../phone-number.ts'
import { isLeased } from './carrier.ts'
import { type CarrierPrice, priceOf } from './carrier-price.ts'

/** D62: how is chosen among the routes of a country that name a number alike. */
export const ROUTE_POLICIES = ['weighted', 'priority', 'cheapest'] as const
export type RoutePolicy = (typeof ROUTE_POLICIES)[number]

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
  /** D62: that of its country; where nobody said so, and for any country, it goes by weights. */
  policy?: RoutePolicy
  /** What its carrier charges, where the policy asks for that. */
  prices?: readonly CarrierPrice[]
}

export interface WorkingRoute extends Route {
  /** Its carrier works, for some process that has it bound. */
  isWorking: boolean
  /** When it last did, or might have. */
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

/**
 * Where a message goes: its country, and the longest prefix that any route of that country names, or where the cheapest is chosen, any
 * price. Its name is `NP` or `NP+97798`.
 */
interface Destination {
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
  const own = routes.filter((route) => route.country === country)
  const prefix = longest(own.flatMap((route) => [longestPrefix(route.prefixes, to) ?? '', pricedPrefix(route, to)]))
  return { country, prefix }
}

/** By price, numbers are told apart within their country only: what is for all of it, or for more, is no prefix of its own. */
function pricedPrefix({ policy, prices = [], country }: Route, to: string): string {
  if (policy !== 'cheapest' || prices.length === 0) return ''
  const prefix = longestPrefix(prefixesOf(prices), to) ?? ''
  return prefix.length > callingPrefix(country).length ? prefix : ''
}

/** By the prices they are of. */
const pricedPrefixes = new WeakMap<readonly CarrierPrice[], readonly string[]>()

function prefixesOf(prices: readonly CarrierPrice[]): readonly string[] {
  return pricedPrefixes.getOrInsertComputed(prices, () => prices.map((it) => it.prefix))
}

/** The carriers that may take a message of this type there, in the order they shall be asked. */
export function carriersFor(routes: readonly Route[], destination: Destination, asking: Asking): string[] {
  return servingRoutes(routes, destination, asking).map(({ route }) => route.carrierId)
}

interface Asking {
  type: MessageType
  /** After a refusal for now: others shall be tried before this one. */
  avoidCarrierId?: string | null
}

interface ServingRoute {
  route: Route
  /** The prefix by which it serves; empty for the whole country. */
  matched: string
  /** What its carrier charges there, where the cheapest is chosen; what is not known comes last. */
  price: number
}

/** One for each carrier, in the order they shall be asked. */
function servingRoutes(
  routes: readonly Route[],
  { country, prefix }: Destination,
  { type, avoidCarrierId = null }: Asking,
): ServingRoute[] {
  const serving = routes.flatMap((route) => {
    if (route.country !== country && route.country !== '*') return []
    if (route.types && !route.types.includes(type)) return []
    const matched = route.prefixes.length === 0 ? '' : longestPrefix(route.prefixes, prefix)
    return matched === undefined ? [] : [{ route, matched, price: priceAt(route, { country, prefix }) }]
  })
  // A catch-all is no stand-in for a carrier that is down: it may be the simulator, where messages go nowhere.
  const own = serving.filter(({ route }) => route.country === country)
  const inOrder = (own.length > 0 ? own : serving).sort(
    (one, other) =>
      other.matched.length - one.matched.length ||
      compare(one.price, other.price) ||
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

const UNKNOWN_PRICE = Number.POSITIVE_INFINITY

/** The same for all where the price does not matter. */
function priceAt({ policy, prices = [] }: Route, { country, prefix }: Destination): number {
  if (policy !== 'cheapest') return UNKNOWN_PRICE
  return priceOf(prices, prefix === '' ? callingPrefix(country) : prefix) ?? UNKNOWN_PRICE
}

/** Of two that nobody knows, none is the dearer. */
function compare(one: number, other: number): number {
  return one === other ? 0 : one < other ? -1 : 1
}

/** A place in the queue: under which messages wait that the same carriers may take, in the same order. */
export interface Place {
  /** The name of one. */
  destination: string
  /** After a refusal for now: others shall be tried before this one. */
  avoidCarrierId: string | null
  priority: number
}

/** A carrier's part of a place that several share. */
export interface Share {
  carrierId: string
  weight: number
}

export interface CarrierPlace extends Place {
  /** Those that share it, itself among them; null where it is this carrier's alone. */
  among: readonly Share[] | null
}

interface CarrierFacts {
  isWorking: (carrierId: string) => boolean
  /** It has more to send than its rate or its windows have room for. */
  isFull: (carrierId: string) => boolean
}

/** What each carrier shall claim if it works: every place where nobody comes before it who works and has room, or shares with it. */
export function dealPlaces(
  facts: { routes: readonly Route[]; places: readonly Place[] } & CarrierFacts,
): Map<string, CarrierPlace[]> {
  const dealt = new Map<string, CarrierPlace[]>()
  for (const place of facts.places) {
    const { destination, avoidCarrierId, priority } = place
    const asking = { type: typeOf(priority), avoidCarrierId }
    const serving = servingRoutes(facts.routes, destinationNamed(destination), asking)
    for (const { route, among } of turnsAt(serving, place, facts)) {
      dealt.getOrInsertComputed(route.carrierId, () => []).push({ ...place, among })
    }
  }
  return dealt
}

/** Those of the serving that may claim there, the first of them and whoever it lets pass. */
function turnsAt(serving: ServingRoute[], { avoidCarrierId }: Place, facts: CarrierFacts) {
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

/** Of equal priority, and price where that counts, and both with a part of it. D62: by priority alone, nothing is shared. */
function areEqual(one: ServingRoute, other: ServingRoute): boolean {
  if (one.route.policy === 'priority') return one === other
  const isSameRank = one.matched.length === other.matched.length && one.route.priority === other.route.priority
  return isSameRank && one.price === other.price && one.route.weight > 0 && other.route.weight > 0
}

function shareOf({ route: { carrierId, weight } }: ServingRoute): Share {
  return { carrierId, weight }
}

/** D16: otp before transactional before promotional. */
const BY_PRIORITY = ['otp', 'transactional', 'promotional'] as const satisfies MessageType[]

/** The countries a carrier has routes to, whether it is their turn or not; a route to all leads to the live ones first. */
export function homesOf(
  carrierId: string,
  routes: readonly Route[],
  countries: readonly { code: string; state: string }[],
): string[] {
  const named = routes.filter((route) => route.carrierId === carrierId).map((route) => route.country)
  const live = countries.toSorted((one, other) => Number(other.state === 'live') - Number(one.state === 'live'))
  const all = named.includes('*') ? live.map((country) => country.code) : []
  return [...new Set([...named.filter((country) => country !== '*'), ...all])]
}

export function priorityOf(type: MessageType): number {
  return BY_PRIORITY.indexOf(type)
}

export function typeOf(priority: number): MessageType {
  const type = BY_PRIORITY[priority]
  if (!type) throw new RangeError('there are three priorities')
  return type
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
