// Carrier figures of this process that are not stored yet. They are written periodically, outside the path of messages.
import { type FigureCounts, NO_FIGURES, slotOf } from '../../domain/carriers/carrier-figures.ts'
import type { Route } from '../../domain/carriers/routing.ts'
import { callingPrefix } from '../../domain/phone-number.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { CountedFigure } from '../../store/carriers/carrier-figures.ts'

type Key = Pick<CountedFigure, 'carrierId' | 'prefix' | 'slot'>

export class Figures {
  readonly #clock: Clock
  #counted = new Map<string, Key & FigureCounts>()
  #prefixes: ReadonlySet<string> = new Set()
  #longest = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Figures are kept by the prefixes of routes and the calling codes of countries. */
  setPrefixes(routes: readonly Route[], countries: readonly { code: string }[]): void {
    const named = routes.flatMap((route) =>
      route.country === '*' ? [] : [callingPrefix(route.country), ...route.prefixes],
    )
    this.#prefixes = new Set([...named, ...countries.map(({ code }) => callingPrefix(code))])
    this.#longest = Math.max(0, ...Array.from(this.#prefixes, (prefix) => prefix.length))
  }

  add({ carrierId, to }: { carrierId: string; to: string }, more: Partial<FigureCounts>): void {
    this.#count({ carrierId, prefix: this.#prefixOf(to), slot: slotOf(this.#clock.now()) }, more)
  }

  /** Writes all figures. After a failure they are kept for the next call. */
  async write(keep: (counted: CountedFigure[]) => Promise<unknown>): Promise<void> {
    const counted = [...this.#counted.values()]
    this.#counted = new Map()
    try {
      await keep(counted)
    } catch (error) {
      for (const { carrierId, prefix, slot, ...counts } of counted) this.#count({ carrierId, prefix, slot }, counts)
      throw error
    }
  }

  #count({ carrierId, prefix, slot }: Key, more: Partial<FigureCounts>): void {
    const key = `${carrierId} ${prefix} ${slot.getTime()}`
    const row = this.#counted.getOrInsertComputed(key, () => ({ carrierId, prefix, slot, ...NO_FIGURES }))
    for (const [what, count] of Object.entries(more) as [keyof FigureCounts, number][]) row[what] += count
  }

  /** The longest matching prefix, or '' if none matches. */
  #prefixOf(to: string): string {
    for (let length = Math.min(this.#longest, to.length); length > 0; length--) {
      const beginning = to.slice(0, length)
      if (this.#prefixes.has(beginning)) return beginning
    }
    return ''
  }
}
