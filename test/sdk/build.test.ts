// Packing in a checkout that has no compiler, as after `npm start`: it is fetched, and where that fails a sentence says what to run.
// That of a checkout with one is held by pack.test.ts.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { scratchFolder } from '../../scripts/scratch-folder.ts'
import { CHECKOUT } from '../harness/process.ts'

const root = scratchFolder('hulaki-no-compiler')
after(() => rmSync(root, { recursive: true, force: true }))
mkdirSync(join(root, 'sdk'))
for (const file of ['package.json', 'sdk/build.js', 'sdk/package.json']) cpSync(join(CHECKOUT, file), join(root, file))

/** With a program in npm's place that notes how it was called, and ends so. */
function build(exitCode: number) {
  const npm = join(root, 'npm.cjs')
  writeFileSync(npm, `console.log(process.argv.slice(2).join(' '), process.cwd()); process.exit(${exitCode})`)
  const env = { ...process.env, npm_execpath: npm }
  return spawnSync(process.execPath, [join(root, 'sdk', 'build.js')], { env, encoding: 'utf8' })
}

test('without a compiler npm runs the version of the checkout, and says nothing where the name of the archive is read', () => {
  const { typescript } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')).devDependencies
  const { status, stdout, stderr } = build(0)
  assert.deepEqual([status, stdout], [0, ''])
  assert.ok(stderr.includes(`exec --yes --package=typescript@${typescript} -- tsc -p . `), stderr)
})

test('where npm cannot fetch it, the last line says what to run', () => {
  const { status, stderr } = build(1)
  assert.equal(status, 1)
  assert.match(stderr.trimEnd().split('\n').at(-1) ?? '', /^hulaki: .*`node scripts\/prepare\.js`/)
})
