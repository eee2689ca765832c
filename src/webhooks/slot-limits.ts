// The limits of webhook deliveries (§6.4, D43): the slots of an endpoint, which its attempts adapt, and fair shares of what is free.
export type AttemptRank = 'first' | 'retry'
/** Withdrawn: without an attempt. */
export type AttemptEnd = 'succeeded' | 'timedOut' | 'failed' | 'withdrawn'

export type ByRank = Record<AttemptRank, number>

/** What the attempts of an endpoint have shown. */
export interface EndpointPace {
  slots: number
  timeOutsInARow: number
  /** The average duration of attempts, of which the latest count most. */
  averageMs: number
}

// An endpoint starts with few slots and gets more with every success. An unreachable endpoint therefore never holds many slots, and a
// start with a backlog does not dial hundreds of connections at once.
export const SLOTS_AT_FIRST = 4
const SLOTS_PER_ENDPOINT = 20
const TIME_OUTS_UNTIL_NARROW = 3
const RETRY_SHARE = 1 / 4

// An endpoint that has succeeded holds places ahead: as many as it posts within this time, up to a number per slot.
const MAX_AHEAD_MS = 5_000
const MAX_AHEAD_PER_SLOT = 20
/** The weight of an attempt in the average duration. */
const AVERAGE_WEIGHT = 1 / 16

export function zeroByRank(): ByRank {
  return { first: 0, retry: 0 }
}

export function totalOf({ first, retry }: ByRank): number {
  return first + retry
}

/** What an endpoint may hold: no more than it can post at once, until it has succeeded. */
export function capacityOf({ slots, averageMs }: EndpointPace): number {
  if (slots <= SLOTS_AT_FIRST) return slots
  return slots * (1 + Math.min(MAX_AHEAD_PER_SLOT, Math.floor(MAX_AHEAD_MS / Math.max(1, averageMs))))
}

/** Free slots or places of the rank. `used` may exceed them after a reduction. */
export function freeOf(rank: AttemptRank, all: number, used: ByRank): number {
  const free = Math.max(0, all - totalOf(used))
  if (rank === 'first') return free
  const ofRetries = Math.max(1, Math.floor(all * RETRY_SHARE))
  return Math.max(0, Math.min(free, ofRetries - used.retry))
}

/** What one workspace or endpoint may take of what is free, so that it never holds more than stays free. */
export function fairShare(rank: AttemptRank, free: number, used: ByRank): number {
  const own = rank === 'first' ? totalOf(used) : used.retry
  return Math.max(0, Math.ceil((free - own) / 2))
}

/** Applies the end of an attempt to the number of slots. */
export function adaptSlots(endpoint: EndpointPace, end: AttemptEnd, milliseconds: number): void {
  endpoint.averageMs += (milliseconds - endpoint.averageMs) * AVERAGE_WEIGHT
  endpoint.timeOutsInARow = end === 'timedOut' ? endpoint.timeOutsInARow + 1 : 0
  if (endpoint.timeOutsInARow >= TIME_OUTS_UNTIL_NARROW) endpoint.slots = 1
  if (end === 'succeeded') endpoint.slots = Math.min(endpoint.slots * 2, SLOTS_PER_ENDPOINT)
}
