// One spelling for a carrier's message id: submit_sm_resp and the receipt often write the same id differently.

/** How a carrier writes an id. Some answer a submission in hex and send the receipt in decimal, or the other way round. */
export type IdNotation = 'opaque' | 'hex' | 'decimal'

/** SMPP 3.4 §5.2.23. What a carrier writes beyond that is cut off, wherever it writes it, so that its ids still match. */
export const LONGEST_MESSAGE_ID = 65

/**
 * Equal for two spellings of one id: case folded, leading zeros and 0x stripped, hex and decimal both as decimal. Where numbers
 * are meant, 0x says of itself that the number is in hex.
 */
export function normaliseMessageId(id: string, notation: IdNotation): string {
  const folded = id.trim().slice(0, LONGEST_MESSAGE_ID).toLowerCase()
  const hex = /^0x([0-9a-f]+)$/.exec(folded)?.[1]
  const digits = hex ?? folded
  const isHex = notation === 'hex' || (notation === 'decimal' && hex !== undefined)
  if (isHex && /^[0-9a-f]+$/.test(digits)) return BigInt(`0x${digits}`).toString()
  // What is not a number is no number in any notation: a carrier's odd one out is compared as it is.
  return digits.replace(/^0+(?=.)/, '')
}
