// No test depends on the speed of the machine. Tests of real time are in *.timed.test.ts, which run alone.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..')
const INSTEAD =
  'an upper bound of real time fails on a busy machine; assert an order, a count or a time of the manual clock, ' +
  'or move the test into a file *.timed.test.ts'
const NO_SLEEP = 'a sleep waits too long or too short; wait on a condition with `until`, or move the clock'

/** Files that must wait for real time. */
const MAY_SLEEP = [
  // A stop has 300 ms for late arrivals, and nothing may follow.
  'test/api/stop.test.ts',
  // Kills every few milliseconds.
  'test/store/database/pipeline.test.ts',
]

const DIFFERENCE = String.raw`(?:performance|Date)\.now\(\) - |hrtime`
/** Names of durations in other modules. */
const TOOK = ['ms', 'milliseconds', 'elapsed', 'elapsedMs', 'tookMs']

const files = globSync('test/**/*.ts', { cwd: ROOT }).filter(
  (file) => !file.endsWith('.timed.test.ts') && file !== 'test/harness/until.ts' && file !== 'test/tidy-time.test.ts',
)

test('no test asserts an upper bound of real time', () => {
  none(
    files.flatMap((file) => upperBoundsIn(textOf(file)).map((what) => `${file}: ${what} is not allowed; ${INSTEAD}`)),
  )
})

test('no test sleeps, except for random kills', () => {
  const awake = files.filter(
    (file) => !/^test\/(harness|crash)\/|\.long\.test\.ts$/.test(file) && !MAY_SLEEP.includes(file),
  )
  none(awake.flatMap((file) => sleepsIn(textOf(file)).map((what) => `${file}: ${what} is not allowed; ${NO_SLEEP}`)))
})

test('finds upper bounds in every notation, and allows lower bounds', () => {
  const bounds = [
    'assert(performance.now() - startedAt < 1000)',
    'assert.ok(\n  Date.now() - startedAt <= 1000,\n)',
    'const ms = performance.now() - began\nassert.ok(ms < PROMPT_MS)',
    'const secondsSince = (at: number) => (performance.now() - at) / 1000\nassert(secondsSince(begunAt) < 3)',
    'const seconds = (performance.now() - began) / 1000\nassert(10 > seconds)',
    'async function timed(asked) {\n  const at = performance.now()\n  await asked\n  return performance.now() - at\n}\n' +
      'const took = await timed(sending)\nassert.ok(2_000 >= took)',
    'const { ms } = await drip()\nassert.ok(ms > 900 && ms < 3_000)',
    'assert(result.milliseconds < LIMIT)',
  ]
  for (const text of bounds) assert.equal(upperBoundsIn(text).length, 1, text)
  const others = [
    'const began = performance.now()\nassert.ok(performance.now() - began > 1_800)',
    'const most = 2 + (performance.now() - began) / 200\nassert.ok(calls <= most)',
    'const waited = performance.now() - began\nassert.ok(answer.milliseconds <= waited)',
    'while (performance.now() - asked < 400) await work()',
    'const seconds = (service.clock.now().getTime() - since) / 1000\nassert(seconds <= 4)',
    'assert(tried >= 20 && tried < 30)',
  ]
  for (const text of others) assert.deepEqual(upperBoundsIn(text), [], text)
})

/** Assertions that a measured duration is smaller than a constant. */
function upperBoundsIn(text: string): string[] {
  const isTime = timesOf([...TOOK, ...measuredIn(text)])
  return assertionsIn(text)
    .flatMap((assertion) => assertion.split(/ && | \|\| |, /))
    .filter((part) => {
      const [, left = '', operator = '', right = ''] = /^(.*?) ([<>])=? (.*)$/.exec(part) ?? []
      const [small, large] = operator === '<' ? [left, right] : [right, left]
      return isTime.test(small) && !isTime.test(large)
    })
}

/** Each on one line. */
function assertionsIn(text: string): string[] {
  return text.replaceAll(/\(\n\s*/g, '(').match(/\bassert(?:\.ok)?\(.*/g) ?? []
}

/** Variables and functions of a file that hold a duration. */
function measuredIn(text: string): string[] {
  const names = new Set<string>()
  const lines = text.split('\n')
  for (let known = -1; known < names.size; ) {
    known = names.size
    const time = timesOf([...names])
    let outer = ''
    for (const line of lines) {
      outer = /^(?:async )?function (\w+)/.exec(line)?.[1] ?? outer
      const [, name, value = ''] = /\b(?:const|let) (\w+)[^=]*=(.*)/.exec(line) ?? []
      if (name && time.test(value)) names.add(name)
      if (outer && /^ +return /.test(line) && time.test(line)) names.add(outer)
      if (line === '}') outer = ''
    }
  }
  return [...names]
}

function timesOf(names: string[]): RegExp {
  return new RegExp([DIFFERENCE, ...names.map((name) => `\\b${name}\\b`)].join('|'))
}

function sleepsIn(text: string): string[] {
  return text.match(/\bawait (?:sleep|setTimeout)\(.*|setTimeout\(resolve\b.*/g) ?? []
}

function textOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}

function none(faults: string[]): void {
  assert.equal(faults.length, 0, `\n${faults.join('\n')}\n`)
}
