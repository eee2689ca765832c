// How many codes were sent, delivered and verified.

interface Counts {
  sent: number
  delivered: number
  verified: number
}

/** Verified; delivered but not verified; neither. A verified code was delivered even without a receipt. */
export function stagesOf({ sent, delivered, verified }: Counts): [number, number, number] {
  const arrived = Math.max(delivered, verified)
  return [verified, arrived - verified, Math.max(0, sent - arrived)]
}

export function sumOf(counts: readonly Counts[]): Counts {
  const sum = { sent: 0, delivered: 0, verified: 0 }
  for (const { sent, delivered, verified } of counts) {
    sum.sent += sent
    sum.delivered += delivered
    sum.verified += verified
  }
  return sum
}
