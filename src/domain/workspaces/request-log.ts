// The log of API requests: the route and the result, never a body, a key or a number.

import { HOUR_MS } from '../durations.ts'

export interface AnsweredRequest {
  id: string
  workspaceId: string
  clientId: string
  method: string
  /** The route pattern, not the requested path, which may contain an id. */
  route: string
  status: number
  /** The code of a rejection; otherwise empty. */
  code: string
  milliseconds: number
  at: Date
}

/** The start of the first of this many hours, including the current one, in UTC. */
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

/** D43: how many rejections per workspace and hour are stored individually; more are only counted. */
export const MAX_REFUSALS_PER_HOUR = 1_000
/** Over all workspaces, until they are written. */
const MAX_HELD = 10_000

/** The requests since the last write. */
export class RequestLogBuffer {
  #refused: AnsweredRequest[] = []
  #sums = new Map<string, RequestSum>()
  /** In the current hour. */
  #keptIn = new Map<string, number>()
  #hourMs = 0

  /** False if the buffer is full and the request is dropped. */
  add(request: AnsweredRequest): boolean {
    const { workspaceId, method, route, status, code, at } = request
    const hourMs = at.getTime() - (at.getTime() % HOUR_MS)
    if (hourMs !== this.#hourMs) this.#beginHour(hourMs)
    const key = `${workspaceId} ${hourMs} ${status} ${method} ${route} ${code}`
    const known = this.#sums.get(key)
    if (!known && this.#sums.size >= MAX_HELD) return false
    const sum = known ?? { hour: new Date(hourMs), workspaceId, method, route, status, code, requests: 0, lastAt: at }
    if (!known) this.#sums.set(key, sum)
    sum.requests += 1
    sum.lastAt = at
    if (status >= 400) this.#keep(request)
    return true
  }

  /** Returns everything, and empties the buffer. */
  take(): { refused: AnsweredRequest[]; sums: RequestSum[] } {
    const taken = { refused: this.#refused, sums: [...this.#sums.values()] }
    this.#refused = []
    this.#sums = new Map()
    return taken
  }

  #keep(request: AnsweredRequest): void {
    const kept = this.#keptIn.get(request.workspaceId) ?? 0
    if (kept >= MAX_REFUSALS_PER_HOUR || this.#refused.length >= MAX_HELD) return
    this.#keptIn.set(request.workspaceId, kept + 1)
    this.#refused.push(request)
  }

  #beginHour(hourMs: number): void {
    this.#hourMs = hourMs
    this.#keptIn.clear()
  }
}
