// When the same words are another reply, and when they may be one whose answer was lost.
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

test('by the link on which the last one was answered it is another, at once', () => {
  const link = bound()
  assert.equal(answered.lastOf('YES', link), null)
  answered.add('YES', { link, since: 0, now: AT })
  assert.equal(answered.lastOf('YES', link), AT)
  assert.equal(answered.lastOf('NO', link), null)
})

test('after that link has ended nobody knows, by whichever it comes', () => {
  const link = bound()
  answered.add('YES', { link, since: 0, now: AT })
  link.state = 'closed'
  now = 60_000
  assert.equal(answered.lastOf('YES', link), null)
  assert.equal(answered.lastOf('YES', bound()), null)
})

test('by a second link it is another once the first has been heard from after the answer', () => {
  answered.add('YES', { link: bound(), since: 0, now: AT })
  now = 45_000
  assert.equal(answered.lastOf('YES', bound()), null)
  now = 45_001
  assert.equal(answered.lastOf('YES', bound()), AT)
})

test('an answer that came late may have found nobody waiting for it', () => {
  const link = bound()
  now = 2_000
  answered.add('YES', { link, since: 0, now: AT })
  assert.equal(answered.lastOf('YES', link), null)
})
