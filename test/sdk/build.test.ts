// Packing in a checkout without a compiler, as after `npm start`. pack.test.ts covers a checkout with one.
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

/** Replaces npm with a program that records its arguments and exits with the given code. */
function build(exitCode: number) {
  const npm = join(root, 'npm.cjs')
  writeFileSync(npm, `console.log(process.argv.slice(2).join(' '), process.cwd()); process.exit(${exitCode})`)
  const env = { ...process.env, npm_execpath: npm }
  return spawnSync(process.execPath, [join(root, 'sdk', 'build.js')], { env, encoding: 'utf8' })
}

test('without a compiler, runs the version of the checkout with npm, and prints nothing on standard output', () => {
  const { typescript } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')).devDependencies
  const { status, stdout, stderr } = build(0)
  assert.deepEqual([status, stdout], [0, ''])
  assert.ok(stderr.includes(`exec --yes --package=typescript@${typescript} -- tsc -p . `), stderr)
})

test('prints the command to run on the last line if npm cannot fetch the compiler', () => {
  const { status, stderr } = build(1)
  assert.equal(status, 1)
  assert.match(stderr.trimEnd().split('\n').at(-1) ?? '', /^hulaki: .*`node scripts\/prepare\.js`/)
})
