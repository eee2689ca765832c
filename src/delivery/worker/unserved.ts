// Warns about waiting messages that no enabled route serves.
import type { Ports } from '../../actions/ports.ts'
import { carriersFor, parseDestination, type QueueGroup, type Route, typeOf } from '../../domain/carriers/routing.ts'
import type { Log } from '../../runtime/log.ts'
import { countDueByDestination } from '../../store/messages/queue-depth.ts'

const WARN_INTERVAL_MS = 60_000
/** Limits the cost of the count; the warning needs no exact number. */
const MAX_COUNTED = 100_000

interface Facts {
  routes: readonly Route[]
  /** Places with waiting messages. */
  places: readonly QueueGroup[]
  isEnabled: (carrierId: string) => boolean
}

export class Unserved {
  readonly #ports: Ports
  readonly #log: Log
  #checkedAt: Date | null = null

  constructor(ports: Ports, log: Log) {
    this.#ports = ports
    this.#log = log
  }

  /** Counts at most once per minute. */
  async check(facts: Facts): Promise<void> {
    const { clock, db } = this.#ports
    const now = clock.now()
    if (this.#checkedAt && now.getTime() - this.#checkedAt.getTime() < WARN_INTERVAL_MS) return
    const places = unservedPlaces(facts)
    if (places.length === 0) return
    this.#checkedAt = now
    const due = await countDueByDestination(db, { places, now, limit: MAX_COUNTED })
    if (due.length === 0) return
    const messages = due.reduce((sum, it) => sum + it.messages, 0)
    const countries = [...new Set(due.map((it) => parseDestination(it.destination).country))]
    this.#log.warn({ messages, countries }, 'messages waiting without an enabled route')
  }
}

function unservedPlaces({ routes, places, isEnabled }: Facts): QueueGroup[] {
  return places.filter(({ destination, priority }) => {
    const carriers = carriersFor(routes, parseDestination(destination), { type: typeOf(priority) })
    return !carriers.some(isEnabled)
  })
}
