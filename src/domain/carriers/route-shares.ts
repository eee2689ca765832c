// Splits messages between carriers with routes of equal priority, in proportion to their weights. Each process keeps its own shares.
import type { Share } from './routing.ts'

/** A carrier that was down catches up on at most this many messages. */
const MAX_CATCH_UP = 1_000

export class RouteShares {
  /** Messages per weight that each carrier got, by the group of carriers that share. */
  readonly #usage = new Map<string, Map<string, number>>()

  /** True if no ready carrier of the group got less for its weight. */
  isNext(carrierId: string, among: readonly Share[], isReady: (carrierId: string) => boolean): boolean {
    const usage = this.#usageBy(among)
    const own = usage.get(carrierId) ?? 0
    return among.every(
      (it) =>
        it.carrierId === carrierId ||
        !isReady(it.carrierId) ||
        own < usageOf(usage, it) ||
        (own === usageOf(usage, it) && carrierId < it.carrierId),
    )
  }

  record(carrierId: string, { among, messages }: { among: readonly Share[]; messages: number }): void {
    const share = among.find((it) => it.carrierId === carrierId)
    if (!share) return
    const usage = this.#usageBy(among)
    usage.set(carrierId, usageOf(usage, share) + messages / share.weight)
    const most = Math.max(...usage.values())
    const least = most - MAX_CATCH_UP / among.reduce((sum, { weight }) => sum + weight, 0)
    for (const it of among) usage.set(it.carrierId, Math.max(least, usageOf(usage, it)))
  }

  #usageBy(among: readonly Share[]): Map<string, number> {
    const key = among.map(({ carrierId, weight }) => `${carrierId} ${weight}`).join()
    return this.#usage.getOrInsertComputed(key, () => new Map())
  }
}

function usageOf(usage: ReadonlyMap<string, number>, { carrierId }: Share): number {
  return usage.get(carrierId) ?? 0
}
