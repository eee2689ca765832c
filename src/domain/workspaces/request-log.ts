// What is kept of the requests of API clients: what was asked and what came of it, never a body, a key or a number.

export interface AnsweredRequest {
  id: string
  workspaceId: string
  clientId: string
  method: string
  /** As it is mounted, not as it was asked for: an address may name something. */
  route: string
  status: number
  /** Of a refusal; empty where there was none. */
  code: string
  milliseconds: number
  at: Date
}

const HOUR_MS = 3_600_000

/** When so many hours began, this one included. They are those of UTC, since what is summed by them is read as one. */
export function hoursBack(now: Date, count: number): Date {
  return new Date(now.getTime() - (now.getTime() % HOUR_MS) - (count - 1) * HOUR_MS)
}

export interface RequestSum {
  hour: Date
  workspaceId: string
  method: string
  route: string
  status: number
  code: string
  requests: number
  lastAt: Date
}

/** D43: of each workspace so many refusals in an hour are kept one by one; whoever is refused more often is still counted. */
export const MOST_REFUSALS_AN_HOUR = 1_000
/** Of all workspaces, until they are written. */
const MOST_HELD = 10_000

/** What has come since it was last written. */
export class GatheredRequests {
  #refused: AnsweredRequest[] = []
  #sums = new Map<string, RequestSum>()
  /** Of the hour under way. */
  #keptIn = new Map<string, number>()
  #hourMs = 0

  /** False where there is no more room: then nothing is known of it. */
  add(request: AnsweredRequest): boolean {
    const { workspaceId, method, route, status, code, at } = request
    const hourMs = at.getTime() - (at.getTime() % HOUR_MS)
    if (hourMs !== this.#hourMs) this.#beginHour(hourMs)
    const key = `${workspaceId} ${hourMs} ${status} ${method} ${route} ${code}`
    const known = this.#sums.get(key)
    if (!known && this.#sums.size >= MOST_HELD) return false
    const sum = known ?? { hour: new Date(hourMs), workspaceId, method, route, status, code, requests: 0, lastAt: at }
    if (!known) this.#sums.set(key, sum)
    sum.requests += 1
    sum.lastAt = at
    if (status >= 400) this.#keep(request)
    return true
  }

  /** All of it, and begins anew. */
  take(): { refused: AnsweredRequest[]; sums: RequestSum[] } {
    const taken = { refused: this.#refused, sums: [...this.#sums.values()] }
    this.#refused = []
    this.#sums = new Map()
    return taken
  }

  #keep(request: AnsweredRequest): void {
    const kept = this.#keptIn.get(request.workspaceId) ?? 0
    if (kept >= MOST_REFUSALS_AN_HOUR || this.#refused.length >= MOST_HELD) return
    this.#keptIn.set(request.workspaceId, kept + 1)
    this.#refused.push(request)
  }

  #beginHour(hourMs: number): void {
    this.#hourMs = hourMs
    this.#keptIn.clear()
  }
}
