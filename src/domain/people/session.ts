// How long a session lasts, and how long it counts as fresh.

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../durations.ts'

export const IDLE_HOURS = 12
export const MAX_SESSION_DAYS = 14
export const FRESH_MINUTES = 10
/** Beyond this, the session that was unused for longest ends. */
export const MAX_SESSIONS = 20

interface Times {
  createdAt: Date
  signedInAt: Date
  lastSeenAt: Date
}

export function sessionEnd({ createdAt, lastSeenAt }: Pick<Times, 'createdAt' | 'lastSeenAt'>): Date {
  const idle = lastSeenAt.getTime() + IDLE_HOURS * HOUR_MS
  return new Date(Math.min(idle, createdAt.getTime() + MAX_SESSION_DAYS * DAY_MS))
}

/** Until when the session may show secrets and move money. */
export function freshUntil({ signedInAt }: Pick<Times, 'signedInAt'>): Date {
  return new Date(signedInAt.getTime() + FRESH_MINUTES * MINUTE_MS)
}

export function isRecentlyAuthenticated(session: Pick<Times, 'signedInAt'>, now: Date): boolean {
  return freshUntil(session) > now
}

/** The last activity is stored at most once a minute, so that a request causes no write. */
export function isActivityDue(lastAt: Date | null, now: Date): boolean {
  return lastAt === null || now.getTime() - lastAt.getTime() >= MINUTE_MS
}
