// The page of the container as printed: builds the image on a Debian made by debootstrap, and runs it with Podman in a network of its own.
// Needs the npm registry or its packages in npm's cache, and a Debian mirror.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { blocksRunBy } from '../docs/blocks.ts'
import { until } from '../harness/until.ts'
import { PodmanHost } from './podman-host.ts'
import { cloneCheckout, folderOfTrees, missing, pathOfMachine, runScript } from './printed-shell.ts'

const PODMAN = ['podman', 'podman-compose', 'iptables', 'ip', 'nsenter', 'unshare']
const skip = missing(...PODMAN, 'debootstrap', 'git', 'npm', 'tar', 'gzip', 'openssl', 'curl')
const printed = (page: string, count: number) =>
  blocksRunBy('test/deploy/container.long.test.ts', page, count).map(({ text }) => text)
const [pack = '', build = '', composeUp = '', composeDown = '', run = '', stop = ''] = printed(
  'docs/operations/container.md',
  6,
)
const [checkUpgrade = ''] = printed('docs/operations/upgrade.md', 1)
const CONFINED = `id -u; touch /opt/hulaki/x 2>&1 || grep -E '^(CapEff|NoNewPrivs)' /proc/1/status`

let host: PodmanHost
after(() => host?.stop())
const folder = folderOfTrees('hulaki-container', skip)

test('docs/operations/container.md: builds the image on a Debian made by debootstrap', { skip }, async () => {
  const clone = cloneCheckout(folder)
  await runScript(pack, { cwd: clone, env: { PATH: pathOfMachine(), HOME: process.env.HOME } })
  host = await PodmanHost.start(folder, clone)
  await host.build(build)
})

test('docs/operations/container.md: runs compose.yaml', { skip }, async () => {
  assertReady(await host.run(composeUp))
  await assertConfined()
  await host.run('podman healthcheck run hulaki')
  await host.run(composeDown)
  assert.equal(await host.run('podman ps --all --quiet'), '')
  assert.equal(await host.run('podman volume ls --quiet'), 'docker_data\n')
})

test('docs/operations/container.md: runs the container without compose, which is healthy, sends a message and stops with exit code 0', {
  skip,
}, async () => {
  assertReady(await host.run(run))
  await assertConfined()
  const [, apiKey = ''] = /^ {4}live {2}(svc_live_\w+)$/m.exec(await host.run('podman logs hulaki')) ?? []
  const send = `-e HULAKI_API_KEY=${apiKey} hulaki /opt/hulaki/bin/hulaki send 9800000001 Namaste`
  assert.match(await host.run(`podman exec ${send}`), /delivered/)
  // Without systemd, Podman runs no health checks by itself.
  await until(async () => (await host.try('podman healthcheck run hulaki')).code === 0)
  assert.match(await host.run(stop), /^healthy\nhulaki\n0\n/)
})

test('docs/operations/upgrade.md: checks the data of the stopped container in a new one', { skip }, async () => {
  const checked = await host.run(checkUpgrade)
  assert.match(checked, /^ok {4}upgrade machine by machine, without downtime$/m)
  assert.match(checked, /^ok {4}\d+ MB free in the data folder; the migrations may need 0 MB$/m)
})

function assertReady(output: string): void {
  assert.ok(output.includes('{"status":"ready"'), output)
  assert.match(output, /^ok {4}authenticated as operator$/m)
  // compose.yaml creates no Demo.
  assert.doesNotMatch(output, /^(FAIL|warn {2}(?!No workspace is active))/m)
}

async function assertConfined(): Promise<void> {
  assert.equal(
    await host.run(`podman exec hulaki sh -c "${CONFINED}"`),
    `10001\ntouch: cannot touch '/opt/hulaki/x': Read-only file system\nCapEff:\t0000000000000000\nNoNewPrivs:\t1\n`,
  )
}
