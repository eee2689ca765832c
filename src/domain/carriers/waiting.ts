// Why a message waits, since when, and until when (§3.1, D14, D16, D40). It distinguishes waiting messages from stuck ones.

import type { MessageType } from '../message-type.ts'
import { expiresAt } from '../messages/lifetime.ts'
import type { CarrierHealth } from './carrier-health.ts'
import { carriersFor, parseDestination, type Route } from './routing.ts'

export const WAITING_FOR = [
  'quiet_hours', // promotional text, at night
  'retry', // rejected temporarily, retried later
  'route', // no route to an enabled carrier
  'network_down', // no carrier of its routes is connected
  'network_broken', // a carrier is connected, but accepts nothing
  'turn', // its carrier works, at its rate limit or busy with earlier messages
  'answer', // a carrier may have it, but has not answered
] as const

export interface Waiting {
  for: (typeof WAITING_FOR)[number]
  since: Date
  /** When the wait ends; null if unknown. */
  until: Date | null
  /** The message is not submitted after this time. */
  endsAt: Date
  /** The reason from the carrier or the connection. */
  reason: string | null
}

export interface WaitingFacts {
  message: { type: MessageType; createdAt: Date; updatedAt: Date }
  /** The queue entry; null while the message is claimed, and after it left the queue. */
  queued: { destination: string; avoidCarrierId: string | null; dueAt: Date } | null
  submitted: { claimedAt: Date; answeredAt: Date | null } | null
  isNight: boolean
  routes: readonly Route[]
  healthOf: (carrierId: string) => CarrierHealth
  now: Date
}

export function explainWaiting(facts: WaitingFacts): Waiting {
  const { message, queued, submitted, isNight, now } = facts
  const endsAt = expiresAt(message)
  if (!queued) {
    return { for: 'answer', since: submitted?.claimedAt ?? message.createdAt, until: null, endsAt, reason: null }
  }
  if (queued.dueAt > now) {
    const since = isNight ? message.updatedAt : (submitted?.answeredAt ?? message.updatedAt)
    return { for: isNight ? 'quiet_hours' : 'retry', since, until: queued.dueAt, endsAt, reason: null }
  }
  return { ...explainDue(queued, facts), until: null, endsAt }
}

/** The message is due now. */
function explainDue(
  { destination, avoidCarrierId, dueAt }: NonNullable<WaitingFacts['queued']>,
  { message: { type, createdAt }, routes, healthOf }: WaitingFacts,
): Pick<Waiting, 'for' | 'since' | 'reason'> {
  const dueSince = later(createdAt, dueAt)
  const carriers = carriersFor(routes, parseDestination(destination), { type, avoidCarrierId }).map(healthOf)
  const of = (state: CarrierHealth['state']) => carriers.find((it) => it.state === state)
  if (of('working')) return { for: 'turn', since: dueSince, reason: null }
  const down = of('broken') ?? of('down')
  if (!down) return { for: 'route', since: dueSince, reason: null }
  const since = down.since ? later(dueSince, down.since) : dueSince
  return { for: down.state === 'broken' ? 'network_broken' : 'network_down', since, reason: down.reason }
}

function later(one: Date, other: Date): Date {
  return one > other ? one : other
}
