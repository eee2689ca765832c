// The limits on sending (§5.4, §8.2, D24, D27): which windows a request looks at, who must wait, and what counts from now on.

import { OTP_COOLDOWN_SECONDS } from '../codes/otp.ts'
import { type Refusal, refuse } from '../refusals.ts'
import { type KnownWindow, SlidingWindow, secondsUntil, type WindowLimit } from '../sliding-window.ts'
import type { OtpRequest, SendingClient, SendRequest } from './send-request.ts'

/** §8.5: how long the public coverage may be kept. */
export const COVERAGE_CACHE_SECONDS = 300

/** §8.1 */
export const USUAL_REQUESTS_PER_SECOND = 20

export interface LimitFacts {
  /** By scope. */
  windows: ReadonlyMap<string, KnownWindow>
  /** When a code was last sent, by cooldown scope. */
  codeSentAt: ReadonlyMap<string, Date>
  /** Messages of today, by client, for those with a daily cap; and when its day ends. */
  today: ReadonlyMap<string, { messages: number; endsAt: Date }>
}

export interface Hit {
  scope: string
  at: Date
  /** The message it was for: no two of one scope are for the same. */
  messageId: string
}

/** The limits while a batch is judged: each request finds what those before it have counted. */
export class LimitWatch {
  readonly #now: Date
  readonly #windows: ReadonlyMap<string, SlidingWindow>
  readonly #codeSentAt: Map<string, Date>
  readonly #today: Map<string, { messages: number; endsAt: Date }>
  /** What counts toward windows from now on. */
  readonly hits: Hit[] = []

  constructor({ windows, codeSentAt, today }: LimitFacts, now: Date) {
    this.#now = now
    this.#windows = new Map(Array.from(windows, ([scope, known]) => [scope, new SlidingWindow(known.limit, known)]))
    this.#codeSentAt = new Map(codeSentAt)
    this.#today = new Map(today)
  }

  judge(request: SendRequest, to: string): Refusal | null {
    const refusal = request.kind === 'otp' ? this.#judgeCode(request, to) : null
    return refusal ?? this.#judgeDay(request.client) ?? this.#judgeHour(request.client, to)
  }

  /** It was accepted. */
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
  #judgeCode(request: OtpRequest, to: string): Refusal | null {
    if (request.callerWaitSeconds > 0) {
      const error = 'Too many requests from this address'
      return refuse('rate_limited', { error, retryAfterSeconds: request.callerWaitSeconds })
    }
    const sentAt = this.#codeSentAt.get(cooldownScope(request.client.id, to, request.purpose))
    const cooldown = sentAt ? secondsUntil(new Date(sentAt.getTime() + OTP_COOLDOWN_SECONDS * 1000), this.#now) : 0
    const waits = otpLimits(request, to).map((limit) => this.#waitFor(limit))
    // Whoever waits that long is not refused again by another of these.
    const retryAfterSeconds = Math.max(cooldown, ...waits)
    const error = retryAfterSeconds > cooldown ? 'Too many codes' : 'A code was just sent to this number'
    return retryAfterSeconds > 0 ? refuse('rate_limited', { error, retryAfterSeconds }) : null
  }

  #judgeDay({ id, dailyCap }: SendingClient): Refusal | null {
    const today = this.#today.get(id)
    if (dailyCap === null || !today || today.messages < dailyCap) return null
    return refuseFor('daily_cap', dailyCap === 0 ? NEVER : secondsUntil(today.endsAt, this.#now))
  }

  #judgeHour(client: SendingClient, to: string): Refusal | null {
    const hourly = hourlyLimit(client, to)
    const wait = hourly ? this.#waitFor(hourly) : 0
    return wait > 0 ? refuseFor('number_cap', wait) : null
  }

  #waitFor({ scope }: WindowLimit): number {
    return this.#windows.get(scope)?.waitSeconds(this.#now) ?? 0
  }
}

const NEVER = Number.POSITIVE_INFINITY

/** Of a cap of none nobody is told how long to wait: no wait helps. */
function refuseFor(code: 'daily_cap' | 'number_cap', seconds: number): Refusal {
  return refuse(code, seconds === NEVER ? {} : { retryAfterSeconds: seconds })
}

/** Every window that a request to this number looks at; what is not loaded cannot be judged. */
export function windowLimits(request: SendRequest): WindowLimit[] {
  return request.number.ok ? windowsOf(request, request.number.e164) : []
}

function windowsOf(request: SendRequest, to: string): WindowLimit[] {
  const hourly = hourlyLimit(request.client, to)
  const otp = request.kind === 'otp' ? otpLimits(request, to) : []
  return [...otp, ...(hourly ? [hourly] : [])]
}

/** §8.2. Calls from an address are counted at admission, so that refused ones count too (D39). */
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
/** What left the longest of all windows decides nothing any more. */
export const LONGEST_WINDOW_SECONDS = HOUR_SECONDS

/** D43: past it a cap costs its neighbours more than it can be worth. One that was stored higher counts as this. */
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

/** D39: since when the hourly cap of a client that is changed now counts for itself; what was sent before it was set counts as well. */
export function capSince(
  { hourlyCapPerNumber, hourlyCapSince }: Pick<SendingClient, 'hourlyCapPerNumber' | 'hourlyCapSince'>,
  now: Date,
): Date | null {
  return hourlyCapPerNumber === null ? now : hourlyCapSince
}

export function cooldownScope(clientId: string, to: string, purpose: string): string {
  return `${clientId}:${to}:${purpose}`
}
