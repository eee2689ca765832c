// The loop of a role: turns, sleep, wake and stop.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../src/runtime/clock.ts'
import { createLog } from '../../src/runtime/log.ts'
import { Loop, type Turn } from '../../src/runtime/loop.ts'

const START = new Date('2026-11-16T04:00:00.000Z')
const after = (seconds: number) => new Date(START.getTime() + seconds * 1000)
const NEVER_MS = 1_000_000

function loop(
  turn: () => Promise<Turn>,
  { pollMs = NEVER_MS, clock = new ManualClock(START), isLoggedElsewhere = (_: unknown): boolean => false } = {},
) {
  const logged: string[] = []
  const log = createLog('error', { write: (line) => logged.push(line) })
  return { loop: new Loop({ name: 'test', clock, log, pollMs, turn, isLoggedElsewhere }), clock, logged }
}

test('takes turns while there is work, then sleeps', async () => {
  let work = 5
  let turns = 0
  const { loop: it } = loop(async () => ({ worked: turns++ < work }))
  assert.equal(await it.settle(), true)
  assert.equal(turns, 6)
  assert.equal(await it.settle(), false)
  work = 10
  assert.equal(await it.settle(), true)
  await it.stop()
})

test('a wake during a turn causes another turn', async () => {
  const turns: (() => void)[] = []
  const { loop: it } = loop(() => new Promise((resolve) => turns.push(() => resolve({ worked: false }))))
  it.wake()
  turns[0]?.()
  await new Promise(setImmediate)
  assert.equal(turns.length, 2)
  turns[1]?.()
  await new Promise(setImmediate)
  assert.equal(turns.length, 2)
  await it.stop()
})

test('sleeps until the next work is due', async () => {
  const turnedAt: Date[] = []
  const { loop: it, clock } = loop(async () => {
    turnedAt.push(clock.now())
    return { worked: false, nextAt: clock.now() < after(30) ? after(30) : null }
  })
  await clock.advanceTo(after(60), async () => void (await it.settle()))
  assert.ok(turnedAt.some((at) => at.getTime() === after(30).getTime()))
  await it.stop()
})

test('a manual clock that advances during a turn stops at the time that is known', async () => {
  const turns: (() => void)[] = []
  const { loop: it, clock } = loop(
    () => new Promise((resolve) => turns.push(() => resolve({ worked: false, nextAt: after(30) }))),
  )
  turns[0]?.()
  await new Promise(setImmediate)
  it.wake()
  await new Promise(setImmediate)
  assert.equal(turns.length, 2, 'the second turn has begun')
  const stops: Date[] = []
  await clock.advanceTo(after(60), async () => void stops.push(clock.now()))
  assert.ok(stops.some((at) => at.getTime() === after(30).getTime()))
  const stopped = it.stop()
  turns[1]?.()
  await stopped
})

test('polls without a wake', async () => {
  let turns = 0
  const third = Promise.withResolvers<void>()
  const { loop: it } = loop(
    async () => {
      if (++turns === 3) third.resolve()
      return { worked: false }
    },
    { pollMs: 1 },
  )
  await third.promise
  await it.stop()
})

test('logs a failed turn and continues', async () => {
  let turns = 0
  const { loop: it, logged } = loop(async () => {
    if (++turns === 1) throw new Error('the database is away')
    return { worked: false }
  })
  await it.settle()
  await it.settle()
  assert.equal(turns >= 2, true)
  assert.equal(logged.length, 1)
  assert.match(logged[0] ?? '', /the database is away/)
  await it.stop()
})

test('does not log a fault that is logged elsewhere', async () => {
  let turns = 0
  const failing = async () => {
    if (++turns < 3) throw new Error(turns === 1 ? 'known' : 'new')
    return { worked: false }
  }
  const { loop: it, logged } = loop(failing, {
    isLoggedElsewhere: (error) => error instanceof Error && error.message === 'known',
  })
  while (turns < 3) await it.settle()
  assert.equal(logged.length, 1)
  assert.match(logged[0] ?? '', /"new"/)
  await it.stop()
})

test('overdue work that cannot be done neither spins the loop nor stops the clock', async () => {
  let turns = 0
  const { loop: it, clock } = loop(async () => {
    turns += 1
    return { worked: false, nextAt: after(-10) }
  })
  await clock.advanceTo(after(60), async () => void (await it.settle()))
  assert.ok(turns < 10, `${turns} turns`)
  await it.stop()
})

test('stop waits for the running turn, starts no other, and resolves settle', async () => {
  const gate = Promise.withResolvers<Turn>()
  let turns = 0
  const { loop: it } = loop(() => {
    turns += 1
    return gate.promise
  })
  const settled = it.settle()
  let stopped = false
  const stop = it.stop().then(() => {
    stopped = true
  })
  await new Promise(setImmediate)
  assert.equal(stopped, false)
  gate.resolve({ worked: true })
  await stop
  await settled
  assert.equal(turns, 1)
  assert.equal(await it.settle(), false)
})
