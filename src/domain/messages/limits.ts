// The limits on sending (§5.4, §8.2, D24, D27): which windows a request reads, how long to wait, and what counts from now on.

import { OTP_COOLDOWN_SECONDS } from '../codes/otp.ts'
import { type Refusal, refuse } from '../refusals.ts'
import { type KnownWindow, SlidingWindow, secondsUntil, type WindowLimit } from '../sliding-window.ts'
import type { OtpRequest, SendingClient, SendRequest } from './send-request.ts'

/** §8.5: how long clients may cache the public coverage. */
export const COVERAGE_CACHE_SECONDS = 300

/** §8.1 */
export const DEFAULT_REQUESTS_PER_SECOND = 20

export interface LimitFacts {
  /** By scope. */
  windows: ReadonlyMap<string, KnownWindow>
  /** When an OTP was last sent, by cooldown scope. */
  codeSentAt: ReadonlyMap<string, Date>
  /** Messages of the current day, by client, for clients with a daily cap; and when the day ends. */
  today: ReadonlyMap<string, { messages: number; endsAt: Date }>
}

export interface Hit {
  scope: string
  at: Date
  /** The message that counts; a scope counts a message once. */
  messageId: string
}

/** The limits during a batch: each request sees what earlier requests of the batch counted. */
export class LimitWatch {
  readonly #now: Date
  readonly #windows: ReadonlyMap<string, SlidingWindow>
  readonly #codeSentAt: Map<string, Date>
  readonly #today: Map<string, { messages: number; endsAt: Date }>
  /** New entries of windows. */
  readonly hits: Hit[] = []

  constructor({ windows, codeSentAt, today }: LimitFacts, now: Date) {
    this.#now = now
    this.#windows = new Map(Array.from(windows, ([scope, known]) => [scope, new SlidingWindow(known.limit, known)]))
    this.#codeSentAt = new Map(codeSentAt)
    this.#today = new Map(today)
  }

  check(request: SendRequest, to: string): Refusal | null {
    const refusal = request.kind === 'otp' ? this.#checkOtp(request, to) : null
    return refusal ?? this.#checkDailyCap(request.client) ?? this.#checkHourlyCap(request.client, to)
  }

  /** Counts an accepted request. */
  count(request: SendRequest, to: string): void {
    const { client, messageId } = request
    for (const { scope } of windowsOf(request, to)) {
      this.#windows.get(scope)?.add()
      this.hits.push({ scope, at: this.#now, messageId })
    }
    if (request.kind === 'otp') this.#codeSentAt.set(cooldownScope(client.id, to, request.purpose), this.#now)
    const today = this.#today.get(client.id)
    if (today) this.#today.set(client.id, { ...today, messages: today.messages + 1 })
  }

  /** §8.2 */
  #checkOtp(request: OtpRequest, to: string): Refusal | null {
    if (request.callerWaitSeconds > 0) {
      const error = 'Too many requests from this address'
      return refuse('rate_limited', { error, retryAfterSeconds: request.callerWaitSeconds })
    }
    const sentAt = this.#codeSentAt.get(cooldownScope(request.client.id, to, request.purpose))
    const cooldown = sentAt ? secondsUntil(new Date(sentAt.getTime() + OTP_COOLDOWN_SECONDS * 1000), this.#now) : 0
    const waits = otpLimits(request, to).map((limit) => this.#waitFor(limit))
    // The longest wait, so that no other limit rejects the retry.
    const retryAfterSeconds = Math.max(cooldown, ...waits)
    const error = retryAfterSeconds > cooldown ? 'Too many codes' : 'A code was just sent to this number'
    return retryAfterSeconds > 0 ? refuse('rate_limited', { error, retryAfterSeconds }) : null
  }

  #checkDailyCap({ id, dailyCap }: SendingClient): Refusal | null {
    const today = this.#today.get(id)
    if (dailyCap === null || !today || today.messages < dailyCap) return null
    return refuseFor('daily_cap', dailyCap === 0 ? NEVER : secondsUntil(today.endsAt, this.#now))
  }

  #checkHourlyCap(client: SendingClient, to: string): Refusal | null {
    const hourly = hourlyLimit(client, to)
    const wait = hourly ? this.#waitFor(hourly) : 0
    return wait > 0 ? refuseFor('number_cap', wait) : null
  }

  #waitFor({ scope }: WindowLimit): number {
    return this.#windows.get(scope)?.waitSeconds(this.#now) ?? 0
  }
}

const NEVER = Number.POSITIVE_INFINITY

/** A cap of zero gets no Retry-After, because waiting does not help. */
function refuseFor(code: 'daily_cap' | 'number_cap', seconds: number): Refusal {
  return refuse(code, seconds === NEVER ? {} : { retryAfterSeconds: seconds })
}

/** Every window of a request; only loaded windows can be checked. */
export function windowLimits(request: SendRequest): WindowLimit[] {
  return request.number.ok ? windowsOf(request, request.number.e164) : []
}

function windowsOf(request: SendRequest, to: string): WindowLimit[] {
  const hourly = hourlyLimit(request.client, to)
  const otp = request.kind === 'otp' ? otpLimits(request, to) : []
  return [...otp, ...(hourly ? [hourly] : [])]
}

/** §8.2. Calls per address are counted at admission, so that rejected ones count too (D39). */
export const OTP_LIMITS = {
  caller: { most: 60, seconds: 60 },
  number: { most: 3, seconds: 600 },
  endUser: { most: 10, seconds: 600 },
}

/** D24: a test client counts toward its own cooldown only. */
function otpLimits({ client, endUserScope }: OtpRequest, to: string): WindowLimit[] {
  if (client.mode === 'test') return []
  const codes = [{ scope: `otp-number:${to}`, ...OTP_LIMITS.number }]
  if (endUserScope !== null) codes.push({ scope: `otp-end-user:${client.id}:${endUserScope}`, ...OTP_LIMITS.endUser })
  return codes
}

const HOUR_SECONDS = 3600
/** Entries older than the longest window have no effect. */
export const MAX_WINDOW_SECONDS = HOUR_SECONDS

/** D43: a higher cap would slow down other tenants. A stored cap above this counts as this. */
export const HIGHEST_HOURLY_CAP = 1_000

function hourlyLimit({ id, hourlyCapPerNumber, hourlyCapSince }: SendingClient, to: string): WindowLimit | null {
  if (hourlyCapPerNumber === null) return null
  const limit = {
    scope: `hour:${id}:${to}`,
    most: Math.min(hourlyCapPerNumber, HIGHEST_HOURLY_CAP),
    seconds: HOUR_SECONDS,
  }
  return hourlyCapSince === null ? limit : { ...limit, setAfter: { clientId: id, to, at: hourlyCapSince } }
}

/** D39: when the hourly cap of a client took effect; messages sent before that also count. */
export function capSince(
  { hourlyCapPerNumber, hourlyCapSince }: Pick<SendingClient, 'hourlyCapPerNumber' | 'hourlyCapSince'>,
  now: Date,
): Date | null {
  return hourlyCapPerNumber === null ? now : hourlyCapSince
}

export function cooldownScope(clientId: string, to: string, purpose: string): string {
  return `${clientId}:${to}:${purpose}`
}
