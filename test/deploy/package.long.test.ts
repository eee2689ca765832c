// The release archive: built twice with the same bytes, unpacked by root, and run by an ordinary user without npm, Node and network.
// Needs the npm registry or its packages in npm's cache.
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { CHECKOUT } from '../harness/process.ts'
import { until } from '../harness/until.ts'

const USER = 65_534
const PROGRAMS = ['tar', 'gzip', 'npm', 'ip', 'unshare', 'nsenter', 'setpriv']
const lacking = PROGRAMS.filter((it) => spawnSync('sh', ['-c', `command -v ${it}`]).status !== 0)
const isRoot = process.getuid?.() === 0 && process.platform === 'linux'
const skip = !isRoot ? 'requires root' : lacking.length > 0 && `${lacking.join()} not installed`

test('the archive runs for an ordinary user without npm and network, in a path with a space', { skip }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'hulaki archive-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o755)
  const [archive, again] = ['one', 'two'].map((name) => build(join(folder, name)))
  assert.ok(archive && again)
  assert.equal(readFileSync(`${archive}.sha256`, 'utf8'), readFileSync(`${again}.sha256`, 'utf8'), 'the same bytes')
  t.diagnostic(`${(readFileSync(archive).length / 1e6).toFixed(1)} MB`)
  const place = join(folder, 'a place')
  mkdirSync(place)
  execFileSync('tar', ['-xzf', archive, '-C', place])
  const unpacked = join(place, readdirSync(place)[0] ?? '')
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  execFileSync('chown', ['-R', `${USER}:${USER}`, data])

  const service = startIsolated(join(unpacked, 'bin', 'hulaki-server'), data)
  await until(() => {
    assert.equal(service.child.exitCode, null, service.output())
    return service.output().includes('Send your first message')
  })
  const [, apiKey = ''] = /^ {4}live {2}(svc_live_\w+)$/m.exec(service.output()) ?? []
  const sent = service.inside([join(unpacked, 'bin', 'hulaki'), 'send', '9800000001', 'Namaste'], {
    HULAKI_API_KEY: apiKey,
  })
  assert.match(sent, /delivered/)
  service.child.kill('SIGTERM')
  assert.deepEqual(await service.ended, [0, null], service.output())
  // Nothing was written next to the program, and PostgreSQL has stopped.
  const writable = spawnSync('find', [unpacked, '-newer', archive, '-o', '-uid', String(USER)], { encoding: 'utf8' })
  assert.equal(writable.stdout, '')
  assert.deepEqual(
    readdirSync(join(data, 'postgres', 'cluster')).filter((it) => it === 'postmaster.pid'),
    [],
  )
})

function build(folder: string): string {
  execFileSync(process.execPath, [join(CHECKOUT, 'scripts', 'package.ts'), `linux-${process.arch}`, folder], {
    stdio: 'pipe',
  })
  return join(folder, readdirSync(folder).find((it) => it.endsWith('.tar.gz')) ?? '')
}

/** In a network of its own, which has only the loopback interface. */
function startIsolated(program: string, data: string) {
  const env = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', HOME: data, PORT: '8080', HULAKI_DATA_DIR: data }
  const asUser = ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups']
  const command = ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh', ...asUser, program]
  const child = spawn('unshare', ['--net', ...command], { env, cwd: data, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close')
  after(async () => {
    child.kill('SIGTERM')
    await ended
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      output += text
    })
  const inside = (words: string[], more: Record<string, string>) =>
    execFileSync('nsenter', [`--net=/proc/${child.pid}/ns/net`, ...asUser, ...words], {
      env: { ...env, ...more },
      encoding: 'utf8',
    })
  return { child, ended, output: () => output, inside }
}
