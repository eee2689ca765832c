// The service runs as an ordinary user, and as root from a folder that only root can enter.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { CHECKOUT, dataFolder, ServiceProcess, statusOf } from '../harness/process.ts'

const isRoot = process.getuid?.() === 0 && process.platform === 'linux'
const options = { skip: isRoot ? false : 'requires root' }

/** A copy of the checkout, with hard links where possible. */
function copyOfCheckout(): string {
  const parent = mkdtempSync(join(tmpdir(), 'hulaki copy-'))
  after(() => rmSync(parent, { recursive: true, force: true }))
  const copy = join(parent, 'checkout')
  mkdirSync(copy)
  const needed = ['package.json', 'src', 'ui', 'node_modules']
  for (const name of needed) {
    const from = join(CHECKOUT, name)
    try {
      execFileSync('cp', ['-alL', from, copy], { stdio: 'ignore' })
    } catch {
      execFileSync('cp', ['-aL', from, copy])
    }
  }
  return copy
}

function nodeOf(checkout: string): string {
  const packages = readdirSync(join(checkout, 'node_modules')).filter((name) => /^node-(bin-)?linux/.test(name))
  return join(checkout, 'node_modules', packages[0] ?? '', 'bin', 'node')
}

const checkout = isRoot ? copyOfCheckout() : ''

test('an ordinary user can run the service with its bundled database', options, async () => {
  chmodSync(join(checkout, '..'), 0o755)
  const folder = dataFolder()
  chmodSync(join(folder, '..'), 0o777)
  const user = { uid: 65_534, gid: 65_534 }
  const env = { HULAKI_DATA_DIR: folder, HULAKI_PROCESSES: '1' }
  const service = new ServiceProcess({ checkout, node: nodeOf(checkout), user, env })
  assert.equal(await statusOf(`${await service.url()}/readyz`), 200)
  assert.equal(await statusOf(`${await service.url()}/console`), 200)
  assert.equal(await service.stop(), 0)
  writeFileSync(join(checkout, '.env'), 'PORT=0', { mode: 0o600 })
  const shutOut = new ServiceProcess({ checkout, node: nodeOf(checkout), user, env })
  assert.equal((await shutOut.ended).code, 1)
  assert.match(shutOut.stderr, /^hulaki: .*\/checkout\/\.env cannot be read \(EACCES.*\)\.\n$/)
})

test('root can run the service from a folder that only root can enter', options, async () => {
  chmodSync(join(checkout, '..'), 0o700)
  rmSync(join(checkout, '.env'))
  const folder = dataFolder({ mode: 0o700 })
  const env = { HULAKI_DATA_DIR: folder, HULAKI_PROCESSES: '1' }
  const service = new ServiceProcess({ checkout, node: nodeOf(checkout), env })
  assert.equal(await statusOf(`${await service.url()}/readyz`), 200)
  assert.equal(await service.stop(), 0)
})

test('a console that cannot be bundled is logged and stops nothing else', options, async () => {
  rmSync(join(checkout, 'ui'), { recursive: true })
  const env = { HULAKI_DATA_DIR: dataFolder(), HULAKI_PROCESSES: '1' }
  const service = new ServiceProcess({ checkout, node: nodeOf(checkout), env })
  const url = await service.url()
  assert.equal(await statusOf(`${url}/console`), 503)
  assert.equal(await statusOf(`${url}/readyz`), 200)
  assert.match(service.stdout, /console bundle failed/)
  assert.equal(await service.stop(), 0)
})
