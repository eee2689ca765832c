import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkOtpAttempt, type OtpState } from '../../../src/domain/codes/otp.ts'
import { otpText } from '../../../src/domain/codes/otp-text.ts'
import { isGsm7, measureText } from '../../../src/domain/text-encoding.ts'

const now = new Date('2026-11-16T04:00:00Z')
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000)
const fresh: OtpState = { wrongTries: 0, usedAt: null, sentAt: now, expiresAt: later(300) }

test('fits any brand name of 30 GSM-7 characters into one segment (D5)', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 30 }).filter(isGsm7), (brandName) => {
      assert.deepEqual(measureText(otpText(brandName, '000000')), { encoding: 'GSM7', segments: 1 })
    }),
  )
  assert.equal(measureText(otpText('€'.repeat(30), '999999')).segments, 1)
})

test('uses the built-in template (D5)', () => {
  const text = 'Himal: 012345 is your verification code, valid for 5 minutes. Do not share it with anyone.'
  assert.equal(otpText('Himal', '012345'), text)
})

test('returns no_active_otp for a missing, used or expired OTP (§3.2)', () => {
  for (const code of [null, { ...fresh, usedAt: now }, { ...fresh, expiresAt: now }]) {
    const { outcome, after } = checkOtpAttempt(code, { isRight: true, now })
    assert.deepEqual(outcome, { verified: false, reason: 'no_active_otp' })
    assert.equal(after, null)
  }
})

test('returns too_many_attempts for 24 hours after sending a locked OTP, then no_active_otp (§3.2)', () => {
  let code = fresh
  for (let tries = 0; tries < 5; tries++)
    code = checkOtpAttempt(code, { isRight: false, now: later(tries) }).after ?? code
  const reasonAt = (seconds: number) => {
    const { outcome, after } = checkOtpAttempt(code, { isRight: true, now: later(seconds) })
    assert.equal(after, null)
    return outcome.verified ? 'verified' : outcome.reason
  }
  assert.deepEqual(
    [5, 299, 300, 86_399.999].map(reasonAt),
    Array.from({ length: 4 }, () => 'too_many_attempts'),
  )
  assert.equal(reasonAt(86_400), 'no_active_otp')
})

test('keeps the expiry of an OTP after four wrong attempts (§3.2)', () => {
  let code = fresh
  for (let tries = 0; tries < 4; tries++) code = checkOtpAttempt(code, { isRight: false, now }).after ?? code
  assert.equal(checkOtpAttempt(code, { isRight: true, now: later(299) }).outcome.verified, true)
  assert.equal(checkOtpAttempt(code, { isRight: true, now: later(300) }).outcome.verified, false)
})

test('allows at most one verification and five wrong attempts (D22, property)', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 20 }), (tries) => {
      let code = fresh
      const outcomes = tries.map((isRight) => {
        const { outcome, after } = checkOtpAttempt(code, { isRight, now })
        code = after ?? code
        return outcome.verified ? 'verified' : outcome.reason
      })
      assert.ok(outcomes.filter((it) => it === 'verified').length <= 1)
      assert.ok(outcomes.filter((it) => it === 'invalid_code').length <= 5)
      const verifiedAt = outcomes.indexOf('verified')
      if (verifiedAt >= 0) assert.ok(outcomes.slice(verifiedAt + 1).every((it) => it === 'no_active_otp'))
    }),
  )
})
