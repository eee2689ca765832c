// Groups the places of the queue by the carrier, country or message type that delays their messages.
import { carriersFor, parseDestination, type QueueGroup, type Route, typeOf } from '../carriers/routing.ts'
import type { MessageType } from '../message-type.ts'

/** The names of the groups. */
export const waitingGroup = {
  /** The messages wait for this carrier, which accepts nothing. */
  ofCarrier: (id: string) => `carrier ${id}`,
  /** No enabled carrier serves the messages. */
  ofCountry: (code: string) => `country ${code}`,
  /** A working carrier serves the messages. */
  ofType: (type: MessageType) => `type ${type}`,
  /** Sending is paused. */
  all: 'all',
}

interface WaitingFacts {
  routes: readonly Route[]
  /** Ids of the carriers that accept messages. */
  working: ReadonlySet<string>
  enabled: ReadonlySet<string>
}

/** The carriers that the messages of a place wait for: those that work, or else all that are enabled. */
function awaitedCarriers(
  { destination, priority }: Pick<QueueGroup, 'destination' | 'priority'>,
  { routes, working, enabled }: WaitingFacts,
): { carrierIds: string[]; isServed: boolean } {
  const serving = carriersFor(routes, parseDestination(destination), { type: typeOf(priority) })
  const accepting = serving.filter((id) => working.has(id))
  const isServed = accepting.length > 0
  return { isServed, carrierIds: isServed ? accepting : serving.filter((id) => enabled.has(id)) }
}

/** The places of the queue whose messages wait for the carrier. */
export function placesAwaiting(carrierId: string, places: readonly QueueGroup[], facts: WaitingFacts): QueueGroup[] {
  return places.filter((place) => awaitedCarriers(place, facts).carrierIds.includes(carrierId))
}

/** Groups the places of the queue. A place may wait for several carriers. */
export function groupPlaces(
  places: readonly QueueGroup[],
  { smsEnabled, ...facts }: WaitingFacts & { smsEnabled: boolean },
): Map<string, QueueGroup[]> {
  const groups = new Map<string, QueueGroup[]>()
  const groupsOf = (place: QueueGroup): string[] => {
    const { carrierIds, isServed } = awaitedCarriers(place, facts)
    if (isServed) return [waitingGroup.ofType(typeOf(place.priority))]
    return carrierIds.length > 0
      ? carrierIds.map(waitingGroup.ofCarrier)
      : [waitingGroup.ofCountry(parseDestination(place.destination).country)]
  }
  const known = new Map<string, string[]>()
  for (const place of places) {
    // Places of one destination and type differ in the avoided carrier, which does not matter here.
    const waited = known.getOrInsertComputed(`${place.priority} ${place.destination}`, () => groupsOf(place))
    for (const group of smsEnabled ? waited : [waitingGroup.all])
      groups.getOrInsertComputed(group, () => []).push(place)
  }
  return groups
}
