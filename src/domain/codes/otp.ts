// OTPs (§2.2, §3.2, §4.3): their hash, and the outcome of an attempt.
import { timingSafeEqual } from 'node:crypto'
import { DAY_SECONDS } from '../durations.ts'

export const OTP_LIFETIME_SECONDS = 300
export const OTP_COOLDOWN_SECONDS = 60
export const OTP_WRONG_TRIES = 5
/** §3.2: a locked OTP stays locked for a day, or until a new one replaces it. */
export const OTP_LOCKED_SECONDS = DAY_SECONDS

export function codeExpiresAt(sentAt: Date): Date {
  return new Date(sentAt.getTime() + OTP_LIFETIME_SECONDS * 1000)
}

/** The parts of an OTP's keyed hash (D20): a hash copied to another row does not match there. */
export function codeParts({ otpId, clientId, to, purpose }: OtpScope & { otpId: string }, code: string): string[] {
  return [otpId, clientId, to, purpose, code]
}

export interface OtpScope {
  clientId: string
  to: string
  purpose: string
}

export interface OtpState {
  wrongTries: number
  usedAt: Date | null
  sentAt: Date
  /** An expired OTP counts as absent, even before it is deleted. */
  expiresAt: Date
}

export type VerifyOutcome =
  | { verified: true }
  | { verified: false; reason: 'invalid_code' | 'too_many_attempts' | 'no_active_otp' }

/** The outcome of one attempt, and the state after it (D22). The fifth wrong attempt still returns `invalid_code`. */
export function checkOtpAttempt<State extends OtpState>(
  code: State | null,
  { isRight, now }: { isRight: boolean; now: Date },
): { outcome: VerifyOutcome; after: State | null } {
  if (!code || code.usedAt || code.expiresAt <= now) {
    return { outcome: { verified: false, reason: 'no_active_otp' }, after: null }
  }
  if (code.wrongTries >= OTP_WRONG_TRIES)
    return { outcome: { verified: false, reason: 'too_many_attempts' }, after: null }
  if (isRight) return { outcome: { verified: true }, after: { ...code, usedAt: now } }
  return { outcome: { verified: false, reason: 'invalid_code' }, after: afterWrongTry(code) }
}

function afterWrongTry<State extends OtpState>(code: State): State {
  const wrongTries = code.wrongTries + 1
  if (wrongTries < OTP_WRONG_TRIES) return { ...code, wrongTries }
  return { ...code, wrongTries, expiresAt: new Date(code.sentAt.getTime() + OTP_LOCKED_SECONDS * 1000) }
}

/** D20: compared here, in constant time, never in SQL. */
export function sameHash(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}
