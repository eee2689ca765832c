import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { judgeTry, type OtpState, otpText } from '../../src/domain/otp.ts'
import { isGsm7, measureText } from '../../src/domain/text-encoding.ts'

const now = new Date('2026-11-16T04:00:00Z')
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000)
const fresh: OtpState = { wrongTries: 0, usedAt: null, expiresAt: later(300) }

test('D5: any brand name of 30 GSM-7 characters makes one segment', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 30 }).filter(isGsm7), (brandName) => {
      assert.deepEqual(measureText(otpText(brandName, '000000')), { encoding: 'GSM7', segments: 1 })
    }),
  )
  assert.equal(measureText(otpText('€'.repeat(30), '999999')).segments, 1)
})

test('D5: the text is the built-in template', () => {
  const text = 'Himal: 012345 is your verification code, valid for 5 minutes. Do not share it with anyone.'
  assert.equal(otpText('Himal', '012345'), text)
})

test('§3.2: no code, a used one and an expired one are all no_active_otp', () => {
  for (const code of [null, { ...fresh, usedAt: now }, { ...fresh, expiresAt: now }]) {
    const { outcome, after } = judgeTry(code, { isRight: true, now })
    assert.deepEqual(outcome, { verified: false, reason: 'no_active_otp' })
    assert.equal(after, null)
  }
})

test('D22: over any tries there is at most one verified, and at most five wrong ones', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 20 }), (tries) => {
      let code = fresh
      const outcomes = tries.map((isRight) => {
        const { outcome, after } = judgeTry(code, { isRight, now })
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
