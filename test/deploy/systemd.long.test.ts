// The pages of systemd and upgrade as printed: builds the archive in a clone, installs it on a Debian machine, and upgrades it to a next release.
// Needs the npm registry or its packages in npm's cache, and a Debian mirror.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { blocksRunBy } from '../docs/blocks.ts'
import { DebianMachine } from './debian-machine.ts'
import { cloneCheckout, folderOfTrees, missing, pathOfMachine, runScript } from './printed-shell.ts'

const PROGRAMS = ['debootstrap', 'systemd-nspawn', 'nsenter', 'unshare', 'git', 'npm', 'tar', 'gzip']
const PACKAGES = ['systemd', 'systemd-sysv', 'dbus', 'curl', 'libatomic1']
const NEXT_MIGRATION = '9000_next_release_online.sql'
const skip = missing(...PROGRAMS)

const [build = '', install = '', readJournal = '', doctor = ''] = printed('docs/operations/systemd.md', 4)
const [backup = ''] = printed('docs/operations/backup.md', 1)
const [check = '', upgrade = ''] = printed('docs/operations/upgrade.md', 2)
let machine: DebianMachine
after(() => machine?.stop())
const folder = folderOfTrees('hulaki-systemd', skip)
const tree = join(folder, 'debian')
let clone = ''

const readyAs = (version: string) => `{"status":"ready","version":"${version}"}`
const versionIn = (block: string) => /hulaki-([\d.]+)-linux/.exec(block)?.[1] ?? ''

function printed(page: string, count: number): string[] {
  const blocks = blocksRunBy('test/deploy/systemd.long.test.ts', page, count)
  return blocks.map(({ text }) => text.replaceAll('linux-x64', `linux-${process.arch}`))
}

test('docs/operations/systemd.md: npm run package builds the archive in a new clone', { skip }, async () => {
  clone = cloneCheckout(folder)
  await runInClone(build)
})

test('docs/operations/systemd.md: the commands install the service, and doctor finds no fault', { skip }, async () => {
  machine = await DebianMachine.boot(tree, PACKAGES)
  copyToMachine(join(clone, 'dist'))
  assert.ok((await machine.run(install)).includes(readyAs(versionIn(install))))
  const [, apiKey = ''] = /^ {4}live {2}(svc_live_\w+)$/m.exec(await machine.run(readJournal)) ?? []
  assert.match(
    await machine.run(`HULAKI_API_KEY=${apiKey} /opt/hulaki/bin/hulaki send 9800000001 Namaste`),
    /delivered/,
  )
  assert.match(await machine.run(doctor), /^(ok .+\n)+$/)
})

test('docs/operations/backup.md: the command makes a backup in the folder of the service', { skip }, async () => {
  await machine.run(backup)
  assert.match(await machine.run('ls -l /var/lib/hulaki'), /^-rw------- 1 hulaki hulaki .*\.backup$/m)
})

test('systemctl reload keeps the process', { skip }, async () => {
  const pid = await machine.run('systemctl show --property=MainPID hulaki')
  await machine.run('systemctl reload hulaki')
  assert.equal(await machine.run('systemctl show --property=MainPID,ActiveState hulaki'), `${pid}ActiveState=active\n`)
})

test('docs/operations/upgrade.md: the commands check the upgrade to the next release, and upgrade', {
  skip,
}, async () => {
  await packNextRelease()
  const checked = await machine.run(check)
  assert.ok(checked.includes(NEXT_MIGRATION), checked)
  assert.match(checked, /^ok {4}upgrade machine by machine, without downtime$/m)
  assert.ok((await machine.run(upgrade)).includes(readyAs(versionIn(check))))
  assert.match(await machine.run(doctor), /^(ok .+\n)+$/)
})

test('systemctl stop ends the service with exit code 0, and its PostgreSQL', { skip }, async () => {
  await machine.run('systemctl stop hulaki')
  assert.equal(
    await machine.run('systemctl show --property=Result,ExecMainStatus,ActiveState hulaki'),
    'Result=success\nExecMainStatus=0\nActiveState=inactive\n',
  )
  const files = await machine.run('ls /var/lib/hulaki/data/postgres/cluster')
  assert.ok(files.includes('PG_VERSION') && !files.includes('postmaster.pid'), files)
})

async function runInClone(script: string): Promise<void> {
  await runScript(script, { cwd: clone, env: { PATH: pathOfMachine(), HOME: process.env.HOME } })
}

function copyToMachine(from: string): void {
  cpSync(from, join(tree, 'root'), { recursive: true })
}

/** The next release is this one with another version and one more migration. */
async function packNextRelease(): Promise<void> {
  const migration = join('src', 'store', 'database', 'migrations', NEXT_MIGRATION)
  writeFileSync(join(clone, migration), 'create table next_release ();\n')
  execFileSync('git', ['add', migration], { cwd: clone })
  await runInClone(`npm version --no-git-tag-version ${versionIn(check)}`)
  const next = join(folder, 'next')
  await runInClone(`node_modules/.bin/node scripts/package.ts linux-${process.arch} ${next}`)
  copyToMachine(next)
}
