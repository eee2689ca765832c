// SIGHUP without a terminal reloads the certificate in every process and stops nothing.
import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { connect } from 'node:tls'
import { testDatabaseAddress } from '../harness/database.ts'
import { CHECKOUT, dataFolder, ServiceProcess, urlOf } from '../harness/process.ts'
import { until } from '../harness/until.ts'

const folder = mkdtempSync(join(tmpdir(), 'hulaki certificates-'))
after(() => rmSync(folder, { recursive: true }))
const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
use('receiver')
const usual = { DATABASE_URL: urlOf(await testDatabaseAddress()), HULAKI_DATA_DIR: dataFolder(), HULAKI_ROLES: 'api' }

for (const HULAKI_PROCESSES of ['1', '2']) {
  test(`SIGHUP reloads the certificate in ${HULAKI_PROCESSES} process(es), and an invalid certificate changes nothing`, async () => {
    use('receiver')
    const service = new ServiceProcess({
      env: {
        ...usual,
        HULAKI_PROCESSES,
        HULAKI_TLS_CERT_FILE: files.cert,
        HULAKI_TLS_KEY_FILE: files.key,
      },
    })
    const port = Number(new URL(await service.url()).port)
    const countLogged = (words: string) => service.stdout.split(words).length - 1
    const before = await shownAt(port)
    use('other-host')
    // First to the whole process group, like a closed terminal; later to the primary alone, like systemd.
    service.signal('SIGHUP')
    await until(() => countLogged('certificate reloaded') === Number(HULAKI_PROCESSES))
    const renewed = await shownAt(port)
    assert.notEqual(renewed, before)
    // The workers take turns with connections.
    assert.deepEqual([await shownAt(port), await shownAt(port)], [renewed, renewed])
    writeFileSync(files.key, 'no key')
    process.kill(service.pid, 'SIGHUP')
    await until(() => countLogged('certificate reload failed') === Number(HULAKI_PROCESSES))
    assert.deepEqual([await shownAt(port), await shownAt(port)], [renewed, renewed])
    assert.equal(await service.stop(), 0)
    assert.equal(service.stderr, '')
  })
}

function use(name: string): void {
  const from = join(CHECKOUT, 'test', 'webhooks', 'certificates')
  copyFileSync(join(from, `${name}.cert.pem`), files.cert)
  copyFileSync(join(from, `${name}.key.pem`), files.key)
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
