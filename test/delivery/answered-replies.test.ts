// Whether a repeated text is a second reply or a redelivery after a lost acknowledgement.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { AnsweredReplies } from '../../src/delivery/worker/answered-replies.ts'

const bound = () => ({ state: 'bound' })
const AT = new Date('2026-11-16T04:00:00.000Z')
let now = 0
let answered: AnsweredReplies
beforeEach(() => {
  now = 0
  answered = new AnsweredReplies(() => now)
})

test('a repeat on the same link is a second reply', () => {
  const link = bound()
  assert.equal(answered.lastOf('YES', link), null)
  answered.add('YES', { link, since: 0, now: AT })
  assert.equal(answered.lastOf('YES', link), AT)
  assert.equal(answered.lastOf('NO', link), null)
})

test('a repeat after the end of that link may be a redelivery', () => {
  const link = bound()
  answered.add('YES', { link, since: 0, now: AT })
  link.state = 'closed'
  now = 60_000
  assert.equal(answered.lastOf('YES', link), null)
  assert.equal(answered.lastOf('YES', bound()), null)
})

test('a repeat on another link is a second reply once the first link confirmed the acknowledgement', () => {
  answered.add('YES', { link: bound(), since: 0, now: AT })
  now = 45_000
  assert.equal(answered.lastOf('YES', bound()), null)
  now = 45_001
  assert.equal(answered.lastOf('YES', bound()), AT)
})

test('a repeat after a late acknowledgement may be a redelivery', () => {
  const link = bound()
  now = 2_000
  answered.add('YES', { link, since: 0, now: AT })
  assert.equal(answered.lastOf('YES', link), null)
})
