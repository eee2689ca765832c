// What the pages print can be run: the programs are known ones, and what is not run says why. The quickstart's curl is run right here;
// all else is run by printed.long.test.ts.
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { test } from 'node:test'
import { allDocuments, blocksOf, documents, fileNameOf, programsIn, RUN_ELSEWHERE, strangersIn } from './blocks.ts'
import { assertLike, jsonIn } from './printed-json.ts'
import { Reader } from './reader.ts'

const blocks = documents().flatMap(blocksOf)
const runnable = blocks.filter(({ language, marker }) => language === 'sh' && marker?.kind !== 'not run')

/** Held short: whoever adds one says here why. */
const NOT_RUN: Record<string, number> = {
  'docs/guides/generate-clients.md': 7,
  'docs/guides/quickstart.md': 1,
  // test/cli/presets.test.ts types them.
  'docs/reference/http-carriers.md': 5,
  'docs/reference/management.md': 1,
  'docs/operations/backup.md': 5,
  'docs/operations/deployment.md': 3,
}

test('every page is found, and has blocks to run', () => {
  assert.ok(documents().includes('README.md') && documents().includes('docs/guides/quickstart.md'))
  assert.ok(runnable.length > 60, `${runnable.length}`)
})

test('what is not run is a short list, each with its reason', () => {
  const marked = blocks.filter(({ marker }) => marker?.kind === 'not run')
  const counted = Object.fromEntries(
    Object.entries(Object.groupBy(marked, ({ file }) => file)).map(([file, of]) => [file, of?.length]),
  )
  assert.deepEqual(counted, NOT_RUN)
  for (const { file, line, marker } of marked) assert.ok((marker?.words.length ?? 0) >= 10, `${file}:${line}`)
})

test('pages that are run elsewhere are, by tests that are there', () => {
  for (const [page, folder] of Object.entries(RUN_ELSEWHERE))
    if (allDocuments().some((file) => file.startsWith(page)))
      assert.ok(globSync(`${folder}/*.test.ts`).length > 0, `${page}: ${folder}`)
})

test('commands call programs of a short list and nothing else', () => {
  const strangers = runnable
    .filter((block) => !fileNameOf(block))
    .flatMap(({ file, line, text }) => strangersIn(text).map((word) => `${file}:${line}: ${word}`))
  assert.deepEqual(strangers, [])
})

test('a program is found wherever it stands, so that none slips in', () => {
  assert.deepEqual(
    programsIn(`A=1 rm -rf x; cat "$(sudo y)" | tee z && B='rm' reboot # halt\ncurl \\\n  -d 'rm; rm'`),
    ['rm', 'cat', 'sudo', 'tee', 'reboot', 'curl'],
  )
})

test('a listing of another language names its file, so that the command below it finds it', () => {
  const nameless = blocks
    .filter(({ language, marker }) => ['ts', 'js', 'python', 'php'].includes(language) && marker?.kind !== 'not run')
    .filter((block) => !fileNameOf(block))
  assert.deepEqual(
    nameless.map(({ file, line }) => `${file}:${line}`),
    [],
  )
})

test('an answer is held against what is printed: its members, and the values that decide', () => {
  const [answer] = jsonIn('HTTP/1.1 200\n{"success":true,"verified":false,"reason":"invalid_code"}\n')
  assertLike(answer, { success: true, verified: false, reason: 'invalid_code' }, 'here')
  assert.throws(() => assertLike(answer, { success: true, verified: true, reason: 'invalid_code' }, 'here'))
  assert.throws(() => assertLike(answer, { success: true, verified: false }, 'here'))
  assert.throws(() => assertLike({ items: [] }, { items: [{ id: 'x' }] }, 'here'))
})

test('the quickstart with curl does what it says', async () => {
  const reader = new Reader('docs/guides/quickstart.md')
  await reader.begin()
  const all = blocksOf('docs/guides/quickstart.md').filter(({ marker }) => marker === null)
  const withCurl = all.slice(
    0,
    all.findIndex(({ language }) => language === 'ts'),
  )
  assert.equal(withCurl.length, 6)
  for (const block of withCurl) await reader.do(block)
  await reader.end()
})
