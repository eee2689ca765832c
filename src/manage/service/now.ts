// The service status in one response, from queries whose cost is bounded for any queue length.
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import { type CarrierSnapshot, checkService } from '../../actions/service/check-service.ts'
import { readLanes, readRates } from '../../actions/service/measure-traffic.ts'
import {
  deliveryRatio,
  firstSlot,
  meanSeconds,
  ratesBySlot,
  type SlotFigures,
  sumSlots,
} from '../../domain/carriers/carrier-figures.ts'
import { simulatedShare } from '../../domain/carriers/simulated.ts'
import { DAY_SECONDS } from '../../domain/durations.ts'
import { nextRetry } from '../../domain/service/carrier-incidents.ts'
import { historyWindow, MINUTES_KEPT_SECONDS } from '../../domain/service/service-minutes.ts'
import { RATE_SECONDS } from '../../domain/service/traffic.ts'
import { FAILURE_REASONS } from '../../domain/webhooks/webhook-schedule.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import { listSlotFigures } from '../../store/carriers/carrier-figures.ts'
import type { Db } from '../../store/database/db.ts'
import { listLatestUnmatched } from '../../store/messages/unmatched-receipts.ts'
import { listMinutes } from '../../store/service/service-minutes.ts'
import {
  countFailedDeliveries,
  listFailedDeliveries,
  MAX_FAILED_COUNTED,
} from '../../store/webhooks/webhook-failures.ts'
import { dbOf } from '../authenticate.ts'
import { bindAnswer, healthAnswer, viewOfBind } from '../carriers/carrier-answers.ts'
import { endpointsOf, OPERATORS } from '../endpoint.ts'
import { messageType, timeRange, wholeListOf } from '../fields.ts'
import { findingAnswer, incidentAnswer, incidentView, verdictAnswer } from './incident-answers.ts'

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
        retryAt: time.nullable().describe('Next connection attempt or probe, while the carrier does not work.'),
        segmentsPerMinute: z
          .array(z.number())
          .describe('Accepted segments per minute in the last hour, by five minutes, oldest first.'),
        deliveryRatio: z
          .number()
          .nullable()
          .describe('Delivered share of the receipts of the last hour; null without receipts.'),
        receiptSeconds: z.number().nullable().describe('Average time to the delivery receipt in the last hour.'),
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
    verdict: verdictAnswer,
    incidents: z.array(incidentAnswer).describe('Worst first, as in `GET /doctor`.'),
    findings: z.array(findingAnswer).describe('Findings of `GET /doctor`.'),
  })
  .meta({ title: 'Now' })

const perType = z.object({ otp: z.int(), transactional: z.int(), promotional: z.int() })

const minuteAnswer = z
  .object({
    at: time.describe('Start of the step.'),
    accepted: z.number().describe('Messages per minute.'),
    sent: z.number().describe('Segments per minute that carriers accepted.'),
    rejected: z.number().describe('Segments per minute that carriers rejected or did not answer.'),
    delivered: z.number().describe('Segments per minute with a delivery receipt `delivered`.'),
    undelivered: z.number().describe('Segments per minute with a delivery receipt `undelivered` or `rejected`.'),
    refused: z.number().describe('Refused API requests per minute.'),
    waiting: perType.describe('Most messages in the queue.'),
    oldestSeconds: perType.describe('Longest wait of a due message; 0 without one.'),
  })
  .meta({ title: 'ServiceMinute' })

const historyAnswer = wholeListOf(minuteAnswer).extend({ since: time, stepSeconds: z.int() }).meta({
  title: 'ServiceHistory',
  description: 'Oldest first. A step in which no process recorded figures is missing.',
})

const calls = {
  history: endpointsOf('Service')(OPERATORS, {
    operationId: 'getNowHistory',
    summary: 'Get service history',
    description: `Throughput and queue, recorded every minute and kept for ${MINUTES_KEPT_SECONDS / DAY_SECONDS} days. Longer ranges have longer steps.`,
    querystring: z.object({ range: timeRange.default('1h') }),
    response: { 200: historyAnswer },
  }),
  now: endpointsOf('Service')(OPERATORS, {
    operationId: 'getNow',
    summary: 'Get the service status',
    description: 'Verdict, incidents, queue, throughput, carriers and webhooks.',
    response: { 200: nowAnswer },
  }),
}

export function mountNow(app: TypedServer, ports: Ports, { isSimulated }: { isSimulated: boolean }): void {
  app.get('/now', calls.now, async (request) => {
    const now = ports.clock.now()
    const db = dbOf(ports, request)
    const [service, lanes, { processes, accepted, segments }, unmatched, failedWebhooks, figures] = await Promise.all([
      checkService(db, now),
      readLanes(db, now),
      readRates(db, now),
      listLatestUnmatched(db, MAX_SHOWN),
      readFailedWebhooks(db),
      listSlotFigures(db, firstSlot(now)),
    ])
    const { smsEnabled, carriers, routes, liveCountries, simulator, verdict, incidents, findings } = service
    const perSecond = (count: number) => Math.round((count / RATE_SECONDS) * 100) / 100
    const ofCarrier = Map.groupBy(figures, ({ carrierId }) => carrierId)
    const countries = liveCountries.map(({ code }) => code)
    return {
      at: now,
      smsEnabled,
      lanes,
      rates: {
        accepted,
        segmentsAccepted: perSecond(segments.accepted),
        segmentsRejected: perSecond(segments.rejected),
        delivered: perSecond(segments.delivered),
        undelivered: perSecond(segments.undelivered),
      },
      processes,
      carriers: carriers.map((it) => carrierStateView(it, ofCarrier.get(it.id) ?? [], now)),
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
      failedWebhooks,
      simulator: {
        runs: isSimulated,
        carrierId: simulator?.id ?? null,
        serves: simulatedShare(routes, { simulatorId: simulator?.enabled ? simulator.id : null, countries }),
      },
      verdict,
      incidents: incidents.map(incidentView),
      findings,
    }
  })
}

export function mountHistory(app: TypedServer, ports: Ports): void {
  app.get('/now/history', calls.history, async (request) => {
    const window = historyWindow(request.query.range, ports.clock.now())
    const minutes = await listMinutes(dbOf(ports, request), window)
    return { ...window, next: null, items: minutes.map(({ minute, ...figures }) => ({ at: minute, ...figures })) }
  })
}

async function readFailedWebhooks(db: Db) {
  const [count, latest] = await Promise.all([countFailedDeliveries(db), listFailedDeliveries(db, MAX_SHOWN)])
  return { count, latest }
}

function carrierStateView(carrier: CarrierSnapshot, slots: readonly SlotFigures[], now: Date) {
  const { id, name, enabled, health, binds, unmatched, inDoubt } = carrier
  const total = sumSlots(slots)
  return {
    ...{ id, name, enabled, health, state: binds.map(viewOfBind), retryAt: nextRetry(carrier, now) },
    segmentsPerMinute: ratesBySlot(slots, now),
    deliveryRatio: deliveryRatio(total),
    receiptSeconds: meanSeconds(total.receiptMs, total.receipts),
    ...{ unmatched, inDoubt },
  }
}
