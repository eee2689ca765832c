// Replaces the price list of a carrier and notifies delivery (D61).
import type { PriceList } from '../../domain/carriers/carrier-price.ts'
import { type Refusal, refuse } from '../../domain/refusals.ts'
import {
  findPrices,
  lockPriceCurrency,
  type StoredPriceList,
  storePrices,
} from '../../store/carriers/carrier-prices.ts'
import { lockCarrier } from '../../store/carriers/carriers.ts'
import type { Caller, Ports } from '../ports.ts'
import { recordChange } from '../record-change.ts'
import { changingCarriers } from './manage-carriers.ts'

export function putPrices(
  ports: Ports,
  caller: Caller,
  { carrierId, currency, prices }: PriceList & { carrierId: string },
): Promise<StoredPriceList | Refusal> {
  return changingCarriers(ports, caller, async (tx) => {
    if (!(await lockCarrier(tx, carrierId))) return refuse('not_found')
    const others = await lockPriceCurrency(tx, carrierId)
    // Prices in different currencies cannot be compared.
    if (prices.length > 0 && others !== null && others !== currency)
      return refuse('conflict', { error: `The prices of the other carriers are in ${others}` })
    const before = await findPrices(tx, carrierId)
    await storePrices(tx, { carrierId, currency, prices, now: ports.clock.now() })
    const after = await findPrices(tx, carrierId)
    if (!after) throw new Error('stored prices not found')
    const details = { prices: { from: before?.prices.length ?? 0, to: prices.length }, currency }
    const change = { workspaceId: null, action: 'carrier.prices_changed', subject: carrierId, details }
    await recordChange(tx, { ports, caller, ...change })
    return after
  })
}
