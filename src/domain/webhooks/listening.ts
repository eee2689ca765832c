// Receiving the events of a client on a computer without a public address (D45): who may listen, for how long, and how many events may wait.
import { DAY_SECONDS } from '../durations.ts'
import { type Refusal, refuse } from '../refusals.ts'

/** How long events are kept for a silent listener: enough for a restart of either side. */
export const LISTENING_SECONDS = 600
/** The end moves in steps of this, so that polling every second causes few writes. */
const RENEWED_AFTER_SECONDS = 60
/** D43: with more waiting events, the end does not move until some are done. */
export const MAX_WAITING_EVENTS = 10_000
/** How many events are returned, and how many may be acknowledged, at once. */
export const MAX_EVENTS_AT_ONCE = 50
/** As long as the history of webhooks (§6.4 rule 4). */
export const LISTENING_EVENTS_SECONDS = 7 * DAY_SECONDS

export interface Listening {
  /** The name of the listener, which may continue after a restart. */
  listener: string
  /** One run of the command: of two runs of the same listener the newer one continues. */
  session: string
  until: Date
}

export const LISTENING_MODES = ['begin', 'renew', 'takeOver'] as const

export interface ListenRequest {
  listener: string
  session: string
  as: (typeof LISTENING_MODES)[number]
}

interface ListeningLease {
  until: Date
  /** Whether anything must be stored. */
  isStored: boolean
  /** Started by a session that did not hold it before. */
  isNew: boolean
  /** Waiting events belong to another listener, or were stored as a listening ended: they are dropped. */
  dropsWaiting: boolean
  /** So many events wait that the end does not move. */
  isFull: boolean
  /** Without a listener from then on, no events were kept. */
  missedSince: Date | null
}

/** Whether the end must move; for a new session it moves immediately. */
export function needsRenewal(held: Listening | null, session: string, now: Date): boolean {
  if (held === null || held.session !== session) return true
  return held.until.getTime() - now.getTime() <= (LISTENING_SECONDS - RENEWED_AFTER_SECONDS) * 1000
}

/** One listener per client. Another one is rejected with the name of the first, unless it takes over or the first has ended. */
export function leaseListening(
  held: Listening | null,
  { listener, session, as }: ListenRequest,
  { now, isFull }: { now: Date; isFull: boolean },
): ListeningLease | Refusal {
  const isOver = held === null || held.until <= now
  const isOurs = held?.listener === listener
  const isSameSession = isOurs && held?.session === session
  if (held && !isSameSession && as === 'renew')
    return refuse('conflict', { error: `${held.listener} is listening instead` })
  if (held && !isOver && !isOurs && as === 'begin') {
    const error = `${held.listener} is listening to this client, at least until ${held.until.toISOString()}`
    return refuse('conflict', { error })
  }
  // A full one ends at its time, so that its events are processed first.
  const stays = held !== null && isOurs && (isFull || !needsRenewal(held, session, now))
  const until = stays ? held.until : new Date(now.getTime() + LISTENING_SECONDS * 1000)
  return {
    until,
    isFull,
    isStored: !isSameSession || !stays,
    isNew: !isSameSession,
    dropsWaiting: !isOurs,
    missedSince: held && isOurs && isOver && !stays ? held.until : null,
  }
}
