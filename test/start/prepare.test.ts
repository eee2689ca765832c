// scripts/prepare.js installs what a start or the tests need. A fake npm records its arguments.
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { CHECKOUT } from '../harness/process.ts'

const folder = mkdtempSync(join(tmpdir(), 'hulaki prepare-'))
after(() => rmSync(folder, { recursive: true }))
const asked = join(folder, 'asked')
const npm = join(folder, 'npm.cjs')
writeFileSync(
  npm,
  `const fs = require('node:fs')
  fs.appendFileSync(${JSON.stringify(asked)}, process.argv.slice(2).join(' ') + '\\n')
  fs.rmSync('node_modules', { recursive: true, force: true })
  fs.mkdirSync('node_modules/.bin', { recursive: true })
  fs.writeFileSync('node_modules/.bin/node', '')
  fs.writeFileSync('node_modules/.bin/node.cmd', '')`,
)
mkdirSync(join(folder, 'scripts'))
writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
writeFileSync(join(folder, 'package-lock.json'), '{}')
cpSync(join(CHECKOUT, 'scripts', 'prepare.js'), join(folder, 'scripts', 'prepare.js'))

/** The recorded npm arguments; empty if npm did not run. */
function prepare(...words: string[]): string {
  rmSync(asked, { force: true })
  const env = { ...process.env, npm_execpath: npm }
  execFileSync(process.execPath, [join(folder, 'scripts', 'prepare.js'), ...words], { env, stdio: 'ignore' })
  return existsSync(asked) ? readFileSync(asked, 'utf8') : ''
}

test('a start installs production packages, the tests install all, and neither repeats an installation', () => {
  const forStart = prepare('--production')
  assert.match(forStart, /^ci --ignore-scripts --omit=dev --include=optional /)
  assert.equal(prepare('--production'), '')
  assert.match(prepare(), /^ci --ignore-scripts --include=dev --include=optional /)
  assert.equal(prepare(), '')
  assert.equal(prepare('--production'), '', 'packages of the tests suffice for a start')
  writeFileSync(join(folder, 'package-lock.json'), '{"a":1}')
  assert.match(prepare('--production'), /--omit=dev/)
  assert.match(prepare(), /--include=dev/)
})

test('installs nothing while a service runs from the checkout', {
  skip: process.platform !== 'linux' && 'only Linux shows the processes',
}, async () => {
  mkdirSync(join(folder, 'src'))
  writeFileSync(join(folder, 'src', 'main.ts'), `process.stdout.write('.'); setInterval(() => {}, 1000)`)
  writeFileSync(join(folder, 'package-lock.json'), '{"b":1}')
  for (const program of ['src/main.ts', join(folder, 'src', 'main.ts')]) {
    const cwd = program === 'src/main.ts' ? folder : tmpdir()
    const service = spawn(process.execPath, [program], { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      await once(service.stdout, 'data')
      rmSync(asked, { force: true })
      const args = [join(folder, 'scripts', 'prepare.js')]
      const options = { env: { ...process.env, npm_execpath: npm }, encoding: 'utf8' } as const
      const { status, stderr } = spawnSync(process.execPath, args, options)
      assert.equal(status, 1)
      assert.ok(stderr.startsWith(`hulaki: process ${service.pid} is a service that runs from this checkout`), stderr)
      assert.ok(!existsSync(asked), 'npm did not run')
    } finally {
      service.kill('SIGKILL')
      await once(service, 'close')
    }
  }
  assert.match(prepare(), /--include=dev/)
})

test('npm start, crash and package install without development packages, npm test with them', () => {
  const { scripts } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8'))
  assert.equal(scripts.prestart, 'node scripts/prepare.js --production')
  assert.equal(scripts.precrash, scripts.prestart)
  assert.equal(scripts.prepackage, scripts.prestart)
  assert.equal(scripts.pretest, 'node scripts/prepare.js')
})
