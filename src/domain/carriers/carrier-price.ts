// What a carrier charges per segment, by the longest matching prefix of a number (D61).

export interface CarrierPrice {
  /** Of E.164 numbers, for example +97798; empty for all. */
  prefix: string
  priceE4: number
}

export interface PriceList {
  /** ISO 4217. All lists have the same currency, so that prices can be compared. */
  currency: string
  prices: readonly CarrierPrice[]
}

export const MAX_PRICES = 1_000

/** Cached per price list, because every segment needs a lookup. */
const known = new WeakMap<readonly CarrierPrice[], ReadonlyMap<string, number>>()

/** null if no prefix matches. */
export function priceOf(prices: readonly CarrierPrice[], number: string): number | null {
  if (prices.length === 0) return null
  let byPrefix = known.get(prices)
  if (!byPrefix) {
    byPrefix = new Map(prices.map(({ prefix, priceE4 }) => [prefix, priceE4]))
    known.set(prices, byPrefix)
  }
  for (let length = number.length; length >= 0; length--) {
    const price = byPrefix.get(number.slice(0, length))
    if (price !== undefined) return price
  }
  return null
}

/** The cost of an accepted submission; null if the price is unknown, or not in the workspace's currency. */
export function submissionCostE4(
  list: PriceList | undefined,
  { to, currency, segments }: { to: string; currency: string; segments: number },
): number | null {
  if (!list || list.currency !== currency) return null
  const priceE4 = priceOf(list.prices, to)
  return priceE4 === null ? null : priceE4 * segments
}
