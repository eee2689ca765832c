// The health check of the container image, with and without TLS.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '../harness/free-port.ts'
import { CHECKOUT } from '../harness/process.ts'
import { ownService } from '../harness/service.ts'

const DOCKERFILE = readFileSync(join(CHECKOUT, 'deploy', 'docker', 'Dockerfile'), 'utf8')
const [, command = '[]'] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(DOCKERFILE) ?? []
const [program, ...args]: string[] = JSON.parse(command)
const certificate = (name: string) => join(CHECKOUT, 'test', 'webhooks', 'certificates', `${name}.pem`)
const TLS = { HULAKI_TLS_CERT_FILE: certificate('receiver.cert'), HULAKI_TLS_KEY_FILE: certificate('receiver.key') }

async function checkHealth(env: Record<string, string>): Promise<number> {
  assert.equal(program, '/opt/hulaki/node_modules/.bin/node')
  const [code] = await once(spawn(process.execPath, args, { env, stdio: 'ignore' }), 'close')
  return code
}

for (const env of [{}, TLS]) {
  const scheme = 'HULAKI_TLS_CERT_FILE' in env ? 'https' : 'http'
  test(`the health check of the container succeeds over ${scheme}, and fails without a service`, async () => {
    const service = await ownService({ env: { HULAKI_ROLES: 'api', ...env } })
    const { protocol, port } = new URL(service.url)
    assert.equal(protocol, `${scheme}:`)
    assert.equal(await checkHealth({ ...env, PORT: port }), 0)
    assert.equal(await checkHealth({ ...env, PORT: String(await freePort()) }), 1)
  })
}
