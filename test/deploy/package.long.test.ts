// The release archive: built twice with the same bytes, with the packages and the size that the page names, and run by an ordinary user without
// npm, Node and network.
// Needs the npm registry or its packages in npm's cache.
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
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

const folder = mkdtempSync(join(tmpdir(), 'hulaki archive-'))
after(() => rmSync(folder, { recursive: true, force: true }))
chmodSync(folder, 0o755)
const place = join(folder, 'a place')
let archive = ''
let unpacked = ''

test('the same commit gives an archive of the same bytes', { skip }, () => {
  archive = build(join(folder, 'one'))
  mkdirSync(place)
  execFileSync('tar', ['-xzf', archive, '-C', place])
  unpacked = join(place, readdirSync(place)[0] ?? '')
  const again = build(join(folder, 'two'))
  assert.equal(readFileSync(`${archive}.sha256`, 'utf8'), readFileSync(`${again}.sha256`, 'utf8'))
})

test('the archive has the production packages of its platform and no others', { skip }, () => {
  const locked = Object.entries(lockedPackages()).filter(([path, it]) => path !== '' && !it.dev && isFor(it, 'linux'))
  assert.ok(locked.some(([path]) => path === `node_modules/node-linux-${process.arch}`))
  assert.deepEqual(packagesIn('node_modules').sort(), locked.map(([path, { version }]) => `${path} ${version}`).sort())
})

const notPrinted = process.arch !== 'x64' && 'the page has the size of linux-x64'
test('the archive has the size that docs/operations/systemd.md names', { skip: skip || notPrinted }, (t) => {
  const page = readFileSync(join(CHECKOUT, 'docs', 'operations', 'systemd.md'), 'utf8')
  const [, packed, whole] = /It has (\d+) MB, (\d+) MB unpacked\./.exec(page) ?? []
  const files = readdirSync(unpacked, { recursive: true, withFileTypes: true }).filter((it) => it.isFile())
  const bytes = files.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0)
  for (const [printed, size] of [
    [packed, statSync(archive).size],
    [whole, bytes],
  ] as const) {
    t.diagnostic(`${(size / 1e6).toFixed(1)} MB`)
    assert.ok(Math.abs(size / 1e6 / Number(printed) - 1) < 0.1, `${printed} MB is printed for ${size} bytes`)
  }
})

test('the archive runs for an ordinary user without npm and network, in a path with a space', { skip }, async () => {
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

function build(into: string): string {
  execFileSync(process.execPath, [join(CHECKOUT, 'scripts', 'package.ts'), `linux-${process.arch}`, into], {
    stdio: 'pipe',
  })
  return join(into, readdirSync(into).find((it) => it.endsWith('.tar.gz')) ?? '')
}

interface LockedPackage {
  version: string
  dev?: true
  os?: string | string[]
  cpu?: string | string[]
  libc?: string | string[]
}

function lockedPackages(): Record<string, LockedPackage> {
  return JSON.parse(readFileSync(join(CHECKOUT, 'package-lock.json'), 'utf8')).packages
}

function isFor({ os, cpu, libc }: LockedPackage, system: string): boolean {
  const allows = (allowed: string | string[] | undefined, it: string) => !allowed || [allowed].flat().includes(it)
  return allows(os, system) && allows(cpu, process.arch) && allows(libc, 'glibc')
}

/** Each installed package with its version; `folder` is a node_modules. */
function packagesIn(folder: string): string[] {
  const names = readdirSync(join(unpacked, folder)).filter((it) => !it.startsWith('.'))
  const paths = names.flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(unpacked, folder, name)).map((it) => `${name}/${it}`) : [name],
  )
  return paths.flatMap((path) => {
    const at = join(folder, path)
    const { version } = JSON.parse(readFileSync(join(unpacked, at, 'package.json'), 'utf8'))
    const below = join(at, 'node_modules')
    return [`${at} ${version}`, ...(existsSync(join(unpacked, below)) ? packagesIn(below) : [])]
  })
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
