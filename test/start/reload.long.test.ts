// A renewed certificate is used in every process without a restart: when the files change, and on SIGHUP.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, renameSync, rmSync, symlinkSync, truncateSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { connect } from 'node:tls'
import { testDatabaseAddress } from '../harness/database.ts'
import { CHECKOUT, dataFolder, ServiceProcess, urlOf } from '../harness/process.ts'
import { until } from '../harness/until.ts'

const parent = mkdtempSync(join(tmpdir(), 'hulaki certificates-'))
after(() => rmSync(parent, { recursive: true }))
/** A link that is replaced as a whole, like the link of certbot or of a mounted Kubernetes secret. */
const live = join(parent, 'live')
const files = { cert: join(live, 'cert.pem'), key: join(live, 'key.pem') }
const RELOADED = 'certificate reloaded'
const FAILED = 'certificate reload failed'
const usual = {
  DATABASE_URL: urlOf(await testDatabaseAddress()),
  HULAKI_DATA_DIR: dataFolder(),
  HULAKI_ROLES: 'api',
  HULAKI_TLS_CERT_FILE: files.cert,
  HULAKI_TLS_KEY_FILE: files.key,
}

for (const HULAKI_PROCESSES of ['1', '2']) {
  test(`${HULAKI_PROCESSES} process(es) use a renewed certificate and keep the current one while the files are unusable`, async () => {
    link('receiver')
    const service = new ServiceProcess({ env: { ...usual, HULAKI_PROCESSES } })
    const port = Number(new URL(await service.url()).port)
    const logged = (words: string) => service.stdout.split(words).length - 1
    const first = await shownAt(port)
    const askAgain = await openConnection(port)

    link('other-host')
    const second = await shownNext(port, first)
    assert.equal(logged(FAILED), 0)
    // The workers take turns with connections.
    assert.deepEqual([await shownAt(port), await shownAt(port)], [second, second])

    // A half-written certificate, then one that does not match the key.
    truncateSync(files.cert, 200)
    await until(() => logged(FAILED) >= 1)
    copyPart('receiver', 'cert')
    await until(() => service.stdout.includes('does not match'))
    assert.deepEqual([await shownAt(port), await shownAt(port)], [second, second])
    copyPart('receiver', 'key')
    assert.equal(await shownNext(port, second), first)
    await askAgain()

    // A worker that starts later has the certificate of today, even if the files are unusable again.
    link('other-host')
    await shownNext(port, first)
    const failures = logged(FAILED)
    rmSync(files.key)
    await until(() => logged(FAILED) > failures)
    for (const pid of service.runningWorkerPids) process.kill(pid, 'SIGKILL')
    await until(() => shownAt(port).catch(() => null))
    assert.deepEqual([await shownAt(port), await shownAt(port)], [second, second])

    assert.equal(await service.stop(), 0)
    assert.equal(service.stderr, '')
  })
}

test('SIGHUP without a terminal reads the certificate at once, and stops nothing', async () => {
  link('receiver')
  const service = new ServiceProcess({ env: { ...usual, HULAKI_PROCESSES: '2' } })
  const port = Number(new URL(await service.url()).port)
  const askAgain = await openConnection(port)
  const before = await shownAt(port)
  link('other-host')
  // First to the whole process group, like a closed terminal; later to the primary alone, like systemd.
  service.signal('SIGHUP')
  await until(() => service.stdout.includes(RELOADED))
  const renewed = await shownNext(port, before)
  rmSync(files.key)
  process.kill(service.pid, 'SIGHUP')
  await until(() => service.stdout.includes(FAILED))
  assert.deepEqual([await shownAt(port), await shownAt(port)], [renewed, renewed])
  await askAgain()
  assert.equal(await service.stop(), 0)
  assert.equal(service.stderr, '')
})

function from(name: string, part: 'cert' | 'key'): string {
  return join(CHECKOUT, 'test', 'webhooks', 'certificates', `${name}.${part}.pem`)
}

function copyPart(name: string, part: 'cert' | 'key'): void {
  copyFileSync(from(name, part), files[part])
}

/** Points the link at a new folder with this certificate and its key. */
function link(name: string): void {
  const folder = mkdtempSync(join(parent, `${name}-`))
  for (const part of ['cert', 'key'] as const) copyFileSync(from(name, part), join(folder, `${part}.pem`))
  symlinkSync(folder, `${live}.new`)
  renameSync(`${live}.new`, live)
}

/** The fingerprint of the certificate that a new connection is shown. */
function shownAt(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256)
      socket.destroy()
    })
    socket.on('error', reject)
  })
}

/** Waits until every process shows another certificate. */
async function shownNext(port: number, before: string): Promise<string> {
  return until(async () => {
    const shown = await Promise.all(Array.from({ length: 8 }, () => shownAt(port)))
    return shown.includes(before) ? undefined : shown[0]
  })
}

/** Opens a connection and returns a request that asserts that it is answered on the same connection. */
async function openConnection(port: number): Promise<() => Promise<void>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false })
  after(() => agent.destroy())
  const ask = async () => {
    const asked = request({ agent, port, host: '127.0.0.1', path: '/readyz' }).end()
    const [response] = await once(asked, 'response')
    response.resume()
    await once(response, 'end')
    assert.equal(response.statusCode, 200)
    return asked.reusedSocket
  }
  assert.equal(await ask(), false)
  return async () => assert.equal(await ask(), true)
}
