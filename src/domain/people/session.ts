// How long somebody stays signed in, and for how long that counts as fresh.
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

export const IDLE_HOURS = 12
export const LONGEST_DAYS = 14
export const FRESH_MINUTES = 10
/** More, and the one that was not used for longest goes. */
export const MOST_SESSIONS = 20

interface Times {
  createdAt: Date
  signedInAt: Date
  lastSeenAt: Date
}

export function sessionEnd({ createdAt, lastSeenAt }: Pick<Times, 'createdAt' | 'lastSeenAt'>): Date {
  const idle = lastSeenAt.getTime() + IDLE_HOURS * HOUR_MS
  return new Date(Math.min(idle, createdAt.getTime() + LONGEST_DAYS * 24 * HOUR_MS))
}

/** Until when it may show secrets and move money. */
export function freshUntil({ signedInAt }: Pick<Times, 'signedInAt'>): Date {
  return new Date(signedInAt.getTime() + FRESH_MINUTES * MINUTE_MS)
}

export function isFresh(session: Pick<Times, 'signedInAt'>, now: Date): boolean {
  return freshUntil(session) > now
}

/** That somebody was here is written down once a minute at most: a request is no write. */
export function isWorthTelling(lastAt: Date | null, now: Date): boolean {
  return lastAt === null || now.getTime() - lastAt.getTime() >= MINUTE_MS
}
