// The progress of backup, restore and move: a line per second with all bytes so far and their rate.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Progress } from '../../src/boot/database-commands/progress.ts'
import { ManualClock } from '../../src/runtime/clock.ts'

function open() {
  const clock = new ManualClock(new Date('2026-11-19T06:00:00Z'))
  const lines: string[] = []
  const wait = (ms: number) => clock.advanceTo(new Date(clock.now().getTime() + ms), async () => {})
  return { lines, wait, progress: new Progress((line) => lines.push(line), clock) }
}

test('prints at most one line per second, with the bytes of all tables and their rate since the start', async () => {
  const { lines, wait, progress } = open()
  progress.add('client', 500_000)
  await wait(999)
  progress.add('message', 1_000_000)
  assert.deepEqual(lines, [])
  await wait(1)
  progress.add('message', 500_000)
  progress.add('message', 1_000_000)
  await wait(999)
  progress.add('message', 1_000_000)
  assert.deepEqual(lines, ['message: 2.0 MB so far, 2.0 MB/s'])
  await wait(2001)
  progress.add('report', 6_000_000)
  assert.deepEqual(lines.slice(1), ['report: 10.0 MB so far, 2.5 MB/s'])
})

test('returns the seconds since the start with one decimal', async () => {
  const { wait, progress } = open()
  assert.equal(progress.seconds(), 0)
  await wait(12_349)
  assert.equal(progress.seconds(), 12.3)
})

test('passes rows on and counts them, until the command is stopped', async () => {
  const { lines, wait, progress } = open()
  const stop = new AbortController()
  const written: string[] = []
  const write = progress.through('message', {
    write: async (piece) => void written.push(String(piece)),
    signal: stop.signal,
  })
  await wait(1000)
  await write(Buffer.from('a'.repeat(100_000)))
  assert.deepEqual(lines, ['message: 0.1 MB so far, 0.1 MB/s'])
  stop.abort()
  assert.throws(() => write(Buffer.from('b')), { name: 'AbortError' })
  assert.deepEqual(written, ['a'.repeat(100_000)])
})
