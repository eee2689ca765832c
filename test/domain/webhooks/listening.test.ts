// D45: who listens to a client, for how long, and what happens to a second listener.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../../../src/domain/refusals.ts'
import {
  LISTENING_SECONDS,
  type Listening,
  type ListenRequest,
  leaseListening,
  needsRenewal,
} from '../../../src/domain/webhooks/listening.ts'

const NOW = new Date('2026-11-16T04:00:00.000Z')
const inSeconds = (seconds: number) => new Date(NOW.getTime() + seconds * 1000)
const WHOLE = inSeconds(LISTENING_SECONDS)
const held = (seconds: number): Listening => ({ listener: 'sita', session: 's1', until: inSeconds(seconds) })
const take = (it: Listening | null, [listener, session, as]: [string, string, ListenRequest['as']], isFull = false) => {
  const taken = leaseListening(it, { listener, session, as }, { now: NOW, isFull })
  if (taken instanceof Refusal) return taken.error
  const { until, missedSince, isStored, isNew, dropsWaiting } = taken
  const words = Object.entries({ isStored, isNew, dropsWaiting }).flatMap(([name, is]) => (is ? [name] : []))
  return { until, missedSince, is: words.join(' ') }
}

test('starts, renews in steps, and continues after a restart of the same listener', () => {
  const again = { until: WHOLE, missedSince: null, is: 'isStored isNew' }
  const fresh = { ...again, is: `${again.is} dropsWaiting` }
  assert.deepEqual(take(null, ['sita', 's1', 'begin']), fresh)
  assert.deepEqual(take(null, ['sita', 's1', 'renew']), fresh)
  assert.deepEqual(take(held(595), ['sita', 's1', 'renew']), { until: inSeconds(595), missedSince: null, is: '' })
  assert.deepEqual(take(held(540), ['sita', 's1', 'renew']), { until: WHOLE, missedSince: null, is: 'isStored' })
  assert.deepEqual(take(held(595), ['sita', 's2', 'begin']), again)
  assert.deepEqual(
    [needsRenewal(null, 's1', NOW), needsRenewal(held(541), 's1', NOW), needsRenewal(held(540), 's1', NOW)],
    [true, false, true],
  )
})

test('moves the end on a restart, so waiting events are counted for it (D43)', () => {
  assert.equal(needsRenewal(held(595), 's2', NOW), true)
})

test('reports since when events were missed', () => {
  assert.deepEqual(take(held(-1), ['sita', 's1', 'renew']), {
    until: WHOLE,
    missedSince: inSeconds(-1),
    is: 'isStored',
  })
  const again = { until: WHOLE, missedSince: inSeconds(0), is: 'isStored isNew' }
  assert.deepEqual(take(held(0), ['sita', 's2', 'begin']), again)
})

test('rejects another listener by name, lets it take over, and accepts it after the end; the first one is notified', () => {
  assert.equal(
    take(held(60), ['ram', 's9', 'begin']),
    'sita is listening to this client, at least until 2026-11-16T04:01:00.000Z',
  )
  const taken = { until: WHOLE, missedSince: null, is: 'isStored isNew dropsWaiting' }
  assert.deepEqual(take(held(60), ['ram', 's9', 'takeOver']), taken)
  assert.deepEqual(take(held(-60), ['ram', 's9', 'begin']), taken)
  for (const seconds of [60, -60]) {
    assert.equal(take(held(seconds), ['ram', 's9', 'renew']), 'sita is listening instead')
    assert.equal(take(held(seconds), ['sita', 's0', 'renew']), 'sita is listening instead')
  }
})

test('moves no end with too many waiting events, neither by a call nor by a restart (D43)', () => {
  for (const seconds of [60, -60]) {
    const until = inSeconds(seconds)
    assert.deepEqual(take(held(seconds), ['sita', 's1', 'renew'], true), { until, missedSince: null, is: '' })
    assert.deepEqual(take(held(seconds), ['sita', 's2', 'begin'], true), {
      until,
      missedSince: null,
      is: 'isStored isNew',
    })
  }
})
