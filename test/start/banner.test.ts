// The start banner.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, openSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { testDatabaseAddress } from '../harness/database.ts'
import { Browser } from '../harness/people.ts'
import { CHECKOUT, dataFolder, ServiceProcess, urlOf } from '../harness/process.ts'
import { call } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const { PATH, NODE_COMPILE_CACHE } = process.env

test('the banner shows the data folder, the version and the stopped manual clock', async () => {
  const folder = dataFolder()
  const service = new ServiceProcess({
    env: { DATABASE_URL: urlOf(await testDatabaseAddress()), HULAKI_DATA_DIR: folder, HULAKI_CLOCK: 'manual' },
  })
  await service.url()
  assert.ok(service.shown(/^ {2}(works once and expires in 1 hour):$/m))
  assert.equal(service.shown(/^ {2}Data {8}(.*)$/m), `${folder} (database at DATABASE_URL)`)
  const stoppedAt = service.shown(/^ {2}Clock {7}manual, stopped at (\S+)$/m)
  assert.ok(stoppedAt)
  const line = service.stdout.split('\n').find((it) => it.includes('manual clock')) ?? '{}'
  assert.equal(JSON.parse(line).stoppedAt, stoppedAt)
  const { version } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8'))
  assert.equal(service.shown(/^ {2}Version {5}(.*)$/m), `${version}, on Node ${process.versions.node}`)
  assert.equal(await service.stop(), 0)
})

test('D19: the OTP in the banner verifies with the test key and not with the live key', async () => {
  const service = new ServiceProcess({
    env: { DATABASE_URL: urlOf(await testDatabaseAddress()), HULAKI_DATA_DIR: dataFolder(), HULAKI_DEMO: 'on' },
  })
  const url = await service.url()
  const code = service.shown(/^ {10}The test key sends nothing\. Its OTP is always (\d{6})\.$/m)
  assert.equal(code, '123456')
  const verify = async (apiKey: string | undefined) => {
    const post = (path: string, body: object) =>
      call(`${url}/api/sms/v1${path}`, { method: 'POST', headers: { 'x-api-key': apiKey ?? '' }, body })
    assert.equal((await post('/sms/otp/send', { to: '9800000001' })).status, 200)
    return (await post('/sms/otp/verify', { to: '9800000001', code })).body.verified
  }
  assert.equal(await verify(service.shown(/^ {4}test {2}(svc_live_\w+)$/m)), true)
  assert.equal(await verify(service.shown(/^ {4}live {2}(svc_live_\w+)$/m)), false)
  assert.equal(await service.stop(), 0)
})

test('with a file as standard output, the first start writes its secrets to first-start.txt only', async (t) => {
  const folder = dataFolder()
  mkdirSync(folder)
  const output = join(folder, 'output.log')
  const env = { DATABASE_URL: urlOf(await testDatabaseAddress()), HULAKI_DATA_DIR: folder, HULAKI_DEMO: 'on' }
  const child = spawn(process.execPath, [join(CHECKOUT, 'src', 'main.ts')], {
    cwd: CHECKOUT,
    env: { PATH, NODE_COMPILE_CACHE, PORT: '0', HULAKI_DRAIN_SECONDS: '0', HULAKI_PROCESSES: '1', ...env },
    stdio: ['ignore', openSync(output, 'w'), 'ignore'],
  })
  t.after(() => child.kill('SIGKILL'))
  const ended = once(child, 'close')
  await until(() => /^ {2}Secrets /m.test(readFileSync(output, 'utf8')) || child.exitCode !== null)
  child.kill('SIGINT')
  await ended
  const written = readFileSync(output, 'utf8')
  assert.doesNotMatch(written, /hulaki_link_|svc_live_|hulaki_operator_/)
  const file = /^ {2}Secrets +(.*) \(/m.exec(written)?.[1] ?? ''
  assert.equal(file, join(folder, 'first-start.txt'))
  assert.match(readFileSync(file, 'utf8'), /welcome#hulaki_link_.*svc_live_/s)
  assert.equal(statSync(file).mode & 0o777, 0o600)
})

test('only the first start prints a single-use sign-in link for the operator', async () => {
  const env = { DATABASE_URL: urlOf(await testDatabaseAddress()), HULAKI_DATA_DIR: dataFolder(), HULAKI_PROCESSES: '1' }
  const first = new ServiceProcess({ env })
  const url = await first.url()
  const link = first.shown(/^ {4}(http\S+\/console\/welcome#hulaki_link_[\da-f]{64})$/m) ?? ''
  assert.ok(link.startsWith(`${url}/console/welcome#`), link)
  const browser = new Browser({ url })
  assert.equal((await browser.use(link)).status, 200)
  assert.equal((await browser.ask('GET', '/whoami')).body.isOperator, true)
  assert.equal(await first.stop(), 0)
  const next = new ServiceProcess({ env })
  await next.url()
  assert.match(next.shown(/^ {2}Console {5}(.*)$/m) ?? '', /^http\S+\/console$/)
  assert.doesNotMatch(next.stdout, /hulaki_link_/)
  assert.equal(await next.stop(), 0)
})
