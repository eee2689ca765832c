// Hearing the events of a client from a computer that no address leads to (D45): who may listen, for how long, and how much may wait.
import { type Refusal, refuse } from '../refusals.ts'

/** So long events are kept for a listener that says nothing: enough for a restart of either side. */
export const LISTENING_SECONDS = 600
/** It is moved on by steps of this, so that asking every second writes little. */
const RENEWED_AFTER_SECONDS = 60
/** D43: with more than these waiting, it is not moved on until some were taken. */
export const MOST_WAITING_EVENTS = 10_000
/** How many are handed out, and how many are said to be told, at once. */
export const MOST_EVENTS_AT_ONCE = 50
/** With the history of webhooks (§6.4 rule 4). */
export const LISTENING_EVENTS_SECONDS = 7 * 86_400

export interface Listening {
  /** Whose it is, in words: after a restart the same one goes on. */
  listener: string
  /** One run of the command: of two of the same listener the newer one goes on. */
  session: string
  until: Date
}

export const LISTENING_WAYS = ['begin', 'renew', 'takeOver'] as const

export interface ListenRequest {
  listener: string
  session: string
  as: (typeof LISTENING_WAYS)[number]
}

interface Taken {
  until: Date
  /** Whether anything is to be stored. */
  isStored: boolean
  /** Not by a session that had it already. */
  isNew: boolean
  /** What waits is none of ours: it is another listener's, or was written in the moment that a listening ended. */
  isAfresh: boolean
  /** So many wait that it is not prolonged. */
  isFull: boolean
  /** From then on nobody listened, and nothing was kept. */
  missedSince: Date | null
}

/** Whether it is time to move its end on: a new session does so at once. */
export function isToBeMoved(held: Listening | null, session: string, now: Date): boolean {
  if (held === null || held.session !== session) return true
  return held.until.getTime() - now.getTime() <= (LISTENING_SECONDS - RENEWED_AFTER_SECONDS) * 1000
}

/** One listener per client: another one is refused by name, unless it takes over or nobody listens any more. */
export function takeListening(
  held: Listening | null,
  { listener, session, as }: ListenRequest,
  { now, isFull }: { now: Date; isFull: boolean },
): Taken | Refusal {
  const isOver = held === null || held.until <= now
  const isOurs = held?.listener === listener
  const isSameSession = isOurs && held?.session === session
  if (held && !isSameSession && as === 'renew') return refuse('conflict', { error: `${held.listener} listens instead` })
  if (held && !isOver && !isOurs && as === 'begin') {
    const error = `${held.listener} listens to this client, until ${held.until.toISOString()} at least`
    return refuse('conflict', { error })
  }
  // One that is full ends when it ends: its events are taken first.
  const stays = held !== null && isOurs && (isFull || !isToBeMoved(held, session, now))
  const until = stays ? held.until : new Date(now.getTime() + LISTENING_SECONDS * 1000)
  return {
    until,
    isFull,
    isStored: !isSameSession || !stays,
    isNew: !isSameSession,
    isAfresh: !isOurs,
    missedSince: held && isOurs && isOver && !stays ? held.until : null,
  }
}
