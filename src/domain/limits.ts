// The limits on sending (§5.4, §8.2, D24, D27): which windows a request looks at, who must wait, and what counts from now on.
import type { AcceptedMessage, OtpRequest, SendingClient, SendRequest } from './acceptance.ts'
import { OTP_COOLDOWN_SECONDS } from './otp.ts'
import { type Refusal, refuse } from './refusals.ts'
import { secondsUntil, type WindowLimit, waitSeconds } from './sliding-window.ts'

/** §8.5: how long the public coverage may be kept. */
export const COVERAGE_CACHE_SECONDS = 300

/** §8.1 */
export const USUAL_REQUESTS_PER_SECOND = 20

export interface LimitFacts {
  /** Times that count toward a sliding window, newest first, by scope. */
  hits: Map<string, Date[]>
  /** When a code was last sent, by cooldown scope. */
  codeSentAt: Map<string, Date>
  /** Messages of today, by client, for those with a daily cap; and when its day ends. */
  today: Map<string, { messages: number; endsAt: Date }>
}

export interface Hit {
  scope: string
  at: Date
}

/** The moment of the batch, and the hits to be stored with it. */
export interface Ink {
  now: Date
  hits: Hit[]
}

export function judgeLimits(
  request: SendRequest,
  { to }: AcceptedMessage,
  facts: LimitFacts,
  ink: Ink,
): Refusal | null {
  const { now } = ink
  const { client } = request
  if (request.kind === 'otp') {
    const refusal = judgeOtpLimits(request, to, facts, ink)
    if (refusal) return refusal
  }
  const today = facts.today.get(client.id)
  if (client.dailyCap !== null && today && today.messages >= client.dailyCap) {
    return refuse('daily_cap', { retryAfterSeconds: secondsUntil(today.endsAt, now) })
  }
  const hourly = hourlyLimit(client, to)
  const retryAfterSeconds = hourly ? waitSeconds(hourly, facts.hits.get(hourly.scope) ?? [], now) : 0
  return retryAfterSeconds > 0 ? refuse('number_cap', { retryAfterSeconds }) : null
}

/** §8.2. The limit on the calling address counts requests, so this one counts even if another limit refuses it. */
function judgeOtpLimits(request: OtpRequest, to: string, facts: LimitFacts, ink: Ink): Refusal | null {
  const { now } = ink
  const limits = otpLimits(request, to)
  for (const limit of limits.requests) {
    const retryAfterSeconds = waitSeconds(limit, facts.hits.get(limit.scope) ?? [], now)
    if (retryAfterSeconds > 0)
      return refuse('rate_limited', { error: 'Too many requests from this address', retryAfterSeconds })
    count(limit.scope, facts, ink)
  }
  const sentAt = facts.codeSentAt.get(cooldownScope(request.client.id, to, request.purpose))
  const cooldown = sentAt ? secondsUntil(new Date(sentAt.getTime() + OTP_COOLDOWN_SECONDS * 1000), now) : 0
  const waits = limits.codes.map((limit) => waitSeconds(limit, facts.hits.get(limit.scope) ?? [], now))
  // Whoever waits that long is not refused again by another of these.
  const retryAfterSeconds = Math.max(cooldown, ...waits)
  const error = retryAfterSeconds > cooldown ? 'Too many codes' : 'A code was just sent to this number'
  return retryAfterSeconds > 0 ? refuse('rate_limited', { error, retryAfterSeconds }) : null
}

export function countLimits(request: SendRequest, { to }: AcceptedMessage, facts: LimitFacts, ink: Ink): void {
  if (request.kind === 'otp') {
    facts.codeSentAt.set(cooldownScope(request.client.id, to, request.purpose), ink.now)
    for (const { scope } of otpLimits(request, to).codes) count(scope, facts, ink)
  }
  const today = facts.today.get(request.client.id)
  if (today) today.messages += 1
  const hourly = hourlyLimit(request.client, to)
  if (hourly) count(hourly.scope, facts, ink)
}

function count(scope: string, facts: LimitFacts, { now, hits }: Ink): void {
  facts.hits.set(scope, [now, ...(facts.hits.get(scope) ?? [])])
  hits.push({ scope, at: now })
}

/** Every window that a request to this number looks at; what is not loaded cannot be judged. */
export function windowLimits(request: SendRequest): WindowLimit[] {
  if (!request.number.ok) return []
  const to = request.number.e164
  const hourly = hourlyLimit(request.client, to)
  const otp = request.kind === 'otp' ? otpLimits(request, to) : { requests: [], codes: [] }
  return [...otp.requests, ...otp.codes, ...(hourly ? [hourly] : [])]
}

/** §8.2 */
export const OTP_LIMITS = {
  caller: { most: 60, seconds: 60 },
  number: { most: 3, seconds: 600 },
  endUser: { most: 10, seconds: 600 },
}

/** D24: a test client counts toward its own cooldown only. */
function otpLimits(
  { client, endUserScope, callerScope }: OtpRequest,
  to: string,
): { requests: WindowLimit[]; codes: WindowLimit[] } {
  if (client.mode === 'test') return { requests: [], codes: [] }
  const requests = [{ scope: `otp-caller:${client.id}:${callerScope}`, ...OTP_LIMITS.caller }]
  const codes = [{ scope: `otp-number:${to}`, ...OTP_LIMITS.number }]
  if (endUserScope !== null) codes.push({ scope: `otp-end-user:${client.id}:${endUserScope}`, ...OTP_LIMITS.endUser })
  return { requests, codes }
}

function hourlyLimit({ id, hourlyCapPerNumber }: SendingClient, to: string): WindowLimit | null {
  return hourlyCapPerNumber === null ? null : { scope: `hour:${id}:${to}`, most: hourlyCapPerNumber, seconds: 3600 }
}

export function cooldownScope(clientId: string, to: string, purpose: string): string {
  return `${clientId}:${to}:${purpose}`
}
