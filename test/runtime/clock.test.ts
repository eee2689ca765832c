// The system clock and the manual clock.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock, SystemClock } from '../../src/runtime/clock.ts'

const START = new Date('2026-11-16T04:00:00.000Z')
const after = (seconds: number) => new Date(START.getTime() + seconds * 1000)
const atOnce = async () => {}
/** With mocked timers, both clocks of the machine use Date. */
const MOCKED = { wallMs: () => Date.now(), monotonicMs: () => Date.now() }

test('a manual clock moves only by advanceTo', async () => {
  const clock = new ManualClock(START)
  assert.deepEqual(clock.now(), START)
  clock.now().setFullYear(1990)
  assert.deepEqual(clock.now(), START)
  await clock.advanceTo(after(5), atOnce)
  assert.deepEqual(clock.now(), after(5))
  await clock.advanceTo(after(1), atOnce)
  assert.deepEqual(clock.now(), after(5))
})

test('stops at every alarm on the way, in order, and settles there', async () => {
  const clock = new ManualClock(START)
  const seen: string[] = []
  const say = (name: string) => () => void seen.push(`${name} at ${(clock.now().getTime() - START.getTime()) / 1000}`)
  clock.alarm(after(30), say('late'))
  clock.alarm(after(10), say('early'))
  clock.alarm(after(99), say('never'))
  const cancel = clock.alarm(after(20), say('cancelled'))
  cancel()
  await clock.advanceTo(after(60), async () => say('settled')())
  assert.deepEqual(seen, [
    'settled at 0',
    'early at 10',
    'settled at 10',
    'late at 30',
    'settled at 30',
    'settled at 60',
  ])
})

test('alarms set during the move ring on the way', async () => {
  const clock = new ManualClock(START)
  const rung: number[] = []
  const every10 = () => {
    rung.push((clock.now().getTime() - START.getTime()) / 1000)
    clock.alarm(new Date(clock.now().getTime() + 10_000), every10)
  }
  clock.alarm(after(10), every10)
  await clock.advanceTo(after(45), atOnce)
  assert.deepEqual(rung, [10, 20, 30, 40])
})

test('alarms set while settling before the move ring', async () => {
  const clock = new ManualClock(START)
  let rung: Date | null = null
  let first = true
  await clock.advanceTo(after(60), async () => {
    if (first)
      clock.alarm(after(15), () => {
        rung = clock.now()
      })
    first = false
  })
  assert.deepEqual(rung, after(15))
})

test('the system clock rings past alarms at once, and cancels alarms', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: START })
  const clock = new SystemClock(MOCKED)
  const rung: string[] = []
  clock.alarm(after(-5), () => void rung.push('past'))
  clock.alarm(after(5), () => void rung.push('soon'))
  clock.alarm(after(6), () => void rung.push('cancelled'))()
  t.mock.timers.tick(1)
  assert.deepEqual(rung, ['past'])
  t.mock.timers.tick(10_000)
  assert.deepEqual(rung, ['past', 'soon'])
})

test('the system clock rings alarms beyond the longest timer', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: START })
  const clock = new SystemClock(MOCKED)
  let rung: Date | null = null
  const inSixtyDays = after(60 * 86_400)
  clock.alarm(inSixtyDays, () => {
    rung = clock.now()
  })
  t.mock.timers.tick(59 * 86_400_000)
  assert.equal(rung, null)
  t.mock.timers.tick(86_400_000)
  assert.deepEqual(rung, inSixtyDays)
})

test('the system clock ignores jumps of the wall clock', () => {
  const machine = { wall: START.getTime(), ran: 1_000 }
  const clock = new SystemClock({ wallMs: () => machine.wall, monotonicMs: () => machine.ran })
  assert.deepEqual(clock.now(), START)
  machine.ran += 5_000
  machine.wall += 400 * 86_400_000
  assert.deepEqual(clock.now(), after(5))
  machine.wall = 0
  assert.deepEqual(clock.now(), after(5))
})

test('syncTo sets the time, returns the error of the wall clock, and ignores small differences', () => {
  const machine = { wall: START.getTime(), ran: 0 }
  const clock = new SystemClock({ wallMs: () => machine.wall, monotonicMs: () => machine.ran })
  assert.equal(clock.syncTo(after(-3600)), 3_600_000)
  assert.deepEqual(clock.now(), after(-3600))
  machine.ran += 2_000
  assert.deepEqual(clock.now(), after(-3598))
  // A difference within the measurement error does not set the clock back.
  clock.syncTo(after(-3598.7))
  assert.deepEqual(clock.now(), after(-3598))
})

test('alarms use the synchronized time', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: START })
  const clock = new SystemClock(MOCKED)
  clock.syncTo(after(-60))
  let rung = false
  clock.alarm(after(0), () => {
    rung = true
  })
  t.mock.timers.tick(59_000)
  assert.equal(rung, false)
  t.mock.timers.tick(1_000)
  assert.equal(rung, true)
})
