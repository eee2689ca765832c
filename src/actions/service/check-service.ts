// Reads the facts of the health check, with a bounded cost for any queue length, and derives the incidents.
import { type Carrier, submissionRules } from '../../domain/carriers/carrier.ts'
import { firstSlot, NO_FIGURES } from '../../domain/carriers/carrier-figures.ts'
import { carrierHealth } from '../../domain/carriers/carrier-health.ts'
import type { QueueGroup } from '../../domain/carriers/routing.ts'
import { typeOf } from '../../domain/carriers/routing.ts'
import { DAY_SECONDS, HOUR_MS } from '../../domain/durations.ts'
import { deadlineSeconds, expiresAt } from '../../domain/messages/lifetime.ts'
import { UNMATCHED_SECONDS } from '../../domain/messages/receipt-cause.ts'
import { isAccepting } from '../../domain/service/carrier-incidents.ts'
import { diagnose } from '../../domain/service/doctor.ts'
import type { CarrierFacts, WaitingMessages } from '../../domain/service/service-facts.ts'
import { depthOf } from '../../domain/service/traffic.ts'
import { groupPlaces, placesAwaiting } from '../../domain/service/waiting-groups.ts'
import { hoursBack } from '../../domain/workspaces/request-log.ts'
import { timeOfId } from '../../runtime/ids.ts'
import { listBindsAsOf, type StoredBind } from '../../store/carriers/carrier-binds.ts'
import { countCarrierProblems } from '../../store/carriers/carrier-figures.ts'
import { listPrices } from '../../store/carriers/carrier-prices.ts'
import { listAllCarriers } from '../../store/carriers/carriers.ts'
import { listCountries } from '../../store/carriers/countries.ts'
import { listWorkingRoutes } from '../../store/carriers/routes.ts'
import type { Db } from '../../store/database/db.ts'
import { listPlaces } from '../../store/messages/delivery-queue.ts'
import { countInGroups, findFirstWaiting, MAX_COUNTED, sampleQueue } from '../../store/messages/queue-depth.ts'
import { countUnmatched } from '../../store/messages/unmatched-receipts.ts'
import { countForDoctor, countInDoubt, listWorkspacesLowOnCredit } from '../../store/service/overview.ts'
import { readService } from '../../store/service/service.ts'
import { listEndpointFailures } from '../../store/webhooks/webhook-failures.ts'
import { listOpenCreditRequests } from '../../store/workspaces/credit-requests.ts'
import { countAllRequests, countRefusals } from '../../store/workspaces/request-log.ts'
import { loadWorkspaceLabels } from '../../store/workspaces/workspaces.ts'
import { findSimulatorCarrier } from '../carriers/ensure-simulator-carrier.ts'

export interface CarrierSnapshot extends CarrierFacts {
  carrier: Carrier
  binds: StoredBind[]
}

/** The longest lifetime of a message, plus a day. */
const DOUBT_SECONDS = deadlineSeconds('transactional') + DAY_SECONDS

export async function checkService(db: Db, now: Date) {
  const ago = (ms: number) => new Date(now.getTime() - ms)
  const [base, simulator] = await Promise.all([
    db.pipelined((it) =>
      Promise.all([
        readService(it),
        listCountries(it),
        listAllCarriers(it),
        listBindsAsOf(it, now),
        listWorkingRoutes(it, now),
        countUnmatched(it, ago(UNMATCHED_SECONDS.counted * 1000)),
        countCarrierProblems(it, firstSlot(now)),
        countInDoubt(it, ago(DOUBT_SECONDS * 1000)),
        countForDoctor(it),
        listWorkspacesLowOnCredit(it, now),
        listOpenCreditRequests(it),
        listPlaces(it),
        countRefusals(it, ago(HOUR_MS)),
        countAllRequests(it, hoursBack(now, 2)),
        listEndpointFailures(it, ago(HOUR_MS)),
      ]),
    ),
    findSimulatorCarrier(db),
  ])
  const [{ smsEnabled }, countries, all, binds, routes, unmatched, problems, doubt, counts, lowCredit, ...rest] = base
  const [creditRequests, places, refused, requests, endpointFailures] = rest
  const ofCarrier = Map.groupBy(binds, (bind) => bind.carrierId)
  // Newest first, as in lists.
  const carriers = all.toReversed().map((carrier): CarrierSnapshot => {
    const { id, name, enabled } = carrier
    const own = ofCarrier.get(id) ?? []
    const health = carrierHealth({ enabled, binds: own })
    const seen = { carrier, id, name, enabled, isSimulator: id === simulator?.id, health, binds: own }
    const { receipts } = submissionRules(carrier)
    const counted = { unmatched: unmatched.get(id) ?? 0, inDoubt: doubt.get(id) ?? null, ...problems.get(id) }
    return { ...NO_FIGURES, ...seen, receipts, ...counted }
  })
  const liveCountries = countries.filter(({ state }) => state === 'live').map(({ code, name }) => ({ code, name }))
  const working = carriers.filter(isAccepting)
  const enabled = new Set(carriers.filter((it) => it.enabled).map(({ id }) => id))
  const groups = groupPlaces(places, { routes, working: new Set(working.map(({ id }) => id)), smsEnabled, enabled })
  const [waiting, prices] = await Promise.all([
    measureGroups(db, groups, now),
    // Prices matter only for a replacement of a carrier.
    listPrices(db, working.length < enabled.size ? [...enabled] : []),
  ])
  const endpoints = endpointFailures.map(({ firstId, lastId, statusCode, failure, ...endpoint }) => ({
    ...endpoint,
    firstAt: timeOfId(firstId),
    lastAt: timeOfId(lastId),
    error: statusCode === null ? failure : `HTTP ${statusCode}`,
  }))
  const workspaceIds = [...waiting.values(), ...refused].flatMap((it) => it.workspaceIds)
  const diagnosis = diagnose({
    ...{
      now,
      smsEnabled,
      liveCountries,
      carriers,
      routes,
      ...counts,
      lowCredit,
      creditRequests,
      waiting,
      refused,
      requests,
      endpoints,
    },
    prices: new Map(prices.map((list) => [list.carrierId, list])),
    workspaceNames: new Map(Array.from(await loadWorkspaceLabels(db, workspaceIds), ([id, { name }]) => [id, name])),
  })
  return { smsEnabled, carriers, routes, liveCountries, simulator, ...diagnosis }
}

/** Where messages wait for a carrier, as its incidents count them. */
export async function findPlacesAwaiting(db: Db, carrierId: string, now: Date): Promise<QueueGroup[]> {
  const [all, binds, routes, problems, places] = await db.pipelined((it) =>
    Promise.all([
      listAllCarriers(it),
      listBindsAsOf(it, now),
      listWorkingRoutes(it, now),
      countCarrierProblems(it, firstSlot(now)),
      listPlaces(it),
    ]),
  )
  const ofCarrier = Map.groupBy(binds, (bind) => bind.carrierId)
  const isWorking = ({ id, enabled }: Carrier) =>
    isAccepting({
      ...NO_FIGURES,
      ...problems.get(id),
      health: carrierHealth({ enabled, binds: ofCarrier.get(id) ?? [] }),
    })
  return placesAwaiting(carrierId, places, {
    routes,
    working: new Set(all.filter(isWorking).map(({ id }) => id)),
    enabled: new Set(all.filter(({ enabled }) => enabled).map(({ id }) => id)),
  })
}

/** The messages of each group: exact up to a limit, then estimated from a sample. */
async function measureGroups(
  db: Db,
  groups: ReadonlyMap<string, readonly QueueGroup[]>,
  now: Date,
): Promise<Map<string, WaitingMessages>> {
  if (groups.size === 0) return new Map()
  const places = [...new Set([...groups.values()].flat())]
  const [counted, first] = await Promise.all([countInGroups(db, groups), findFirstWaiting(db, places, now)])
  const isDeep = counted.values().some((count) => count >= MAX_COUNTED)
  const sampled = new Map((isDeep ? await sampleQueue(db) : []).map((it) => [keyOf(it), it.messages]))
  const firstIn = new Map(first.map(({ at, ...it }) => [places[at], it]))
  return new Map(
    Array.from(groups, ([name, own]) => {
      const found = own.flatMap((place) => {
        const it = firstIn.get(place)
        if (!it) return []
        const type = typeOf(place.priority)
        return [{ ...it, expiresAt: expiresAt({ type, createdAt: timeOfId(it.firstMessageId) }) }]
      })
      const estimate = own.reduce((sum, place) => sum + (sampled.get(keyOf(place)) ?? 0), 0)
      const depth = depthOf({ counted: counted.get(name) ?? 0, sampled: estimate, most: MAX_COUNTED })
      return [
        name,
        {
          ...{ messages: depth.waiting, isEstimate: depth.isEstimate },
          firstExpiresAt: earliest(found.map((it) => it.expiresAt)),
          oldestDueAt: earliest(found.flatMap((it) => it.oldestDueAt ?? [])),
          workspaceIds: [...new Set(found.flatMap((it) => it.workspaceIds))],
        },
      ]
    }),
  )
}

function keyOf({ destination, avoidCarrierId, priority }: QueueGroup): string {
  return `${destination} ${avoidCarrierId} ${priority}`
}

function earliest(times: readonly Date[]): Date | null {
  return times.reduce<Date | null>((first, at) => (first && first <= at ? first : at), null)
}
