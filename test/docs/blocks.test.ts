// The blocks of the pages use known programs, and a skipped block has a reason. The quickstart runs here, the rest in printed.long.test.ts.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  allDocuments,
  blocksOf,
  documents,
  fileNameOf,
  isRunAsPrinted,
  programsIn,
  ROOT,
  RUN_ELSEWHERE,
  strangersIn,
} from './blocks.ts'
import { assertLike, jsonIn } from './printed-json.ts'
import { Reader } from './reader.ts'

const blocks = documents().flatMap(blocksOf)
const runnable = blocks.filter((block) => block.language === 'sh' && isRunAsPrinted(block))

/** Every exception needs a reason. */
const NOT_RUN: Record<string, number> = {
  'docs/guides/generate-clients.md': 5,
  'docs/operations/container.md': 1,
  'docs/operations/proxy.md': 1,
}

test('finds every page, each with blocks to run', () => {
  assert.ok(documents().includes('README.md') && documents().includes('docs/guides/quickstart.md'))
  assert.ok(runnable.length > 60, `${runnable.length}`)
})

test('skips only a short list of blocks, each with a reason', () => {
  const marked = blocks.filter(({ marker }) => marker?.kind === 'not run')
  const counted = Object.fromEntries(
    Object.entries(Object.groupBy(marked, ({ file }) => file)).map(([file, of]) => [file, of?.length]),
  )
  assert.deepEqual(counted, NOT_RUN)
  for (const { file, line, marker } of marked) assert.ok((marker?.words.length ?? 0) >= 10, `${file}:${line}`)
})

test('names an existing test for every block that another test runs', () => {
  const elsewhere = blocks.filter(({ marker }) => marker?.kind === 'run by')
  assert.ok(elsewhere.length > 0)
  for (const { file, line, marker } of elsewhere) {
    const test = join(ROOT, marker?.words ?? '')
    assert.ok(existsSync(test) && readFileSync(test, 'utf8').includes(`'${file}'`), `${file}:${line}`)
  }
})

test('has a test for every page that is run elsewhere', () => {
  for (const [page, folder] of Object.entries(RUN_ELSEWHERE))
    if (allDocuments().some((file) => file.startsWith(page)))
      assert.ok(globSync(`${folder}/*.test.ts`).length > 0, `${page}: ${folder}`)
})

test('calls only programs of a short list', () => {
  const strangers = runnable
    .filter((block) => !fileNameOf(block))
    .flatMap(({ file, line, text }) => strangersIn(text).map((word) => `${file}:${line}: ${word}`))
  assert.deepEqual(strangers, [])
})

test('finds the programs in every position of a command', () => {
  assert.deepEqual(
    programsIn(`A=1 rm -rf x; cat "$(sudo y)" | tee z && B='rm' reboot # halt\ncurl \\\n  -d 'rm; rm'`),
    ['rm', 'cat', 'sudo', 'tee', 'reboot', 'curl'],
  )
})

test('names the file of a listing in another language, so that the next command finds it', () => {
  const nameless = blocks
    .filter((block) => ['ts', 'js', 'python', 'php'].includes(block.language) && isRunAsPrinted(block))
    .filter((block) => !fileNameOf(block))
  assert.deepEqual(
    nameless.map(({ file, line }) => `${file}:${line}`),
    [],
  )
})

test('compares a response with the printed one: fields, and the values that matter', () => {
  const [answer] = jsonIn('HTTP/1.1 200\n{"success":true,"verified":false,"reason":"invalid_code"}\n')
  assertLike(answer, { success: true, verified: false, reason: 'invalid_code' }, 'here')
  assert.throws(() => assertLike(answer, { success: true, verified: true, reason: 'invalid_code' }, 'here'))
  assert.throws(() => assertLike(answer, { success: true, verified: false }, 'here'))
  assert.throws(() => assertLike({ items: [] }, { items: [{ id: 'x' }] }, 'here'))
})

test('runs the curl quickstart as printed', async () => {
  const reader = new Reader('docs/guides/quickstart.md')
  await reader.begin()
  const all = blocksOf('docs/guides/quickstart.md').filter(({ marker }) => marker === null)
  const withCurl = all.slice(
    0,
    all.findIndex(({ language }) => language === 'ts'),
  )
  assert.equal(withCurl.length, 7)
  for (const block of withCurl) await reader.do(block)
  await reader.end()
})
