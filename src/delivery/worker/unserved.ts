// Warns of messages that wait where no route leads to a carrier that is switched on: they were taken in, and will wait until
// somebody adds a route, or until their time is up.
import type { Ports } from '../../actions/ports.ts'
import { carriersFor, parseDestination, type QueueGroup, type Route, typeOf } from '../../domain/carriers/routing.ts'
import type { Log } from '../../runtime/log.ts'
import { countDueByDestination } from '../../store/messages/delivery-queue.ts'

const WARNED_AGAIN_MS = 60_000
/** No warning is the graver for a larger number. */
const MOST_COUNTED = 100_000

interface Facts {
  routes: readonly Route[]
  /** Where somebody waits. */
  places: readonly QueueGroup[]
  isEnabled: (carrierId: string) => boolean
}

export class Unserved {
  readonly #ports: Ports
  readonly #log: Log
  #lookedAt: Date | null = null

  constructor(ports: Ports, log: Log) {
    this.#ports = ports
    this.#log = log
  }

  /** To be called as often as one likes: it counts at most once a minute, and only where there may be something to tell. */
  async look(facts: Facts): Promise<void> {
    const { clock, db } = this.#ports
    const now = clock.now()
    if (this.#lookedAt && now.getTime() - this.#lookedAt.getTime() < WARNED_AGAIN_MS) return
    const places = unservedPlaces(facts)
    if (places.length === 0) return
    this.#lookedAt = now
    const due = await countDueByDestination(db, { places, now, limit: MOST_COUNTED })
    if (due.length === 0) return
    const messages = due.reduce((sum, it) => sum + it.messages, 0)
    const countries = [...new Set(due.map((it) => parseDestination(it.destination).country))]
    this.#log.warn({ messages, countries }, 'messages wait where no carrier that is switched on serves')
  }
}

function unservedPlaces({ routes, places, isEnabled }: Facts): QueueGroup[] {
  return places.filter(({ destination, priority }) => {
    const carriers = carriersFor(routes, parseDestination(destination), { type: typeOf(priority) })
    return !carriers.some(isEnabled)
  })
}
