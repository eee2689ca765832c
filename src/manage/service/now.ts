// The service status in one response, from queries whose cost is bounded for any queue length.
import { z } from 'zod'
import { findSimulatorCarrier } from '../../actions/carriers/ensure-simulator-carrier.ts'
import type { Ports } from '../../actions/ports.ts'
import { priorityOf } from '../../domain/carriers/routing.ts'
import { simulatedShare } from '../../domain/carriers/simulated.ts'
import { MESSAGE_TYPES } from '../../domain/message-type.ts'
import { depthOf, RATE_SECONDS, ratePerSecond } from '../../domain/service/traffic.ts'
import { FAILURE_REASONS } from '../../domain/webhooks/webhook-schedule.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import { measureLastMinute } from '../../store/carriers/carrier-binds.ts'
import type { Db } from '../../store/database/db.ts'
import {
  countQueueByPriority,
  MAX_COUNTED_PER_PRIORITY,
  measureQueueByPriority,
} from '../../store/messages/delivery-queue.ts'
import { listLatestUnmatched } from '../../store/messages/unmatched-receipts.ts'
import { countRecentlyAccepted, MAX_ACCEPTED_COUNTED } from '../../store/service/overview.ts'
import {
  countFailedDeliveries,
  listFailedDeliveries,
  MAX_FAILED_COUNTED,
} from '../../store/webhooks/webhook-deliveries.ts'
import { dbOf } from '../authenticate.ts'
import { bindAnswer, healthAnswer, viewOfBind } from '../carriers/carrier-answers.ts'
import { endpointsOf, OPERATORS } from '../endpoint.ts'
import { messageType } from '../fields.ts'
import { type CarrierSnapshot, checkService, findingAnswer } from './doctor.ts'

/** Latest receipts and webhooks. */
const MAX_SHOWN = 5

const named = z.object({ id: z.uuid(), name: z.string() })

const laneAnswer = z.object({
  lane: messageType,
  waiting: z.int(),
  isEstimate: z.boolean().describe('Whether the number is an estimate, as for long queues.'),
  oldestDueAt: time.nullable().describe('When the oldest due message was due.'),
})

const nowAnswer = z
  .object({
    at: time,
    smsEnabled: z.boolean(),
    lanes: z.array(laneAnswer).describe('Lanes in order of priority.'),
    rates: z
      .object({
        accepted: z.number().describe('Messages.'),
        segmentsAccepted: z.number().describe('Segments that carriers accepted.'),
        segmentsRejected: z.number().describe('Segments that carriers rejected or did not answer.'),
        delivered: z.number().describe('Segments with a delivery receipt `delivered`.'),
        undelivered: z.number().describe('Segments with a delivery receipt `undelivered` or `rejected`.'),
      })
      .describe('Rate per second over the last minute, for all processes.'),
    processes: z.int().describe('Delivery workers.'),
    carriers: z.array(
      named.extend({
        enabled: z.boolean(),
        health: healthAnswer,
        state: z.array(bindAnswer),
        unmatched: z.int().describe('Unmatched receipts of the last day.'),
        inDoubt: z
          .object({ messages: z.int(), since: time })
          .nullable()
          .describe('Messages with an unknown outcome, and the time of the oldest.'),
      }),
    ),
    unmatchedReceipts: z.object({
      count: z.int().describe('Unmatched receipts of the last day, for all carriers.'),
      latest: z.array(
        z.object({ id: z.uuid(), carrierId: z.uuid(), reference: z.string(), state: z.string(), receivedAt: time }),
      ),
    }),
    failedWebhooks: z.object({
      count: z.int().describe(`Failed webhooks, counted up to ${MAX_FAILED_COUNTED}.`),
      latest: z
        .array(
          z.object({ id: z.uuid(), because: z.enum(FAILURE_REASONS), client: named, workspace: named, endedAt: time }),
        )
        .describe('The latest failure of each client.'),
    }),
    simulator: z.object({
      runs: z.boolean(),
      carrierId: z.uuid().nullable(),
      serves: z
        .enum(['all', 'some', 'none'])
        .describe('Share of the live destinations that are routed to the simulator.'),
    }),
    findings: z.array(findingAnswer).describe('Findings of `GET /doctor`.'),
  })
  .meta({ title: 'Now' })

const calls = {
  now: endpointsOf('Service')(OPERATORS, {
    operationId: 'getNow',
    summary: 'Get the service status',
    description: 'Queue, throughput, carriers, webhooks and issues.',
    response: { 200: nowAnswer },
  }),
}

export function mountNow(app: TypedServer, ports: Ports, { isSimulated }: { isSimulated: boolean }): void {
  app.get('/now', calls.now, async (request) => {
    const now = ports.clock.now()
    const db = dbOf(ports, request)
    const [service, lanes, rates, unmatched, dead, simulator] = await Promise.all([
      checkService(db, now),
      readLanes(db, now),
      readRates(db, now),
      listLatestUnmatched(db, MAX_SHOWN),
      readDead(db),
      findSimulatorCarrier(db),
    ])
    const { smsEnabled, carriers, routes, liveCountries, findings } = service
    const countries = liveCountries.map(({ code }) => code)
    return {
      at: now,
      smsEnabled,
      lanes,
      ...rates,
      carriers: carriers.map(carrierStateView),
      unmatchedReceipts: {
        count: carriers.reduce((sum, it) => sum + it.unmatched, 0),
        latest: unmatched.map(({ id, carrierId, reference, state, receivedAt }) => ({
          id,
          carrierId,
          reference,
          state,
          receivedAt,
        })),
      },
      failedWebhooks: dead,
      simulator: {
        runs: isSimulated,
        carrierId: simulator?.id ?? null,
        serves: simulatedShare(routes, { simulatorId: simulator?.enabled ? simulator.id : null, countries }),
      },
      findings,
    }
  })
}

async function readLanes(db: Db, now: Date) {
  const counted = new Map((await countQueueByPriority(db, now)).map((lane) => [lane.priority, lane]))
  const isDeep = counted.values().some((lane) => lane.counted >= MAX_COUNTED_PER_PRIORITY)
  const sampled = isDeep ? await measureQueueByPriority(db) : new Map<number, number>()
  const byPriority = MESSAGE_TYPES.toSorted((one, other) => priorityOf(one) - priorityOf(other))
  return byPriority.map((lane) => {
    const priority = priorityOf(lane)
    const known = counted.get(priority)
    const depth = depthOf({
      counted: known?.counted ?? 0,
      sampled: sampled.get(priority) ?? 0,
      most: MAX_COUNTED_PER_PRIORITY,
    })
    return { lane, ...depth, oldestDueAt: known?.oldestDueAt ?? null }
  })
}

async function readRates(db: Db, now: Date) {
  const since = new Date(now.getTime() - RATE_SECONDS * 1000)
  const [accepted, { processes, ...segments }] = await Promise.all([
    countRecentlyAccepted(db, since),
    measureLastMinute(db, now),
  ])
  const perSecond = (count: number) => Math.round((count / RATE_SECONDS) * 100) / 100
  return {
    processes,
    rates: {
      accepted: ratePerSecond({ ...accepted, most: MAX_ACCEPTED_COUNTED }, now),
      segmentsAccepted: perSecond(segments.accepted),
      segmentsRejected: perSecond(segments.rejected),
      delivered: perSecond(segments.delivered),
      undelivered: perSecond(segments.undelivered),
    },
  }
}

async function readDead(db: Db) {
  const [count, latest] = await Promise.all([countFailedDeliveries(db), listFailedDeliveries(db, MAX_SHOWN)])
  return { count, latest }
}

function carrierStateView({ id, name, enabled, health, binds, unmatched, inDoubt }: CarrierSnapshot) {
  return { id, name, enabled, health, state: binds.map(viewOfBind), unmatched, inDoubt }
}
