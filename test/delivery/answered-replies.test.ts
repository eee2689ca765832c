// When the same words are another reply, and when they may be one whose answer was lost.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { AnsweredReplies } from '../../src/delivery/answered-replies.ts'
import type { SessionState } from '../../src/smpp/session.ts'

const link = (): { state: SessionState } => ({ state: 'bound' })
let now = 0
let answered: AnsweredReplies
beforeEach(() => {
  now = 0
  answered = new AnsweredReplies(() => now)
})

test('by the link on which the last one was answered it is another, at once', () => {
  const session = link()
  assert.equal(answered.has('YES', session), false)
  answered.add('YES', { session, since: 0 })
  assert.equal(answered.has('YES', session), true)
  assert.equal(answered.has('NO', session), false)
})

test('after that link has ended nobody knows, by whichever it comes', () => {
  const session = link()
  answered.add('YES', { session, since: 0 })
  session.state = 'closed'
  now = 60_000
  assert.equal(answered.has('YES', session), false)
  assert.equal(answered.has('YES', link()), false)
})

test('by a second link it is another once the first has been heard from after the answer', () => {
  answered.add('YES', { session: link(), since: 0 })
  now = 45_000
  assert.equal(answered.has('YES', link()), false)
  now = 45_001
  assert.equal(answered.has('YES', link()), true)
})

test('an answer that came late may have found nobody waiting for it', () => {
  const session = link()
  now = 2_000
  answered.add('YES', { session, since: 0 })
  assert.equal(answered.has('YES', session), false)
})
