// The log of API requests: the route and the result, never a body, a whole key or a number.
import { HOUR_MS, MINUTE_MS } from '../durations.ts'

export interface AnsweredRequest {
  id: string
  workspaceId: string
  clientId: string
  /** The shown prefix of the key (D32). */
  keyHint: string
  method: string
  /** The route pattern, not the requested path, which may contain an id. */
  route: string
  status: number
  /** The code of a rejection; otherwise empty. */
  code: string
  milliseconds: number
  at: Date
}

/** A successful request; `isSampled` if requests of its workspace near it are missing. */
export interface SuccessfulRequest extends AnsweredRequest {
  isSampled: boolean
}

/** A request without a valid key. */
export interface UnknownKeyRequest {
  id: string
  /** The source address, as a throttle counts it. */
  address: string
  keyHint: string
  method: string
  route: string
  at: Date
}

/** The requests without a valid key of one address and minute. `id` and the fields of the request are of the first one. */
export interface UnknownKeySum extends Omit<UnknownKeyRequest, 'at'> {
  minute: Date
  requests: number
  lastAt: Date
}

/** The start of the first of this many hours, including the current one, in UTC. */
export function hoursBack(now: Date, count: number): Date {
  return new Date(startOf(HOUR_MS, now) - (count - 1) * HOUR_MS)
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
/** D43: how many successes per workspace and minute are stored individually; of the others one per SAMPLE_SECONDS. */
export const MAX_SUCCESSES_PER_MINUTE = 60
export const SAMPLE_SECONDS = 5
/** An attack from many addresses fills one row per minute beyond these, which has no address. */
export const MAX_ADDRESSES_PER_MINUTE = 100
const MAX_ADDRESSES_PER_HOUR = 1_000
/** Over all workspaces, until they are written. */
const MAX_HELD = 10_000

/** The requests since the last write. */
export class RequestLogBuffer {
  #refused: AnsweredRequest[] = []
  #successful: SuccessfulRequest[] = []
  #sums = new Map<string, RequestSum>()
  #unknownKeys = new Map<string, UnknownKeySum>()
  /** In the current hour. */
  #keptIn = new Map<string, number>()
  #addressesInHour = 0
  #hourMs = 0
  /** In the current minute. */
  #successesIn = new Map<string, { count: number; sampledMs: number }>()
  #addressesInMinute = new Set<string>()
  #minuteMs = 0

  /** False if the buffer is full and the request is dropped. */
  add(request: AnsweredRequest): boolean {
    const { workspaceId, method, route, status, code, at } = request
    this.#advance(at)
    const key = `${workspaceId} ${this.#hourMs} ${status} ${method} ${route} ${code}`
    const known = this.#sums.get(key)
    if (!known && this.#sums.size >= MAX_HELD) return false
    const hour = new Date(this.#hourMs)
    const sum = known ?? { hour, workspaceId, method, route, status, code, requests: 0, lastAt: at }
    if (!known) this.#sums.set(key, sum)
    sum.requests += 1
    sum.lastAt = at
    if (status >= 400) this.#keepRefused(request)
    else this.#keepSuccessful(request)
    return true
  }

  addUnknownKey({ at, ...request }: UnknownKeyRequest): void {
    this.#advance(at)
    const address = this.#isAddressKept(request.address) ? request.address : ''
    const key = `${this.#minuteMs} ${address}`
    const known = this.#unknownKeys.get(key)
    if (known) {
      known.requests += 1
      known.lastAt = at
      return
    }
    if (this.#unknownKeys.size >= MAX_HELD) return
    const keyHint = address === '' ? '' : request.keyHint
    this.#unknownKeys.set(key, {
      ...request,
      address,
      keyHint,
      minute: new Date(this.#minuteMs),
      requests: 1,
      lastAt: at,
    })
  }

  /** Returns everything, and empties the buffer. */
  take() {
    const taken = {
      refused: this.#refused,
      successful: this.#successful,
      sums: [...this.#sums.values()],
      unknownKeys: [...this.#unknownKeys.values()],
    }
    this.#refused = []
    this.#successful = []
    this.#sums = new Map()
    this.#unknownKeys = new Map()
    return taken
  }

  #keepRefused(request: AnsweredRequest): void {
    const kept = this.#keptIn.get(request.workspaceId) ?? 0
    if (kept >= MAX_REFUSALS_PER_HOUR || this.#refused.length >= MAX_HELD) return
    this.#keptIn.set(request.workspaceId, kept + 1)
    this.#refused.push(request)
  }

  #keepSuccessful(request: AnsweredRequest): void {
    const used = this.#successesIn.getOrInsertComputed(request.workspaceId, () => ({ count: 0, sampledMs: 0 }))
    used.count += 1
    const isSampled = used.count > MAX_SUCCESSES_PER_MINUTE
    if (isSampled) {
      const atMs = request.at.getTime()
      if (atMs - used.sampledMs < SAMPLE_SECONDS * 1_000) return
      used.sampledMs = atMs
    }
    if (this.#successful.length < MAX_HELD) this.#successful.push({ ...request, isSampled })
  }

  #isAddressKept(address: string): boolean {
    if (this.#addressesInMinute.has(address)) return true
    if (this.#addressesInMinute.size >= MAX_ADDRESSES_PER_MINUTE) return false
    if (this.#addressesInHour >= MAX_ADDRESSES_PER_HOUR) return false
    this.#addressesInMinute.add(address)
    this.#addressesInHour += 1
    return true
  }

  #advance(at: Date): void {
    const minuteMs = startOf(MINUTE_MS, at)
    if (minuteMs === this.#minuteMs) return
    this.#minuteMs = minuteMs
    this.#successesIn.clear()
    this.#addressesInMinute.clear()
    const hourMs = startOf(HOUR_MS, at)
    if (hourMs === this.#hourMs) return
    this.#hourMs = hourMs
    this.#keptIn.clear()
    this.#addressesInHour = 0
  }
}

function startOf(unitMs: number, at: Date): number {
  return at.getTime() - (at.getTime() % unitMs)
}
