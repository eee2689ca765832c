// Which carrier gets a message: the routes of its country by longest prefix, then by priority, and the next route if a carrier is down. The
// queue is grouped by destination, so that a carrier's work is found without a scan of the whole queue.

import type { MessageType } from '../message-type.ts'
import { callingPrefix } from '../phone-number.ts'
import { isLeased } from './carrier.ts'
import { type CarrierPrice, priceOf } from './carrier-price.ts'

/** D62: how to choose among routes of a country with the same prefix length. */
export const ROUTE_POLICIES = ['weighted', 'priority', 'cheapest'] as const
export type RoutePolicy = (typeof ROUTE_POLICIES)[number]

export interface Route {
  id: string
  /** '*' serves countries without a route of their own. */
  country: string
  /** Prefixes of E.164 numbers; an empty list is the whole country. */
  prefixes: string[]
  /** null is every type. */
  types: MessageType[] | null
  carrierId: string
  priority: number
  /** Messages beyond the carrier's rate go to the next route. */
  overflow: boolean
  /** The share among routes of equal priority; 0 is standby. */
  weight: number
  /** D62: the policy of its country; `weighted` if unset, and for '*'. */
  policy?: RoutePolicy
  /** The carrier's prices, for the policy `cheapest`. */
  prices?: readonly CarrierPrice[]
}

export interface WorkingRoute extends Route {
  /** True if the carrier works in at least one process. */
  isWorking: boolean
  /** When the carrier last worked, or could have. */
  workedAt: Date | null
}

export interface CarrierState {
  isEnabled: boolean
  /** Until when a process holds a bind that may submit; null without one. */
  boundUntil: Date | null
}

export function isWorking({ isEnabled, boundUntil }: CarrierState, now: Date): boolean {
  return isEnabled && isLeased(boundUntil, now)
}

/**
 * The country of a message, and the longest prefix of its number that a route of that country names; with the policy `cheapest` also a
 * prefix with a price. Its name is `NP` or `NP+97798`.
 */
interface Destination {
  country: string
  prefix: string
}

export function destinationName({ country, prefix }: Destination): string {
  return `${country}${prefix}`
}

export function parseDestination(name: string): Destination {
  return { country: name.slice(0, 2), prefix: name.slice(2) }
}

export function findDestination(
  routes: readonly Route[],
  { country, to }: { country: string; to: string },
): Destination {
  const own = routes.filter((route) => route.country === country)
  const prefix = longest(own.flatMap((route) => [longestPrefix(route.prefixes, to) ?? '', pricedPrefix(route, to)]))
  return { country, prefix }
}

/** A price divides numbers within their country only: a price for the whole country, or for more, adds no prefix. */
function pricedPrefix({ policy, prices = [], country }: Route, to: string): string {
  if (policy !== 'cheapest' || prices.length === 0) return ''
  const prefix = longestPrefix(prefixesOf(prices), to) ?? ''
  return prefix.length > callingPrefix(country).length ? prefix : ''
}

const pricedPrefixes = new WeakMap<readonly CarrierPrice[], readonly string[]>()

function prefixesOf(prices: readonly CarrierPrice[]): readonly string[] {
  return pricedPrefixes.getOrInsertComputed(prices, () => prices.map((it) => it.prefix))
}

/** The carriers for a message of this type, in order of preference. */
export function carriersFor(routes: readonly Route[], destination: Destination, query: RouteQuery): string[] {
  return servingRoutes(routes, destination, query).map(({ route }) => route.carrierId)
}

interface RouteQuery {
  type: MessageType
  /** The carrier that rejected the message temporarily: other carriers come first. */
  avoidCarrierId?: string | null
}

interface ServingRoute {
  route: Route
  /** The prefix that matched; empty for the whole country. */
  matched: string
  /** The carrier's price with the policy `cheapest`; unknown prices come last. */
  price: number
}

/** One route per carrier, in order of preference. */
function servingRoutes(
  routes: readonly Route[],
  { country, prefix }: Destination,
  { type, avoidCarrierId = null }: RouteQuery,
): ServingRoute[] {
  const serving = routes.flatMap((route) => {
    if (route.country !== country && route.country !== '*') return []
    if (route.types && !route.types.includes(type)) return []
    const matched = route.prefixes.length === 0 ? '' : longestPrefix(route.prefixes, prefix)
    return matched === undefined ? [] : [{ route, matched, price: priceAt(route, { country, prefix }) }]
  })
  // A route for all countries never replaces a carrier that is down: it may be the simulator, which delivers nothing.
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
  // The avoided carrier comes last, but still before no carrier at all.
  return avoided ? [...[...first.values()].filter((it) => it !== avoided), avoided] : [...first.values()]
}

const UNKNOWN_PRICE = Number.POSITIVE_INFINITY

/** The same for all routes if the policy is not `cheapest`. */
function priceAt({ policy, prices = [] }: Route, { country, prefix }: Destination): number {
  if (policy !== 'cheapest') return UNKNOWN_PRICE
  return priceOf(prices, prefix === '' ? callingPrefix(country) : prefix) ?? UNKNOWN_PRICE
}

/** Two unknown prices (Infinity) are equal; subtraction would give NaN. */
function compare(one: number, other: number): number {
  return one === other ? 0 : one < other ? -1 : 1
}

/** A group of the queue: messages that the same carriers serve, in the same order. */
export interface QueueGroup {
  /** The name of a destination. */
  destination: string
  /** The carrier that rejected the messages temporarily: other carriers come first. */
  avoidCarrierId: string | null
  priority: number
}

/** A carrier's share of a queue group. */
export interface Share {
  carrierId: string
  weight: number
}

export interface CarrierQueueGroup extends QueueGroup {
  /** All carriers that share the group, including this one; null if the group is not shared. */
  among: readonly Share[] | null
}

interface CarrierFacts {
  isWorking: (carrierId: string) => boolean
  /** More messages wait than its rate or its windows have capacity for. */
  isFull: (carrierId: string) => boolean
}

/** The groups that each carrier claims if it works: no earlier carrier works and has capacity, or the carriers share the group. */
export function assignQueueGroups(
  facts: { routes: readonly Route[]; places: readonly QueueGroup[] } & CarrierFacts,
): Map<string, CarrierQueueGroup[]> {
  const assigned = new Map<string, CarrierQueueGroup[]>()
  for (const place of facts.places) {
    const { destination, avoidCarrierId, priority } = place
    const query = { type: typeOf(priority), avoidCarrierId }
    const serving = servingRoutes(facts.routes, parseDestination(destination), query)
    for (const { route, among } of claimingRoutes(serving, place, facts)) {
      assigned.getOrInsertComputed(route.carrierId, () => []).push({ ...place, among })
    }
  }
  return assigned
}

/** The routes that may claim: the first one, and each later one that all before it leave messages to. */
function claimingRoutes(serving: ServingRoute[], { avoidCarrierId }: QueueGroup, facts: CarrierFacts) {
  const claiming: { route: Route; among: Share[] | null }[] = []
  for (const [at, own] of serving.entries()) {
    // Retries go to the next carrier in order: they are few, and count toward no share.
    const isShared = (it: ServingRoute) => avoidCarrierId === null && areEqual(it, own)
    if (!serving.slice(0, at).every((it) => isShared(it) || isSkipped(it.route, facts))) break
    const sharing = serving.filter(isShared)
    claiming.push({ route: own.route, among: sharing.length > 1 ? sharing.map(shareOf) : null })
  }
  return claiming
}

function isSkipped({ carrierId, overflow }: Route, { isWorking, isFull }: CarrierFacts): boolean {
  return !isWorking(carrierId) || (overflow && isFull(carrierId))
}

/** Equal priority, and price with `cheapest`, and both with a weight. D62: the policy `priority` shares nothing. */
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

/** The countries of a carrier's routes; a route for all countries lists live countries first. */
export function countriesOfCarrier(
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
  if (!type) throw new RangeError(`unknown priority ${priority}`)
  return type
}

/** Cached per list: a list may have a thousand prefixes, and every queue group needs a lookup. */
const known = new WeakMap<readonly string[], ReadonlySet<string>>()

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
