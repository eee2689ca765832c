// Facts of a healthy service, to change in tests of its incidents.
import type { Route } from '../../../src/domain/carriers/routing.ts'
import type { CarrierFacts, ServiceFacts } from '../../../src/domain/service/service-facts.ts'

export const SINCE = new Date('2026-11-16T04:00:00.000Z')
export const NOW = new Date('2026-11-16T04:12:00.000Z')
export const bound = { state: 'bound', lastError: null, lastErrorAt: null, retryAt: null }

export function carrier(name: string, some: Partial<CarrierFacts> = {}): CarrierFacts {
  const health = { state: 'working', reason: null, since: SINCE } as const
  return {
    ...{ id: name.toLowerCase(), name, enabled: true, isSimulator: false, health, binds: [bound] },
    ...{ unmatched: 0, receipts: 'each', inDoubt: null, accepted: 0, accountRejections: 0, unreadableAnswers: 0 },
    ...{ duplicateMessageIds: 0, unexpectedAnswers: 0, unreadableReceipts: 0 },
    ...some,
  }
}

/** A carrier that refuses connections. */
export function downCarrier(name: string, some: Partial<CarrierFacts> = {}): CarrierFacts {
  const retryAt = new Date(NOW.getTime() + 18_000)
  return carrier(name, {
    health: { state: 'down', reason: 'connect ECONNREFUSED 10.0.0.1:2775', since: SINCE },
    binds: [{ state: 'waiting', lastError: 'connect ECONNREFUSED 10.0.0.1:2775', lastErrorAt: NOW, retryAt }],
    ...some,
  })
}

export function route(country: string, carrierId: string, some: Partial<Route> = {}): Route {
  const usual = { prefixes: [], types: null, priority: 10, overflow: false, weight: 0 }
  return { id: `${country} ${carrierId}`, country, carrierId, ...usual, ...some }
}

export const sound: ServiceFacts = {
  now: NOW,
  smsEnabled: true,
  liveCountries: [{ code: 'NP', name: 'Nepal' }],
  carriers: [carrier('Up')],
  routes: [route('*', 'up')],
  prices: new Map(),
  activeWorkspaces: 1,
  lowCredit: [],
  creditRequests: [],
  pendingTemplates: 0,
  waiting: new Map(),
  refused: [],
  requests: 0,
  endpoints: [],
  workspaceNames: new Map(),
}
