// The incidents of a carrier: its connections, its responses, its receipts.
import { priceOf } from '../carriers/carrier-price.ts'
import { callingPrefix } from '../phone-number.ts'
import { impactOf } from './impact.ts'
import { type Incident, type IncidentCode, type NextStep, NO_IMPACT, newIncident } from './incident.ts'
import { type CarrierReach, reachOf } from './reach.ts'
import type { CarrierFacts, ServiceFacts } from './service-facts.ts'
import { waitingGroup } from './waiting-groups.ts'

type AcceptanceFacts = Pick<CarrierFacts, 'health' | 'accountRejections' | 'unreadableAnswers' | 'accepted'>

/** Whether the carrier is enabled, and accepts messages as far as is known. */
export function isAccepting(carrier: AcceptanceFacts): boolean {
  return carrier.health.state === 'working' && !isRefusing(carrier) && !isUnreadable(carrier)
}

// A carrier that is down, or whose circuit is open, is reported with that reason.
function isRefusing({ accountRejections, accepted, health }: AcceptanceFacts): boolean {
  return accountRejections > 0 && accepted === 0 && health.state === 'working'
}

function isUnreadable({ unreadableAnswers, accepted, health }: AcceptanceFacts): boolean {
  return unreadableAnswers > 0 && accepted === 0 && health.state === 'working'
}

export function checkCarrier(carrier: CarrierFacts, facts: ServiceFacts): Incident[] {
  const { id, enabled } = carrier
  if (!enabled)
    return [
      newIncident('notice', 'carrier_off', aboutOf(carrier), { next: [{ kind: 'enable_carrier', carrierId: id }] }),
    ]
  return [
    checkConnections(carrier, facts),
    ...checkReceipts(carrier),
    ...checkResponses(carrier, facts),
    checkDoubt(carrier),
  ].filter((it) => it !== null)
}

function checkConnections(carrier: CarrierFacts, facts: ServiceFacts): Incident | null {
  const { binds, health } = carrier
  const bound = binds.filter((bind) => bind.state === 'bound').length
  const connections = { bound, total: binds.length }
  const retryAt = nextRetry(carrier, facts.now)
  if (health.state === 'down' || health.state === 'broken') {
    const code = health.state === 'down' ? 'carrier_down' : 'carrier_broken'
    const error = briefError(health.reason)
    return failingIncident(code, carrier, facts, { since: health.since, error, retryAt, connections })
  }
  if (health.state !== 'working' || bound === binds.length) return null
  const error = briefError(failedBind(carrier))
  const next = stepsOf(carrier, 'open_carrier', 'capture_traffic')
  return newIncident('degraded', 'carrier_in_part', aboutOf(carrier), { connections, error, retryAt, next })
}

function checkReceipts(carrier: CarrierFacts): (Incident | null)[] {
  const { unmatched, unreadableReceipts, receipts, duplicateMessageIds } = carrier
  const notice = (code: IncidentCode, count: number, ...kinds: NextStep['kind'][]) =>
    count === 0 ? null : newIncident('notice', code, aboutOf(carrier), { count, next: stepsOf(carrier, ...kinds) })
  return [
    notice('receipts_unmatched', unmatched, 'open_receipts'),
    notice('receipts_unread', unreadableReceipts, 'capture_traffic', 'open_carrier'),
    notice('receipts_shared', receipts === 'each' ? duplicateMessageIds : 0, 'request_one_receipt'),
  ]
}

function checkResponses(carrier: CarrierFacts, facts: ServiceFacts): (Incident | null)[] {
  const { accountRejections, unreadableAnswers, unexpectedAnswers } = carrier
  const error = lastErrorOf(carrier)
  const next = stepsOf(carrier, 'capture_traffic', 'open_carrier')
  const unreadable = { error, count: unreadableAnswers }
  return [
    isRefusing(carrier)
      ? failingIncident('carrier_refuses', carrier, facts, { error, count: accountRejections })
      : null,
    isUnreadable(carrier)
      ? failingIncident('answers_unreadable', carrier, facts, unreadable)
      : unreadableAnswers > 0
        ? newIncident('degraded', 'answers_unreadable', aboutOf(carrier), { ...unreadable, next })
        : null,
    unexpectedAnswers > 0
      ? newIncident('notice', 'answers_unexpected', aboutOf(carrier), { count: unexpectedAnswers, next })
      : null,
  ]
}

/** Only the carrier can confirm whether it has these messages, so the operator must ask and then fail or resend them. */
function checkDoubt(carrier: CarrierFacts): Incident | null {
  if (carrier.inDoubt === null) return null
  const { messages: count, since } = carrier.inDoubt
  const next = stepsOf(carrier, 'review_messages_in_doubt')
  return newIncident('notice', 'messages_in_doubt', aboutOf(carrier), { count, since, next })
}

/** A carrier that accepts nothing: an outage where no other carrier reaches its numbers. */
function failingIncident(
  code: IncidentCode,
  carrier: CarrierFacts,
  facts: ServiceFacts,
  some: Partial<Pick<Incident, 'since' | 'error' | 'retryAt' | 'connections' | 'count'>>,
): Incident {
  const reaches = reachOf(carrier.id, { ...facts, working: facts.carriers.filter(isAccepting) })
  const isLost = reaches.lost.length > 0
  const severity = isLost ? 'outage' : reaches.covered.length > 0 ? 'degraded' : 'notice'
  const waiting = waitingGroup.ofCarrier(carrier.id)
  const impact = isLost ? impactOf(facts, { waiting, codes: ['unavailable'] }) : NO_IMPACT
  const next = nextStepsOf(code, carrier, reaches, facts)
  return newIncident(severity, code, aboutOf(carrier), { reaches, impact, next, ...some })
}

function nextStepsOf(
  code: IncidentCode,
  { id }: CarrierFacts,
  { lost }: CarrierReach,
  facts: ServiceFacts,
): NextStep[] {
  const [first] = lost
  const other = first ? findReplacement(id, first, facts) : null
  const test: NextStep =
    code === 'carrier_down' ? { kind: 'test_carrier', carrierId: id } : { kind: 'capture_traffic', carrierId: id }
  return [
    ...(other ? [other] : []),
    test,
    ...(first && !other ? [{ kind: 'add_route', countryCode: first.countryCode } as const] : []),
    { kind: 'open_carrier', carrierId: id },
  ]
}

/**
 * A working carrier that is known to serve the country, by a route or a price; the cheapest first. The simulator delivers nothing, so it
 * replaces no carrier.
 */
function findReplacement(
  carrierId: string,
  { countryCode, prefixes }: CarrierReach['lost'][number],
  { carriers, routes, prices }: ServiceFacts,
): NextStep | null {
  const number = prefixes[0] ?? callingPrefix(countryCode)
  const priceAt = (id: string) => priceOf(prices.get(id)?.prices ?? [], number)
  const hasRoute = (id: string) =>
    routes.some((route) => route.carrierId === id && (route.country === countryCode || route.country === '*'))
  const [best] = carriers
    .filter(
      (it) => it.id !== carrierId && !it.isSimulator && isAccepting(it) && (hasRoute(it.id) || priceAt(it.id) !== null),
    )
    .map(({ id, name }) => ({ id, name, priceE4: priceAt(id) }))
    .toSorted((one, other) => (one.priceE4 ?? Infinity) - (other.priceE4 ?? Infinity) || 0)
  if (!best) return null
  const own = priceAt(carrierId)
  const currency = prices.get(best.id)?.currency
  return {
    ...{ kind: 'route_to_carrier', carrierId: best.id, name: best.name, countryCode },
    ...(own !== null && best.priceE4 !== null && currency !== undefined && currency === prices.get(carrierId)?.currency
      ? { costDifference: { amountE4: best.priceE4 - own, currency } }
      : {}),
  }
}

function aboutOf({ id, name }: CarrierFacts) {
  return { kind: 'carrier', id, name } as const
}

function stepsOf({ id }: CarrierFacts, ...kinds: NextStep['kind'][]): NextStep[] {
  return kinds.map((kind) => ({ kind, carrierId: id }))
}

export function nextRetry({ binds }: CarrierFacts, now: Date): Date | null {
  const times = binds.flatMap(({ retryAt }) => (retryAt && retryAt > now ? [retryAt] : []))
  return times.toSorted((one, other) => Number(one) - Number(other))[0] ?? null
}

function failedBind({ binds }: CarrierFacts): string | null {
  return binds.find((bind) => bind.state !== 'bound' && bind.lastError)?.lastError ?? null
}

function lastErrorOf({ binds }: CarrierFacts): string | null {
  const known = binds.filter((bind) => bind.lastErrorAt !== null)
  const [last] = known.toSorted((one, other) => Number(other.lastErrorAt) - Number(one.lastErrorAt))
  return last?.lastError ?? null
}

const SYSTEM_ERROR = /\bE(?:CONN|HOST|NET|ADDR|PIPE|TIMEDOUT)[A-Z]*\b/g

/** The name of a system error, which says more in less space than its sentence with addresses; any other error as it is. */
function briefError(error: string | null): string | null {
  const names = new Set(error?.match(SYSTEM_ERROR))
  return names.size === 0 ? error : [...names].join(', ')
}
