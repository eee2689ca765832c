// What is deleted, and that no decision still needs it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { guardWindows } from '../../../src/domain/codes/pumping.ts'
import { IDEMPOTENCY_SECONDS } from '../../../src/domain/messages/idempotency.ts'
import { OTP_LIMITS } from '../../../src/domain/messages/limits.ts'
import { UNMATCHED_SECONDS } from '../../../src/domain/messages/receipt-cause.ts'
import { REMEMBERED_SECONDS } from '../../../src/domain/people/sign-in-pace.ts'
import { expiredCodes, expiredRecords } from '../../../src/domain/service/expiry.ts'
import { startOfDay } from '../../../src/domain/webhooks/endpoint-health.ts'

const NOW = new Date('2026-11-16T04:00:00.000Z')
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1000)

test('expires nothing that a limit, a replay or the fraud guard still needs', () => {
  const expired = new Map([...expiredCodes(NOW), ...expiredRecords(NOW)])
  const { trustedSince, usualSince, lastHourSince } = guardWindows(NOW)
  const lookedAtSince = {
    // D21: an OTP stores its own expiry.
    codes: NOW,
    sealedTexts: NOW,
    windowHits: ago(3600),
    callers: ago(OTP_LIMITS.caller.seconds),
    answers: ago(IDEMPOTENCY_SECONDS),
    otpSends: lastHourSince,
    otpSums: usualSince,
    verifiedNumbers: trustedSince,
    // D33: strikes are forgotten after a day.
    holds: ago(86_400),
    unmatchedReceipts: ago(UNMATCHED_SECONDS.shown),
    unmatchedHours: ago(UNMATCHED_SECONDS.counted),
    carrierTests: ago(86_400),
    carrierCaptures: ago(3600),
    receiptPolls: NOW,
    carrierFigures: ago(3600),
    sessions: NOW,
    invitations: NOW,
    // D70: a link to a new address counts as long as it works.
    emailLinks: NOW,
    wrongSignIns: ago(REMEMBERED_SECONDS),
    challenges: NOW,
    // For people: findings as long as their sends, and a chart of one year.
    findings: ago(30 * 86_400),
    otpDays: ago(366 * 86_400),
    messageDays: ago(91 * 86_400),
    refusedRequests: ago(7 * 86_400),
    successfulRequests: ago(7 * 86_400),
    unknownKeyRequests: ago(7 * 86_400),
    requestCounts: ago(7 * 86_400),
    // A chart shows ninety days.
    serviceMinutes: ago(90 * 86_400),
    // As long as the history of webhooks.
    listeningEvents: ago(7 * 86_400),
    webhookHalfHours: startOfDay(NOW),
  }
  assert.deepEqual([...expired.keys()].sort(), Object.keys(lookedAtSince).sort())
  for (const [what, since] of Object.entries(lookedAtSince)) {
    const by = [...expired].find(([name]) => name === what)?.[1]
    assert.ok(by && by <= since, what)
  }
  for (const { seconds } of Object.values(OTP_LIMITS)) assert.ok((expired.get('windowHits') ?? NOW) <= ago(seconds))
})

test('deletes an OTP and its encrypted text as soon as they expire (§2.2, D21)', () => {
  const expired = new Map(expiredCodes(NOW))
  assert.deepEqual([expired.get('codes'), expired.get('sealedTexts')], [NOW, NOW])
})
