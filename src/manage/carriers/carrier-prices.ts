// The price list of a carrier, replaced as a whole (D61).
import { z } from 'zod'
import { putPrices } from '../../actions/carriers/manage-prices.ts'
import type { Ports } from '../../actions/ports.ts'
import { MAX_PRICES } from '../../domain/carriers/carrier-price.ts'
import { fromE4 } from '../../domain/money.ts'
import { requireFound, respond } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import { findPrices, type StoredPriceList } from '../../store/carriers/carrier-prices.ts'
import { findCarrier } from '../../store/carriers/carriers.ts'
import { callerOf, dbOf } from '../authenticate.ts'
import { endpointsOf, OPERATORS } from '../endpoint.ts'
import { byId, currency, price } from '../fields.ts'

const prefix = z
  .string()
  .regex(/^(\+\d{1,15})?$/, 'Must be the beginning of an E.164 number, such as +97798, or empty for all')

const prices = z
  .array(z.strictObject({ prefix, price }))
  .max(MAX_PRICES)
  .superRefine((some, context) => {
    const seen = new Set<string>()
    for (const [index, { prefix }] of some.entries()) {
      const message = `The list has two prices for ${prefix || 'all numbers'}; remove one`
      if (seen.has(prefix)) context.addIssue({ code: 'custom', path: [index, 'prefix'], message })
      seen.add(prefix)
    }
  })

const newPrices = z
  .strictObject({
    currency,
    prices: prices.describe('Prices per segment by prefix, such as `+97798,0.35` in a line of a file.'),
  })
  .meta({ title: 'NewCarrierPrices' })
const pricesAnswer = z
  .object({
    currency: z.string().nullable().describe('Currency of all price lists; null without a price list.'),
    prices: z
      .array(
        z.object({
          prefix: z.string().describe('The longest matching prefix counts; empty for all numbers.'),
          price: z.number().describe('Price per segment.'),
        }),
      )
      .describe('Sorted by prefix.'),
    updatedAt: time.nullable(),
  })
  .meta({ title: 'CarrierPrices' })

const endpoint = endpointsOf('Carriers')
const calls = {
  read: endpoint(OPERATORS, {
    operationId: 'getCarrierPrices',
    summary: 'Get carrier prices',
    params: byId,
    response: { 200: pricesAnswer },
  }),
  put: endpoint(OPERATORS, {
    operationId: 'putCarrierPrices',
    summary: 'Replace carrier prices',
    description: `Up to ${MAX_PRICES} prices per segment. All carriers have the same currency.`,
    params: byId,
    body: newPrices,
    response: { 200: pricesAnswer },
    refusals: ['conflict'],
  }),
}

export function mountCarrierPrices(app: TypedServer, ports: Ports): void {
  app.get('/carriers/:id/prices', calls.read, async (request) => {
    const db = dbOf(ports, request)
    const { id } = request.params
    const [carrier, list] = await Promise.all([findCarrier(db, id), findPrices(db, id)])
    requireFound(carrier)
    return list ? priceListView(list) : { currency: null, prices: [], updatedAt: null }
  })

  app.put('/carriers/:id/prices', calls.put, async (request, reply) => {
    const { currency, prices } = request.body
    const list = prices.map(({ prefix, price }) => ({ prefix, priceE4: price }))
    const result = await putPrices(ports, callerOf(request), { carrierId: request.params.id, currency, prices: list })
    return respond(reply, result, { view: priceListView })
  })
}

function priceListView({ currency, prices, updatedAt }: StoredPriceList) {
  const shown = prices.map(({ prefix, priceE4 }) => ({ prefix, price: fromE4(priceE4) }))
  return { currency, prices: shown.sort((one, other) => (one.prefix < other.prefix ? -1 : 1)), updatedAt }
}
