// The health of a webhook endpoint (D73): when it is failing, its counts by half hour, and when its owners are notified.
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../durations.ts'

export const ENDPOINT_STATES = ['failing', 'healthy', 'idle', 'disabled'] as const
export type EndpointState = (typeof ENDPOINT_STATES)[number]

/** An endpoint is failing after this many failed attempts without a success. */
export const MIN_FAILURES = 3
export const HALF_HOUR_MS = 30 * MINUTE_MS
/** A day, with the current half hour. */
export const HALF_HOURS_SHOWN = DAY_MS / HALF_HOUR_MS

/** The owners of a failing endpoint are notified after this time, because many failures end soon. */
export const NOTIFY_AFTER_MS = 10 * MINUTE_MS
/** At most one mail of each kind per endpoint, so that an endpoint that alternates does not fill mailboxes. */
export const NOTIFY_ENDPOINT_EVERY_MS = HOUR_MS
/** At most one mail of each kind per workspace (D43): the number of mails does not depend on its number of endpoints. */
export const NOTIFY_WORKSPACE_EVERY_MS = 10 * MINUTE_MS

export function halfHourOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / HALF_HOUR_MS) * HALF_HOUR_MS)
}

/** The start of the first half hour of the last day. */
export function startOfDay(now: Date): Date {
  return new Date(halfHourOf(now).getTime() - (HALF_HOURS_SHOWN - 1) * HALF_HOUR_MS)
}

export interface HalfHourSum {
  clientId: string
  halfHour: Date
  succeeded: number
  failed: number
}

/** All half hours of the last day, oldest first. */
export function byHalfHour(
  sums: readonly HalfHourSum[],
  now: Date,
): { startsAt: Date; succeeded: number; failed: number }[] {
  const first = startOfDay(now).getTime()
  const known = new Map(sums.map((it) => [it.halfHour.getTime(), it]))
  return Array.from({ length: HALF_HOURS_SHOWN }, (_, at) => {
    const startsAt = first + at * HALF_HOUR_MS
    const { succeeded = 0, failed = 0 } = known.get(startsAt) ?? {}
    return { startsAt: new Date(startsAt), succeeded, failed }
  })
}

export interface EndpointAttempt {
  clientId: string
  attemptedAt: Date
  milliseconds: number
  statusCode: number | null
  failure: string | null
  isSuccess: boolean
}

/** The attempts of one endpoint in one batch. */
export interface EndpointSum {
  clientId: string
  latest: EndpointAttempt
  succeededAt: Date | null
  /** After the last success of the batch; without a success, of the whole batch. */
  failures: number
  firstFailureAt: Date | null
}

/** Sums by endpoint and half hour, sorted by client: transactions lock the rows in this order, which prevents deadlocks. */
export function sumAttempts(attempts: readonly EndpointAttempt[]): {
  halfHours: HalfHourSum[]
  endpoints: EndpointSum[]
} {
  // By the time of the response. A slow attempt can start before and end after a fast one.
  const ordered = attempts.toSorted((a, b) => compare(a.clientId, b.clientId) || endOf(a) - endOf(b))
  const halfHours = new Map<string, HalfHourSum>()
  const endpoints = new Map<string, EndpointSum>()
  for (const attempt of ordered) {
    const { clientId, attemptedAt, isSuccess } = attempt
    const halfHour = halfHourOf(attemptedAt)
    const sum = halfHours.getOrInsertComputed(`${clientId} ${halfHour.getTime()}`, () => ({
      ...{ clientId, halfHour, succeeded: 0, failed: 0 },
    }))
    sum[isSuccess ? 'succeeded' : 'failed'] += 1
    const before = endpoints.get(clientId)
    endpoints.set(clientId, {
      ...{ clientId, latest: attempt },
      succeededAt: isSuccess ? attemptedAt : (before?.succeededAt ?? null),
      failures: isSuccess ? 0 : (before?.failures ?? 0) + 1,
      firstFailureAt: isSuccess ? null : (before?.firstFailureAt ?? attemptedAt),
    })
  }
  const sorted = [...halfHours.values()].toSorted(
    (a, b) => compare(a.clientId, b.clientId) || a.halfHour.getTime() - b.halfHour.getTime(),
  )
  return { halfHours: sorted, endpoints: [...endpoints.values()] }
}

function endOf({ attemptedAt, milliseconds }: EndpointAttempt): number {
  return attemptedAt.getTime() + milliseconds
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
