// The limits on sending (§5.4, §8.2, D24, D27): which windows a request looks at, who must wait, and what counts from now on.
import type { AcceptedMessage, OtpRequest, SendingClient, SendRequest } from './acceptance.ts'
import { OTP_COOLDOWN_SECONDS } from './otp.ts'
import { type Refusal, refuse } from './refusals.ts'
import { secondsUntil, type Window, type WindowLimit } from './sliding-window.ts'

/** §8.5: how long the public coverage may be kept. */
export const COVERAGE_CACHE_SECONDS = 300

/** §8.1 */
export const USUAL_REQUESTS_PER_SECOND = 20

export interface LimitFacts {
  /** By scope. */
  windows: ReadonlyMap<string, Window>
  /** When a code was last sent, by cooldown scope. */
  codeSentAt: Map<string, Date>
  /** Messages of today, by client, for those with a daily cap; and when its day ends. */
  today: Map<string, { messages: number; endsAt: Date }>
}

export interface Hit {
  scope: string
  at: Date
  /** The message it was for: no two of one scope are for the same. */
  messageId: string
}

/** The moment of the batch, and the hits to be stored with it. */
export interface BatchHits {
  now: Date
  hits: Hit[]
}

export function judgeLimits(
  request: SendRequest,
  { to }: AcceptedMessage,
  facts: LimitFacts,
  now: Date,
): Refusal | null {
  const { client } = request
  if (request.kind === 'otp') {
    const refusal = judgeOtpLimits(request, to, facts, now)
    if (refusal) return refusal
  }
  const today = facts.today.get(client.id)
  if (client.dailyCap !== null && today && today.messages >= client.dailyCap) {
    return refuseFor('daily_cap', client.dailyCap === 0 ? NEVER : secondsUntil(today.endsAt, now))
  }
  const hourly = hourlyLimit(client, to)
  const wait = hourly ? waitFor(hourly, facts, now) : 0
  return wait > 0 ? refuseFor('number_cap', wait) : null
}

const NEVER = Number.POSITIVE_INFINITY

/** Of a cap of none nobody is told how long to wait: no wait helps. */
function refuseFor(code: 'daily_cap' | 'number_cap', seconds: number): Refusal {
  return refuse(code, seconds === NEVER ? {} : { retryAfterSeconds: seconds })
}

function waitFor({ scope }: WindowLimit, { windows }: LimitFacts, now: Date): number {
  return windows.get(scope)?.waitSeconds(now) ?? 0
}

/** §8.2 */
function judgeOtpLimits(request: OtpRequest, to: string, facts: LimitFacts, now: Date): Refusal | null {
  if (request.callerWaitSeconds > 0) {
    const error = 'Too many requests from this address'
    return refuse('rate_limited', { error, retryAfterSeconds: request.callerWaitSeconds })
  }
  const sentAt = facts.codeSentAt.get(cooldownScope(request.client.id, to, request.purpose))
  const cooldown = sentAt ? secondsUntil(new Date(sentAt.getTime() + OTP_COOLDOWN_SECONDS * 1000), now) : 0
  const waits = otpLimits(request, to).map((limit) => waitFor(limit, facts, now))
  // Whoever waits that long is not refused again by another of these.
  const retryAfterSeconds = Math.max(cooldown, ...waits)
  const error = retryAfterSeconds > cooldown ? 'Too many codes' : 'A code was just sent to this number'
  return retryAfterSeconds > 0 ? refuse('rate_limited', { error, retryAfterSeconds }) : null
}

export function countLimits(
  request: SendRequest,
  { to }: AcceptedMessage,
  facts: LimitFacts,
  batchHits: BatchHits,
): void {
  if (request.kind === 'otp') {
    facts.codeSentAt.set(cooldownScope(request.client.id, to, request.purpose), batchHits.now)
    for (const { scope } of otpLimits(request, to)) count(scope, request, facts, batchHits)
  }
  const today = facts.today.get(request.client.id)
  if (today) today.messages += 1
  const hourly = hourlyLimit(request.client, to)
  if (hourly) count(hourly.scope, request, facts, batchHits)
}

function count(scope: string, { messageId }: SendRequest, { windows }: LimitFacts, { now, hits }: BatchHits): void {
  windows.get(scope)?.add()
  hits.push({ scope, at: now, messageId })
}

/** Every window that a request to this number looks at; what is not loaded cannot be judged. */
export function windowLimits(request: SendRequest): WindowLimit[] {
  if (!request.number.ok) return []
  const to = request.number.e164
  const hourly = hourlyLimit(request.client, to)
  const otp = request.kind === 'otp' ? otpLimits(request, to) : []
  return [...otp, ...(hourly ? [hourly] : [])]
}

/** §8.2. Calls from an address are counted at the door, so that refused ones count too (D39). */
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
const HIGHEST_HOURLY_CAP = 1_000

function hourlyLimit({ id, hourlyCapPerNumber, hourlyCapSince }: SendingClient, to: string): WindowLimit | null {
  if (hourlyCapPerNumber === null) return null
  const limit = {
    scope: `hour:${id}:${to}`,
    most: Math.min(hourlyCapPerNumber, HIGHEST_HOURLY_CAP),
    seconds: HOUR_SECONDS,
  }
  return hourlyCapSince === null ? limit : { ...limit, setAfter: { clientId: id, to, at: hourlyCapSince } }
}

export function cooldownScope(clientId: string, to: string, purpose: string): string {
  return `${clientId}:${to}:${purpose}`
}
