// Splits messages between carriers with routes of equal priority, in proportion to their weights. Each process keeps its own shares.
import type { Share } from './routing.ts'

/** A carrier that was down catches up on at most this many messages. */
const MOST_BEHIND = 1_000

export class RouteShares {
  /** Messages per weight that each carrier got, by the group of carriers that share. */
  readonly #had = new Map<string, Map<string, number>>()

  /** True if no ready carrier of the group got less for its weight. */
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

  record(carrierId: string, { among, messages }: { among: readonly Share[]; messages: number }): void {
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
