// What a carrier charges per segment, by the beginning of a number: the longest that is known of it (D61).

export interface CarrierPrice {
  /** Of E.164 numbers, such as +97798; empty for all. */
  prefix: string
  priceE4: number
}

export interface PriceList {
  /** ISO 4217. All lists are in one, so that they can be compared. */
  currency: string
  prices: readonly CarrierPrice[]
}

export const MOST_PRICES = 1_000

/** By the list they stand in: it is asked for every segment. */
const known = new WeakMap<readonly CarrierPrice[], ReadonlyMap<string, number>>()

/** null where the list says nothing of the number. */
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

/** What a submission costs once it is taken; null where that is not known, or not in the currency the workspace pays in. */
export function submissionCostE4(
  list: PriceList | undefined,
  { to, currency, segments }: { to: string; currency: string; segments: number },
): number | null {
  if (!list || list.currency !== currency) return null
  const priceE4 = priceOf(list.prices, to)
  return priceE4 === null ? null : priceE4 * segments
}
