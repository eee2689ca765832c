// D70: who may change an e-mail address and how, how many mails are sent, and who may use a link.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  checkEmailLinkLimit,
  checkEmailLinkUse,
  getEmailChangePolicy,
  MAX_EMAIL_LINKS,
} from '../../../src/domain/people/email-link.ts'

const NOW = new Date('2026-11-20T12:00:00Z')
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1000)

test('requires a link for a new address if mail is configured; without mail only operators change addresses', () => {
  const ways = [true, false].flatMap((hasMail) =>
    [true, false].map((isOperator) => getEmailChangePolicy({ isOperator }, hasMail)),
  )
  assert.deepEqual(ways, ['by_link', 'by_link', 'at_once', 'by_operator'])
})

test('rejects the sixth mail within an hour by person and by address, until the first is an hour old', () => {
  const five = [10, 20, 30, 40, 3000].map(ago)
  assert.equal(checkEmailLinkLimit({ byPerson: [], toAddress: [] }, NOW), null)
  assert.equal(checkEmailLinkLimit({ byPerson: five.slice(1), toAddress: five.slice(1) }, NOW), null)
  for (const recent of [
    { byPerson: five, toAddress: [] },
    { byPerson: [], toAddress: five },
  ]) {
    const refusal = checkEmailLinkLimit(recent, NOW)
    assert.deepEqual([refusal?.code, refusal?.retryAfterSeconds], ['rate_limited', 600])
  }
})

test('allows one more mail after the wait of a rejection', () => {
  const seconds = fc.array(fc.integer({ min: 0, max: 3599 }), { maxLength: MAX_EMAIL_LINKS })
  fc.assert(
    fc.property(seconds, seconds, (one, other) => {
      const times = (all: number[]) => all.toSorted((a, b) => a - b).map(ago)
      const recent = { byPerson: times(one), toAddress: times(other) }
      const wait = checkEmailLinkLimit(recent, NOW)?.retryAfterSeconds ?? 0
      const later = new Date(NOW.getTime() + wait * 1000)
      assert.equal(checkEmailLinkLimit(recent, later), null)
    }),
  )
})

test('accepts a link only from its person, with a recent sign-in', () => {
  const judged = (session: Parameters<typeof checkEmailLinkUse>[1]) =>
    checkEmailLinkUse({ personId: 'p' }, session)?.code ?? 'ok'
  assert.equal(judged(null), 'unauthorized')
  assert.equal(judged({ personId: 'another', isRecentlyAuthenticated: true }), 'unauthorized')
  assert.equal(judged({ personId: 'p', isRecentlyAuthenticated: false }), 'sign_in_again')
  assert.equal(judged({ personId: 'p', isRecentlyAuthenticated: true }), 'ok')
})
