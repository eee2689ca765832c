// One spelling for a carrier's message id: submit_sm_resp and the receipt often write the same id differently.

/** How a carrier writes an id. Some answer a submission in hex and send the receipt in decimal, or the other way round. */
export type IdNotation = 'opaque' | 'hex' | 'decimal'

/** Equal for two spellings of one id: case folded, leading zeros stripped, hex and decimal both as decimal. */
export function normaliseMessageId(id: string, notation: IdNotation): string {
  const folded = id.trim().toLowerCase()
  if (notation === 'hex' && /^[0-9a-f]+$/.test(folded)) return BigInt(`0x${folded}`).toString()
  // What is not a number is no number in any notation: a carrier's odd one out is compared as it is.
  return folded.replace(/^0+(?=.)/, '')
}
