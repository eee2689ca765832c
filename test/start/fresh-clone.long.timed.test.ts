// `npm run test:long -- fresh`: clones the project into a path with spaces and starts it twice. Installs packages from the npm registry.
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../scripts/free-port.ts'
import { CHECKOUT } from '../harness/process.ts'

const MAX_START_MS = 300_000
const MAX_SECOND_START_MS = 2_000
const skip = process.env.FRESH_CLONE ? false : 'only `npm run test:long -- fresh` installs everything from the registry'

test('a fresh clone starts with npm start, shows its keys once, and starts again within two seconds', {
  skip,
}, async (t) => {
  const parent = mkdtempSync(join(tmpdir(), 'hulaki fresh clone-'))
  t.after(() => rmSync(parent, { recursive: true, force: true }))
  chmodSync(parent, 0o755)
  const clone = join(parent, 'a clone')
  execFileSync('git', ['clone', '--quiet', CHECKOUT, clone])
  const first = await startAndStop(clone)
  t.diagnostic(`first npm start: ready after ${(first.ms / 1000).toFixed(1)} s`)
  assert.match(first.shown, /svc_live_/, 'the first start shows the keys of Demo')
  assert.match(first.shown, /curl -s http/, 'the first start shows a command to paste')
  const second = await startAndStop(clone)
  t.diagnostic(`second npm start: ready after ${(second.ms / 1000).toFixed(1)} s`)
  assert.doesNotMatch(second.shown, /svc_live_/, 'keys are shown once')
  assert.ok(second.ms < MAX_SECOND_START_MS, `the second start took ${Math.round(second.ms)} ms`)
})

async function startAndStop(clone: string): Promise<{ ms: number; shown: string }> {
  const port = await freePort()
  // Without the checkout's own Node on the PATH, the clone must bring its own.
  const path = (process.env.PATH ?? '').split(':').filter((folder) => !folder.includes('node_modules'))
  const began = performance.now()
  const npm = spawn('npm', ['start'], {
    cwd: clone,
    env: { ...process.env, PATH: path.join(':'), PORT: String(port) },
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let shown = ''
  npm.stdout.on('data', (text) => {
    shown += text
  })
  const ended = new Promise<number | null>((resolve) => npm.once('close', resolve))
  try {
    const ms = await readyAfter(npm, port, began)
    await until(() => shown.includes(`http://127.0.0.1:${port}/api/sms/v1`))
    return { ms, shown }
  } finally {
    // As Ctrl-C does: to npm and to every process that npm started.
    process.kill(-(npm.pid ?? 0), 'SIGINT')
    await ended
  }
}

async function readyAfter(npm: ChildProcess, port: number, began: number): Promise<number> {
  await until(async () => {
    assert.equal(npm.exitCode, null, 'npm start ended')
    return fetch(`http://127.0.0.1:${port}/readyz`).then(
      (response) => response.ok,
      () => false,
    )
  })
  return performance.now() - began
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const bound = performance.now() + MAX_START_MS
  while (!(await condition())) {
    assert.ok(performance.now() < bound, `nothing within ${MAX_START_MS} ms`)
    await sleep(20)
  }
}
