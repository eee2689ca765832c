// `npm run test:fresh`: a clone into an empty folder with spaces in its name, `npm start` twice, and all that a newcomer sees.
// It installs everything anew, so it takes a minute and needs the npm registry; `npm test` leaves it out.
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.ts'

const LONGEST_START_MS = 300_000
const LONGEST_SECOND_START_MS = 2_000

const root = join(import.meta.dirname, '..')
const parent = mkdtempSync(join(tmpdir(), 'hulaki fresh clone-'))
chmodSync(parent, 0o755)
const clone = join(parent, 'a clone')
// The project's own Node must not be found by chance: what the clone runs on, it has to bring.
const path = (process.env.PATH ?? '').split(':').filter((folder) => !folder.includes('node_modules'))

try {
  execFileSync('git', ['clone', '--quiet', root, clone])
  const first = await startAndStop()
  console.log(`first npm start: ready after ${(first.ms / 1000).toFixed(1)} s`)
  assert.match(first.shown, /svc_live_/, 'the first start shows the keys of the demo')
  assert.match(first.shown, /curl -s http/, 'the first start shows a command to paste')
  const second = await startAndStop()
  console.log(`second npm start: ready after ${(second.ms / 1000).toFixed(1)} s`)
  assert.doesNotMatch(second.shown, /svc_live_/, 'keys are shown once')
  assert.ok(second.ms < LONGEST_SECOND_START_MS, `the second start took ${Math.round(second.ms)} ms`)
} finally {
  rmSync(parent, { recursive: true, force: true })
}

async function startAndStop(): Promise<{ ms: number; shown: string }> {
  const port = await freePort()
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
    await until(() => shown.includes('Hulaki runs'))
    return { ms, shown }
  } finally {
    // Like a Ctrl-C: to npm and to all that it started.
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
  const bound = performance.now() + LONGEST_START_MS
  while (!(await condition())) {
    assert.ok(performance.now() < bound, 'in vain')
    await sleep(20)
  }
}
