// Carriers that share what routes of equal priority serve, each by its weight: whoever has had least for his weight is next. It is
// kept by each process, among the carriers that it has bound.
import type { Share } from './routing.ts'

/** Of so many messages at most a carrier that was away catches up on its part. */
const MOST_BEHIND = 1_000

export class RouteShares {
  /** By who shares: what each has had, by its weight. */
  readonly #had = new Map<string, Map<string, number>>()

  /** Whether nobody is before it who could take some now. */
  isNext(carrierId: string, among: readonly Share[], isReady: (carrierId: string) => boolean): boolean {
    const had = this.#hadBy(among)
    const own = had.get(carrierId) ?? 0
    return among.every(
      (it) =>
        it.carrierId === carrierId ||
        !isReady(it.carrierId) ||
        own < hadOf(had, it) ||
        (own === hadOf(had, it) && carrierId < it.carrierId),
    )
  }

  give(carrierId: string, { among, messages }: { among: readonly Share[]; messages: number }): void {
    const share = among.find((it) => it.carrierId === carrierId)
    if (!share) return
    const had = this.#hadBy(among)
    had.set(carrierId, hadOf(had, share) + messages / share.weight)
    const most = Math.max(...had.values())
    const least = most - MOST_BEHIND / among.reduce((sum, { weight }) => sum + weight, 0)
    for (const it of among) had.set(it.carrierId, Math.max(least, hadOf(had, it)))
  }

  #hadBy(among: readonly Share[]): Map<string, number> {
    const key = among.map(({ carrierId, weight }) => `${carrierId} ${weight}`).join()
    return this.#had.getOrInsertComputed(key, () => new Map())
  }
}

function hadOf(had: ReadonlyMap<string, number>, { carrierId }: Share): number {
  return had.get(carrierId) ?? 0
}
