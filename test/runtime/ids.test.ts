// UUIDv7 ids (D12, RFC 9562) rise strictly within a process.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../src/runtime/clock.ts'
import { Ids } from '../../src/runtime/ids.ts'
import { systemRandom } from '../../src/runtime/random.ts'

const START = new Date('2026-11-16T04:00:00.123Z')
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const msOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

test('an id is a UUIDv7 that begins with the time', () => {
  const id = new Ids(new ManualClock(START), systemRandom).next()
  assert.match(id, UUID_V7)
  assert.equal(msOf(id), START.getTime())
})

test('100,000 ids of one millisecond rise strictly', () => {
  const ids = new Ids(new ManualClock(START), systemRandom)
  let last = ''
  for (let made = 0; made < 100_000; made++) {
    const id = ids.next()
    assert.ok(id > last)
    assert.match(id, UUID_V7)
    last = id
  }
  assert.ok(msOf(last) - START.getTime() < 100)
})

test('ids keep rising when the clock is set back', async () => {
  let now = START
  const ids = new Ids({ now: () => now, alarm: () => () => {} }, systemRandom)
  const first = ids.next()
  now = new Date(START.getTime() - 60_000)
  const second = ids.next()
  now = new Date(START.getTime() + 1)
  const third = ids.next()
  assert.ok(first < second && second < third)
})

test('two processes create different ids in the same millisecond', () => {
  const clock = new ManualClock(START)
  const processes = [new Ids(clock, systemRandom), new Ids(clock, systemRandom)]
  const made = processes.flatMap((ids) => Array.from({ length: 5000 }, () => ids.next()))
  assert.equal(new Set(made).size, 10_000)
})

test('nextAbove returns a higher id than one from a clock that is ahead', () => {
  const here = new Ids(new ManualClock(START), systemRandom)
  const ahead = new Ids(new ManualClock(new Date(START.getTime() + 5_000)), systemRandom)
  const first = ahead.next()
  const second = here.nextAbove(first)
  const third = here.nextAbove(second)
  for (const id of [second, third]) assert.match(id, UUID_V7)
  assert.ok(first < second && second < third)
  assert.equal(msOf(here.nextAbove(null)), START.getTime())
  assert.equal(msOf(ahead.nextAbove(here.next())), START.getTime() + 5_000)
})
