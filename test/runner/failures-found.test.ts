// The runner detects every kind of failure, and a failed file does not affect the next.
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { scratchFolder } from '../../scripts/scratch-folder.ts'
import type { FileResult } from './messages.ts'
import { runInShards } from './shards.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const folder = scratchFolder('hulaki-failing')
after(() => rmSync(folder, { recursive: true }))
mkdirSync(join(folder, 'shared'))

/** The source of the file, and the expected failure text. */
const FAILING: Record<string, [source: string, says: RegExp]> = {
  assertion: [`test('fails', () => { throw new Error('wrong sum') })`, /wrong sum/],
  'shared-module': [`import { define } from './shared/cases.ts'\ndefine()`, /wrong in the shared module/],
  load: [`test('passes', () => {})\nthrow new Error('cannot load')`, /cannot load/],
  'before-hook': [`before(() => { throw new Error('no setup') })\ntest('passes', () => {})`, /no setup/],
  'after-hook': [`after(() => { throw new Error('not closed') })\ntest('passes', () => {})`, /not closed/],
  'throws-later': [`test('passes', () => { setTimeout(() => { throw new Error('too late') }, 50) })`, /too late/],
  'unhandled-rejection': [`test('passes', () => { Promise.reject(new Error('dropped')) })`, /dropped/],
  exit: [`test('passes', () => process.exit(0))`, /ended with exit code 0/],
  killed: [`test('passes', () => process.kill(process.pid, 'SIGKILL'))`, /ended with SIGKILL/],
  'left-open': [`test('passes', () => { setInterval(() => {}, 1000) })`, /left open: .*Timeout/],
  'never-settles': [`test('waits', () => new Promise(() => {}))`, /Promise resolution is still pending|did not end/],
  silent: [
    `test('waits', () => new Promise((resolve) => setTimeout(() => resolve(), 60_000)))`,
    /nothing happened for/,
  ],
  'endless-loop': [`test('loops', () => { for (;;); })`, /used more than 3 s of CPU/],
  empty: [`export {}`, /executed no test/],
  environment: [`test('passes', () => { process.env.LEFT = 'behind' })`, /environment variable LEFT/],
  listener: [`test('passes', () => { process.on('SIGHUP', () => {}) })`, /listener of process 'SIGHUP'/],
  directory: [`test('passes', () => process.chdir('/'))`, /working directory/],
}
const GOOD = `import { turn } from './shared/state.ts'
test('state of a module is new in every file', () => { if (turn.count++ > 0) throw new Error('seen before') })
test('has no program for this', { skip: 'php is not installed' }, () => {})`

function writeFixture(name: string, source: string): string {
  const path = join(folder, `${name}.test.ts`)
  writeFileSync(path, `import { after, before, test } from 'node:test'\nvoid [after, before]\n${source}\n`)
  return path
}

writeFileSync(
  join(folder, 'shared', 'cases.ts'),
  `import { test } from 'node:test'
export function define() { test('is defined elsewhere', () => { throw new Error('wrong in the shared module') }) }`,
)
writeFileSync(join(folder, 'shared', 'state.ts'), 'export const turn = { count: 0 }')

test('detects every kind of failure, and files after a failed one pass', async () => {
  const failing = Object.entries(FAILING).map(([name, [source]]) => writeFixture(name, source))
  const good = failing.map((_, number) => writeFixture(`good-${number}`, GOOD))
  const files = failing.flatMap((file, number) => [file, good[number] ?? ''])
  const results = new Map<string, FileResult>()
  await runInShards({
    root: ROOT,
    files,
    shards: 2,
    reloaded: folder,
    cpuLimitSeconds: 3,
    env: { TEST_FILE_CLOSING_MS: '500', TEST_FILE_SILENCE_MS: '5000', TEST_FILE_WATCH_MS: '100' },
    onResult: (result) => results.set(result.file, result),
  })
  assert.deepEqual([...results.keys()].sort(), files.toSorted())
  for (const [name, [, says]] of Object.entries(FAILING)) {
    const failures = results.get(join(folder, `${name}.test.ts`))?.failures ?? []
    assert.notEqual(failures.length, 0, `${name} was not found`)
    assert.match(failures.map(({ text }) => text).join('\n'), says, name)
  }
  for (const file of good) {
    const { passed, skipped, failures } = results.get(file) ?? assert.fail(file)
    assert.deepEqual({ passed, failures }, { passed: 1, failures: [] })
    assert.deepEqual(
      skipped.map(({ reason }) => reason),
      ['php is not installed'],
    )
  }
})
