// Derives the incidents of the service: those of its carriers, and those of countries, queue, endpoints, workspaces and requests.
import { MESSAGE_TYPES, type MessageType } from '../message-type.ts'
import { REFUSALS } from '../refusals.ts'
import { checkCarrier, isAccepting } from './carrier-incidents.ts'
import { impactOf } from './impact.ts'
import { type Incident, type NextStep, NO_IMPACT, newIncident, SEVERITIES } from './incident.ts'
import type { CarrierFacts, CreditRequestFacts, FailingEndpoint, ServiceFacts } from './service-facts.ts'
import { waitingGroup } from './waiting-groups.ts'

/** A due message that waits longer is an incident. */
export const MAX_QUEUE_SECONDS: Record<MessageType, number> = { otp: 30, transactional: 300, promotional: 1800 }
/** Refused requests with one code are an incident from this count and share, if the last one is recent. */
const REFUSED = { count: 20, share: 0.05, recentMs: 15 * 60_000 }
const MAX_ENDPOINT_FAILURES = 3

/** D72: the worst first, and each cause once: a country without a working carrier is part of the incident of its carrier. */
export function findIncidents(facts: ServiceFacts): Incident[] {
  const { smsEnabled, liveCountries, carriers, activeWorkspaces, pendingTemplates } = facts
  const found = [
    smsEnabled ? null : pausedIncident(facts),
    liveCountries.length > 0
      ? null
      : newIncident('outage', 'no_live_country', null, { next: [{ kind: 'add_country' }] }),
    carriers.length > 0 ? null : newIncident('outage', 'no_carrier', null, { next: [{ kind: 'add_carrier' }] }),
    ...carriers.flatMap((carrier) => checkCarrier(carrier, facts)),
    ...(carriers.length > 0 ? liveCountries.map((country) => checkCountry(country, facts)) : []),
    ...MESSAGE_TYPES.map((type) => checkQueue(type, facts)),
    ...facts.endpoints.map(checkEndpoint),
    activeWorkspaces > 0
      ? null
      : newIncident('notice', 'no_active_workspace', null, { next: [{ kind: 'activate_workspace' }] }),
    ...facts.creditRequests.map(creditRequestIncident),
    ...facts.lowCredit.map(lowCreditIncident),
    checkTemplates(pendingTemplates),
  ].filter((it) => it !== null)
  const all = [...found, ...checkRefusals(found, facts)]
  return all.toSorted((one, other) => SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity))
}

function pausedIncident(facts: ServiceFacts): Incident {
  const impact = impactOf(facts, { waiting: waitingGroup.all, codes: ['sms_disabled'] })
  return newIncident('outage', 'sending_off', null, { impact, next: [{ kind: 'resume_sending' }] })
}

/** A country whose enabled carriers all fail is part of their incidents. */
function checkCountry({ code, name }: ServiceFacts['liveCountries'][number], facts: ServiceFacts): Incident | null {
  const about = { kind: 'country', id: code, name } as const
  const { hasRoute, hasCarrier, isComplete } = coverageOf(code, facts)
  const add: NextStep = { kind: 'add_route', countryCode: code }
  if (hasCarrier) return isComplete ? null : newIncident('notice', 'country_in_part', about, { next: [add] })
  const impact = impactOf(facts, { waiting: waitingGroup.ofCountry(code), codes: ['unavailable'] })
  const off = facts.routes.find((route) => route.country === code || route.country === '*')
  const next: NextStep[] = off ? [{ kind: 'enable_carrier', carrierId: off.carrierId }, add] : [add]
  return newIncident('outage', hasRoute ? 'country_without_carrier' : 'country_without_route', about, { impact, next })
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
function checkQueue(type: MessageType, facts: ServiceFacts): Incident | null {
  const waiting = waitingGroup.ofType(type)
  const { oldestDueAt = null } = facts.waiting.get(waiting) ?? {}
  if (oldestDueAt === null) return null
  const since = new Date(oldestDueAt.getTime() + MAX_QUEUE_SECONDS[type] * 1000)
  if (since > facts.now) return null
  const impact = impactOf(facts, { waiting, codes: [] })
  const count = Math.round((facts.now.getTime() - oldestDueAt.getTime()) / 1000)
  const working = facts.carriers.find(isAccepting)
  const next: NextStep[] = working ? [{ kind: 'open_carrier', carrierId: working.id }] : []
  const about = { kind: 'message_type', id: type, name: type } as const
  return newIncident('degraded', 'queue_late', about, { since, count, impact, next })
}

/** An event that is delivered after the last failing event shows that the endpoint works again. */
function checkEndpoint(endpoint: FailingEndpoint): Incident | null {
  const { client, workspace, failures, firstAt, lastAt, lastDeliveredAt, error } = endpoint
  if (failures <= MAX_ENDPOINT_FAILURES || (lastDeliveredAt !== null && lastDeliveredAt > lastAt)) return null
  const since = lastDeliveredAt !== null && lastDeliveredAt > firstAt ? lastDeliveredAt : firstAt
  const impact = { ...NO_IMPACT, workspaces: { count: 1, first: [workspace] } }
  const next: NextStep[] = [{ kind: 'open_endpoint', clientId: client.id, workspaceId: workspace.id }]
  const about = { kind: 'client', ...client } as const
  return newIncident('notice', 'endpoint_failing', about, { since, error, count: failures, impact, next })
}

function lowCreditIncident({ id, name, isEmpty }: ServiceFacts['lowCredit'][number]): Incident {
  const impact = { ...NO_IMPACT, workspaces: { count: 1, first: [{ id, name }] } }
  const next: NextStep[] = [{ kind: 'top_up', workspaceId: id }]
  const code = isEmpty ? 'workspace_without_credit' : 'workspace_low_credit'
  return newIncident('notice', code, { kind: 'workspace', id, name }, { impact, next })
}

function creditRequestIncident({ id, name, currency, amountE4, requestedAt }: CreditRequestFacts): Incident {
  const next: NextStep[] = [{ kind: 'top_up', workspaceId: id, requested: { amountE4, currency } }]
  return newIncident('notice', 'credit_requested', { kind: 'workspace', id, name }, { since: requestedAt, next })
}

function checkTemplates(pending: number): Incident | null {
  if (pending === 0) return null
  return newIncident('notice', 'templates_pending', null, { count: pending, next: [{ kind: 'review_templates' }] })
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
    const severity = isOurs ? 'degraded' : 'notice'
    return [newIncident(severity, 'requests_refused', about, { since, count: requests, impact, next })]
  })
}
