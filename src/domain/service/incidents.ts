// Incidents: what is broken, since when, who is affected, and what to do next.
import type { FigureCounts } from '../carriers/carrier-figures.ts'
import type { CarrierHealth } from '../carriers/carrier-health.ts'
import { type PriceList, priceOf } from '../carriers/carrier-price.ts'
import type { Route } from '../carriers/routing.ts'
import { MESSAGE_TYPES, type MessageType } from '../message-type.ts'
import type { Receipts } from '../messages/report.ts'
import { callingPrefix } from '../phone-number.ts'
import { REFUSALS } from '../refusals.ts'
import { type CarrierReach, reachOf, waitsFor } from './reach.ts'

export const SEVERITIES = ['outage', 'degraded', 'notice'] as const
export type Severity = (typeof SEVERITIES)[number]

export const VERDICTS = ['operational', 'degraded', 'outage'] as const
export type ServiceVerdict = (typeof VERDICTS)[number]

export const INCIDENT_CODES = [
  'sending_off',
  'no_live_country',
  'no_carrier',
  'carrier_off',
  'carrier_broken',
  'carrier_in_part',
  'carrier_down',
  'carrier_refuses',
  'receipts_unmatched',
  'receipts_unread',
  'receipts_shared',
  'answers_unexpected',
  'answers_unreadable',
  'messages_in_doubt',
  'country_without_route',
  'country_without_carrier',
  'country_in_part',
  'queue_late',
  'requests_refused',
  'endpoint_failing',
  'no_active_workspace',
  'workspace_without_credit',
  'workspace_low_credit',
  'templates_pending',
] as const
export type IncidentCode = (typeof INCIDENT_CODES)[number]

export const SUBJECT_KINDS = ['carrier', 'country', 'workspace', 'client', 'message_type', 'error_code'] as const

export const STEP_KINDS = [
  'route_to_carrier',
  'test_carrier',
  'open_carrier',
  'enable_carrier',
  'capture_traffic',
  'request_one_receipt',
  'add_route',
  'add_carrier',
  'add_country',
  'resume_sending',
  'top_up',
  'open_endpoint',
  'open_requests',
  'open_receipts',
  'review_messages_in_doubt',
  'review_templates',
  'activate_workspace',
] as const

export interface NextStep {
  kind: (typeof STEP_KINDS)[number]
  carrierId?: string
  /** Of the carrier to route to. */
  name?: string
  countryCode?: string
  workspaceId?: string
  clientId?: string
  /** Per segment; negative if the other carrier is cheaper. Absent if a price is unknown. */
  costDifference?: { amountE4: number; currency: string }
}

export interface NamedItem {
  id: string
  name: string
}

/** Messages of one group of the queue. */
export interface WaitingMessages {
  messages: number
  isEstimate: boolean
  firstExpiresAt: Date | null
  oldestDueAt: Date | null
  workspaceIds: readonly string[]
}

/** Refused API requests of the last hour with one code. */
export interface RefusedRequests {
  code: string
  requests: number
  /** The count stopped at its limit. */
  isEstimate: boolean
  since: Date
  lastAt: Date
  workspaceIds: readonly string[]
}

export interface FailingEndpoint {
  client: NamedItem
  workspace: NamedItem
  /** Events that wait for a retry after a failed attempt, or failed in the last hour. */
  failures: number
  /** Times of the first and the last of these events. */
  firstAt: Date
  lastAt: Date
  lastDeliveredAt: Date | null
  error: string | null
}

export interface Impact {
  waiting: Pick<WaitingMessages, 'messages' | 'isEstimate' | 'firstExpiresAt'> | null
  refused: { requests: number; isEstimate: boolean; since: Date; codes: { code: string; requests: number }[] } | null
  workspaces: { count: number; first: NamedItem[] } | null
}

export interface Incident {
  /** The same as long as the incident lasts. */
  id: string
  severity: Severity
  code: IncidentCode
  about: (NamedItem & { kind: (typeof SUBJECT_KINDS)[number] }) | null
  since: Date | null
  /** The last error of the carrier or endpoint. */
  error: string | null
  /** When the next connection or probe of the carrier is due. */
  retryAt: Date | null
  /** What the code counts, such as messages, receipts or rejected submissions. */
  count: number | null
  connections: { bound: number; total: number } | null
  reaches: CarrierReach | null
  impact: Impact
  next: NextStep[]
}

/** The counts cover the last hour. */
export interface CarrierFacts
  extends Pick<
    FigureCounts,
    | 'accepted'
    | 'accountRejections'
    | 'unreadableAnswers'
    | 'duplicateMessageIds'
    | 'unexpectedAnswers'
    | 'unreadableReceipts'
  > {
  id: string
  name: string
  enabled: boolean
  isSimulator: boolean
  health: CarrierHealth
  binds: readonly { state: string; lastError: string | null; lastErrorAt: Date | null; retryAt: Date | null }[]
  receipts: Receipts
  /** Unmatched receipts of the last day. */
  unmatched: number
  /** D15: messages that it may have accepted, without an answer or receipt; null without any. */
  inDoubt: { messages: number; since: Date } | null
}

export interface ServiceFacts {
  now: Date
  smsEnabled: boolean
  liveCountries: readonly { code: string; name: string }[]
  carriers: readonly CarrierFacts[]
  routes: readonly Route[]
  prices: ReadonlyMap<string, PriceList>
  activeWorkspaces: number
  /** Active workspaces without balance, or below their alert; only the first ones if there are many. */
  lowCredit: readonly (NamedItem & { isEmpty: boolean })[]
  pendingTemplates: number
  /** By the names of `waitsFor`. */
  waiting: ReadonlyMap<string, WaitingMessages>
  refused: readonly RefusedRequests[]
  /** Requests of this and the previous hour. */
  requests: number
  endpoints: readonly FailingEndpoint[]
  workspaceNames: ReadonlyMap<string, string>
}

/** A due message that waits longer is an incident. */
export const MAX_QUEUE_SECONDS: Record<MessageType, number> = { otp: 30, transactional: 300, promotional: 1800 }
/** Refused requests with one code are an incident from this count and share, if the last one is recent. */
const REFUSED = { count: 20, share: 0.05, recentMs: 15 * 60_000 }
const MAX_ENDPOINT_FAILURES = 3
const MAX_WORKSPACES_NAMED = 3

export function verdictOf(incidents: readonly Incident[]): ServiceVerdict {
  const has = (severity: Severity) => incidents.some((it) => it.severity === severity)
  return has('outage') ? 'outage' : has('degraded') ? 'degraded' : 'operational'
}

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

/** D72: the worst first, and each cause once: a country without a working carrier is part of the incident of its carrier. */
export function findIncidents(facts: ServiceFacts): Incident[] {
  const { smsEnabled, liveCountries, carriers, activeWorkspaces, pendingTemplates } = facts
  const found = [
    ...(smsEnabled ? [] : [pausedIncident(facts)]),
    ...(liveCountries.length === 0
      ? [incident('outage', 'no_live_country', null, { next: [{ kind: 'add_country' }] })]
      : []),
    ...(carriers.length === 0 ? [incident('outage', 'no_carrier', null, { next: [{ kind: 'add_carrier' }] })] : []),
    ...carriers.flatMap((carrier) => checkCarrier(carrier, facts)),
    ...(carriers.length > 0 ? liveCountries.flatMap((country) => checkCountry(country, facts)) : []),
    ...checkQueue(facts),
    ...facts.endpoints.flatMap(checkEndpoint),
    ...(activeWorkspaces === 0
      ? [incident('notice', 'no_active_workspace', null, { next: [{ kind: 'activate_workspace' }] })]
      : []),
    ...checkCredit(facts),
    ...(pendingTemplates > 0
      ? [
          incident('notice', 'templates_pending', null, {
            count: pendingTemplates,
            next: [{ kind: 'review_templates' }],
          }),
        ]
      : []),
  ]
  const all = [...found, ...checkRefusals(found, facts)]
  return all.toSorted((one, other) => SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity))
}

const NO_IMPACT: Impact = { waiting: null, refused: null, workspaces: null }

function incident(
  severity: Severity,
  code: IncidentCode,
  about: Incident['about'],
  some: Partial<Omit<Incident, 'id' | 'severity' | 'code' | 'about'>>,
): Incident {
  const none = { since: null, error: null, retryAt: null, count: null, connections: null, reaches: null, next: [] }
  return { id: about ? `${code}:${about.id}` : code, severity, code, about, ...none, impact: NO_IMPACT, ...some }
}

function pausedIncident(facts: ServiceFacts): Incident {
  const impact = impactOf(facts, { waiting: waitsFor.anything, codes: ['sms_disabled'] })
  return incident('outage', 'sending_off', null, { impact, next: [{ kind: 'resume_sending' }] })
}

function checkCarrier(carrier: CarrierFacts, facts: ServiceFacts): Incident[] {
  const { id, name, enabled, binds, health } = carrier
  const about = { kind: 'carrier', id, name } as const
  if (!enabled) return [incident('notice', 'carrier_off', about, { next: [{ kind: 'enable_carrier', carrierId: id }] })]
  const bound = binds.filter((bind) => bind.state === 'bound').length
  const connections = { bound, total: binds.length }
  const isInPart = health.state === 'working' && bound < binds.length
  const inspect: NextStep[] = [
    { kind: 'capture_traffic', carrierId: id },
    { kind: 'open_carrier', carrierId: id },
  ]
  return [
    ...(health.state === 'down' || health.state === 'broken'
      ? [
          failingIncident(health.state === 'down' ? 'carrier_down' : 'carrier_broken', carrier, facts, {
            ...{
              since: health.since,
              error: briefError(health.reason),
              retryAt: nextRetry(carrier, facts.now),
              connections,
            },
          }),
        ]
      : []),
    ...(isInPart
      ? [
          incident('degraded', 'carrier_in_part', about, {
            connections,
            error: briefError(failedBind(carrier)),
            retryAt: nextRetry(carrier, facts.now),
            next: inspect.toReversed(),
          }),
        ]
      : []),
    ...checkReceipts(carrier),
    ...(isRefusing(carrier)
      ? [
          failingIncident('carrier_refuses', carrier, facts, {
            error: lastErrorOf(carrier),
            count: carrier.accountRejections,
          }),
        ]
      : []),
    ...(isUnreadable(carrier)
      ? [
          failingIncident('answers_unreadable', carrier, facts, {
            error: lastErrorOf(carrier),
            count: carrier.unreadableAnswers,
          }),
        ]
      : carrier.unreadableAnswers > 0
        ? [
            incident('degraded', 'answers_unreadable', about, {
              error: lastErrorOf(carrier),
              count: carrier.unreadableAnswers,
              next: inspect,
            }),
          ]
        : []),
    ...(carrier.unexpectedAnswers > 0
      ? [incident('notice', 'answers_unexpected', about, { count: carrier.unexpectedAnswers, next: inspect })]
      : []),
    ...checkDoubt(carrier),
  ]
}

/** A carrier that accepts nothing: an outage where no other carrier reaches its numbers. */
function failingIncident(
  code: IncidentCode,
  carrier: CarrierFacts,
  facts: ServiceFacts,
  some: Partial<Pick<Incident, 'since' | 'error' | 'retryAt' | 'connections' | 'count'>>,
): Incident {
  const { id, name } = carrier
  const reaches = reachOf(id, { ...facts, working: facts.carriers.filter(isAccepting) })
  const isLost = reaches.lost.length > 0
  const severity = isLost ? 'outage' : reaches.covered.length > 0 ? 'degraded' : 'notice'
  const waiting = waitsFor.carrier(id)
  const impact = isLost ? impactOf(facts, { waiting, codes: ['unavailable'] }) : NO_IMPACT
  const next = stepsForCarrier(code, carrier, reaches, facts)
  return incident(severity, code, { kind: 'carrier', id, name }, { reaches, impact, next, ...some })
}

function stepsForCarrier(
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

function checkReceipts({
  id,
  name,
  unmatched,
  unreadableReceipts,
  receipts,
  duplicateMessageIds,
}: CarrierFacts): Incident[] {
  const about = { kind: 'carrier', id, name } as const
  const steps = (...kinds: NextStep['kind'][]) => kinds.map((kind) => ({ kind, carrierId: id }))
  return [
    ...(unmatched > 0
      ? [incident('notice', 'receipts_unmatched', about, { count: unmatched, next: steps('open_receipts') })]
      : []),
    ...(unreadableReceipts > 0
      ? [
          incident('notice', 'receipts_unread', about, {
            count: unreadableReceipts,
            next: steps('capture_traffic', 'open_carrier'),
          }),
        ]
      : []),
    ...(duplicateMessageIds > 0 && receipts === 'each'
      ? [
          incident('notice', 'receipts_shared', about, {
            count: duplicateMessageIds,
            next: steps('request_one_receipt'),
          }),
        ]
      : []),
  ]
}

/** Only the carrier can confirm whether it has these messages, so the operator must ask and then fail or resend them. */
function checkDoubt({ id, name, inDoubt }: CarrierFacts): Incident[] {
  if (inDoubt === null) return []
  const next: NextStep[] = [{ kind: 'review_messages_in_doubt', carrierId: id }]
  const { messages: count, since } = inDoubt
  return [incident('notice', 'messages_in_doubt', { kind: 'carrier', id, name }, { count, since, next })]
}

/** A country whose enabled carriers all fail is part of their incidents. */
function checkCountry({ code, name }: ServiceFacts['liveCountries'][number], facts: ServiceFacts): Incident[] {
  const about = { kind: 'country', id: code, name } as const
  const { hasRoute, hasCarrier, isComplete } = coverageOf(code, facts)
  const add: NextStep = { kind: 'add_route', countryCode: code }
  if (!hasCarrier) {
    const impact = impactOf(facts, { waiting: waitsFor.country(code), codes: ['unavailable'] })
    const off = facts.routes.find((route) => route.country === code || route.country === '*')
    const next = off ? [{ kind: 'enable_carrier', carrierId: off.carrierId } as const, add] : [add]
    return [incident('outage', hasRoute ? 'country_without_carrier' : 'country_without_route', about, { impact, next })]
  }
  return isComplete ? [] : [incident('notice', 'country_in_part', about, { next: [add] })]
}

/** Only a route for all numbers and types covers the whole country. */
export function coverageOf(code: string, { routes, carriers }: Pick<ServiceFacts, 'routes' | 'carriers'>) {
  const ofCountry = (some: readonly CarrierFacts[]) => {
    const ids = new Set(some.map(({ id }) => id))
    return routes.filter(({ country, carrierId }) => (country === code || country === '*') && ids.has(carrierId))
  }
  const enabled = ofCountry(carriers.filter((it) => it.enabled))
  return {
    hasRoute: ofCountry(carriers).length > 0,
    hasCarrier: enabled.length > 0,
    isComplete: enabled.some(({ prefixes, types }) => prefixes.length === 0 && types === null),
  }
}

/** Messages that have a working carrier, and still wait too long. */
function checkQueue(facts: ServiceFacts): Incident[] {
  return MESSAGE_TYPES.flatMap((type) => {
    const { oldestDueAt = null } = facts.waiting.get(waitsFor.type(type)) ?? {}
    const since = oldestDueAt && new Date(oldestDueAt.getTime() + MAX_QUEUE_SECONDS[type] * 1000)
    if (since === null || since > facts.now) return []
    const impact = impactOf(facts, { waiting: waitsFor.type(type), codes: [] })
    const count = Math.round((facts.now.getTime() - Number(oldestDueAt)) / 1000)
    const busy = facts.carriers.filter(isAccepting).map(({ id }): NextStep => ({ kind: 'open_carrier', carrierId: id }))
    return [
      incident(
        'degraded',
        'queue_late',
        { kind: 'message_type', id: type, name: type },
        { since, count, impact, next: busy.slice(0, 1) },
      ),
    ]
  })
}

/** An event that is delivered after the last failing event shows that the endpoint works again. */
function checkEndpoint(endpoint: FailingEndpoint): Incident[] {
  const { client, workspace, failures, firstAt, lastAt, lastDeliveredAt, error } = endpoint
  if (failures <= MAX_ENDPOINT_FAILURES || (lastDeliveredAt !== null && lastDeliveredAt > lastAt)) return []
  const since = lastDeliveredAt !== null && lastDeliveredAt > firstAt ? lastDeliveredAt : firstAt
  const impact = { ...NO_IMPACT, workspaces: { count: 1, first: [workspace] } }
  const next: NextStep[] = [{ kind: 'open_endpoint', clientId: client.id, workspaceId: workspace.id }]
  return [
    incident(
      'notice',
      'endpoint_failing',
      { kind: 'client', ...client },
      { since, error, count: failures, impact, next },
    ),
  ]
}

function checkCredit({ lowCredit }: ServiceFacts): Incident[] {
  return lowCredit.map(({ id, name, isEmpty }) => {
    const impact = { ...NO_IMPACT, workspaces: { count: 1, first: [{ id, name }] } }
    const code = isEmpty ? 'workspace_without_credit' : 'workspace_low_credit'
    return incident(
      'notice',
      code,
      { kind: 'workspace', id, name },
      { impact, next: [{ kind: 'top_up', workspaceId: id }] },
    )
  })
}

/** Refusals that no other incident explains. */
function checkRefusals(found: readonly Incident[], facts: ServiceFacts): Incident[] {
  const explained = new Set(found.flatMap(({ impact }) => impact.refused?.codes.map(({ code }) => code) ?? []))
  if (found.some(({ code }) => code === 'workspace_without_credit')) explained.add('insufficient_balance')
  return facts.refused.flatMap(({ code, requests, since, lastAt, workspaceIds }) => {
    const isRecent = facts.now.getTime() - lastAt.getTime() < REFUSED.recentMs
    const isOften = requests >= REFUSED.count && requests >= REFUSED.share * facts.requests
    if (explained.has(code) || !isRecent || !isOften) return []
    const isOurs = code in REFUSALS && REFUSALS[code as keyof typeof REFUSALS].status >= 500
    const impact = impactOf(facts, { waiting: null, codes: [code] })
    const [workspaceId] = workspaceIds
    const next: NextStep[] = workspaceId === undefined ? [] : [{ kind: 'open_requests', workspaceId }]
    const about = { kind: 'error_code', id: code, name: code } as const
    return [
      incident(isOurs ? 'degraded' : 'notice', 'requests_refused', about, { since, count: requests, impact, next }),
    ]
  })
}

/** Parts without any messages or requests are null. */
function impactOf(facts: ServiceFacts, { waiting: group, codes }: { waiting: string | null; codes: string[] }): Impact {
  const waiting = (group === null ? null : facts.waiting.get(group)) ?? null
  const refused = facts.refused.filter(({ code }) => codes.includes(code))
  const workspaceIds = new Set([...(waiting?.workspaceIds ?? []), ...refused.flatMap((it) => it.workspaceIds)])
  const named = [...workspaceIds].flatMap((id) => {
    const name = facts.workspaceNames.get(id)
    return name === undefined ? [] : [{ id, name }]
  })
  const [first] = refused.map(({ since }) => since).toSorted((one, other) => Number(one) - Number(other))
  return {
    waiting: waiting && {
      messages: waiting.messages,
      isEstimate: waiting.isEstimate,
      firstExpiresAt: waiting.firstExpiresAt,
    },
    refused: first
      ? {
          requests: refused.reduce((sum, it) => sum + it.requests, 0),
          isEstimate: refused.some((it) => it.isEstimate),
          since: first,
          codes: refused.map(({ code, requests }) => ({ code, requests })),
        }
      : null,
    workspaces:
      workspaceIds.size === 0
        ? null
        : {
            count: workspaceIds.size,
            first: named.toSorted((one, other) => one.name.localeCompare(other.name)).slice(0, MAX_WORKSPACES_NAMED),
          },
  }
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
