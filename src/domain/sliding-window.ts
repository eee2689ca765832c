// Sliding windows (§5.4, §8.2, D27): how long the next one has to wait.

export interface WindowLimit {
  scope: string
  most: number
  seconds: number
}

/**
 * Whole seconds until one more fits, or 0 when it fits now. `hits` are the times that count, newest first; with as many
 * as the limit allows still inside the window, the oldest of those must leave it first.
 */
export function waitSeconds({ most, seconds }: WindowLimit, hits: readonly Date[], now: Date): number {
  const decisive = most === 0 ? now : hits[most - 1]
  if (!decisive) return 0
  return secondsUntil(new Date(decisive.getTime() + seconds * 1000), now)
}

/** D27: rounded up, so that whoever waits that long is not refused again. */
export function secondsUntil(at: Date, now: Date): number {
  return Math.max(0, Math.ceil((at.getTime() - now.getTime()) / 1000))
}
