// What a message waits for, since when, and until when it may (§3.1, D14, D16, D40): so that waiting can be told from being stuck.

import type { MessageType } from '../message-type.ts'
import { expiresAt } from '../messages/lifetime.ts'
import type { CarrierHealth } from './carrier-health.ts'
import { carriersFor, destinationNamed, type Route } from './routing.ts'

export const WAITING_FOR = [
  'quiet_hours', // promotional text, at night
  'retry', // it was refused for now, and is tried again
  'route', // no route leads to a carrier that is switched on
  'network_down', // no carrier of its routes is bound
  'network_broken', // one is bound, and takes nothing
  'turn', // its carrier works: it is at its rate, or others are before it
  'answer', // a carrier may have it, and has not answered
] as const

export interface Waiting {
  for: (typeof WAITING_FOR)[number]
  since: Date
  /** When that is over, where it is known. */
  until: Date | null
  /** From then on it is not submitted any more. */
  endsAt: Date
  /** The carrier's word on it, or ours. */
  reason: string | null
}

export interface WaitingFacts {
  message: { type: MessageType; createdAt: Date; updatedAt: Date }
  /** Its place in the queue; null while somebody has a claim on it, or it has left it. */
  queued: { destination: string; avoidCarrierId: string | null; dueAt: Date } | null
  /** Its last submission, if there was one. */
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

/** It could go now. */
function explainDue(
  { destination, avoidCarrierId, dueAt }: NonNullable<WaitingFacts['queued']>,
  { message: { type, createdAt }, routes, healthOf }: WaitingFacts,
): Pick<Waiting, 'for' | 'since' | 'reason'> {
  const dueSince = later(createdAt, dueAt)
  const carriers = carriersFor(routes, destinationNamed(destination), { type, avoidCarrierId }).map(healthOf)
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
