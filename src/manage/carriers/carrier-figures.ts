// Statistics of a carrier over the last hour: throughput, response times and delivery rate.
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import {
  deliveryRatio,
  type FigureCounts,
  firstSlot,
  meanSeconds,
  sumFigures,
} from '../../domain/carriers/carrier-figures.ts'
import { carrierHealth } from '../../domain/carriers/carrier-health.ts'
import { requireFound } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import { listBindsAsOf } from '../../store/carriers/carrier-binds.ts'
import { listFigures } from '../../store/carriers/carrier-figures.ts'
import { findCarrier } from '../../store/carriers/carriers.ts'
import { dbOf } from '../authenticate.ts'
import { endpointsOf, OPERATORS } from '../endpoint.ts'
import { byId } from '../fields.ts'
import { healthAnswer } from './carrier-answers.ts'

const figures = {
  accepted: z.int().describe('Segments that the carrier accepted.'),
  rejected: z.int(),
  unanswered: z.int(),
  delivered: z.int().describe('Segments with a delivery receipt `delivered`.'),
  undelivered: z.int(),
  deliveryRatio: z
    .number()
    .nullable()
    .describe('Share of the segments with a delivery receipt; null without receipts.'),
  answerSeconds: z.number().nullable().describe('Average response time.'),
  receiptSeconds: z.number().nullable().describe('Average time from submission to delivery receipt.'),
}

const figuresAnswer = z
  .object({
    since: time,
    health: healthAnswer,
    total: z.object(figures),
    prefixes: z
      .array(z.object({ prefix: z.string().describe('Prefix, as routes and countries define it.'), ...figures }))
      .describe('Most traffic first.'),
  })
  .meta({ title: 'CarrierFigures' })

const MAX_PREFIXES = 1_000

const reading = endpointsOf('Carriers')(OPERATORS, {
  operationId: 'getCarrierFigures',
  summary: 'Get carrier statistics',
  description: `The last hour by prefix, for up to ${MAX_PREFIXES} prefixes. Updated every few seconds, over all processes.`,
  params: byId,
  response: { 200: figuresAnswer },
})

export function mountCarrierFigures(app: TypedServer, ports: Ports): void {
  app.get('/carriers/:id/figures', reading, async (request) => {
    const db = dbOf(ports, request)
    const { id } = request.params
    const now = ports.clock.now()
    const since = firstSlot(now)
    const [found, rows, binds] = await Promise.all([
      findCarrier(db, id),
      listFigures(db, { carrierId: id, since, limit: MAX_PREFIXES }),
      listBindsAsOf(db, now),
    ])
    const carrier = requireFound(found)
    const own = binds.filter((bind) => bind.carrierId === id)
    return {
      since,
      health: carrierHealth({ enabled: carrier.enabled, binds: own }),
      total: figuresView(sumFigures(rows)),
      prefixes: rows.map(({ prefix, ...counts }) => ({ prefix, ...figuresView(counts) })),
    }
  })
}

function figuresView(counts: FigureCounts) {
  const { accepted, rejected, unanswered, delivered, undelivered, answerMs, receipts, receiptMs } = counts
  return {
    ...{ accepted, rejected, unanswered, delivered, undelivered },
    deliveryRatio: deliveryRatio(counts),
    answerSeconds: meanSeconds(answerMs, accepted + rejected),
    receiptSeconds: meanSeconds(receiptMs, receipts),
  }
}
