// Crashes on one data folder (its path contains a space) never lose an accepted message.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { dataFolder, ServiceProcess, statusOf } from '../harness/process.ts'
import { call } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const folder = dataFolder()
const env = { HULAKI_DATA_DIR: folder, HULAKI_PROCESSES: '1' }
const begin = () => new ServiceProcess({ env })
const DEMO_KEY = /^ {4}live {2}(svc_live_\w+)$/m
const OPERATOR_TOKEN = /^ {4}(hulaki_operator_\w+)$/m
const postmasterFile = join(folder, 'postgres', 'cluster', 'postmaster.pid')
const postmasterPid = () => Number(readFileSync(postmasterFile, 'utf8').split('\n')[0])

let apiKey = ''
let operatorToken = ''
let running: ServiceProcess
/** Messages that got a 200. */
const accepted: string[] = []

async function send(url: string): Promise<void> {
  const body = { to: '9800000006', text: 'Hello' }
  const answer = await call(`${url}/api/sms/v1/sms/send`, { method: 'POST', headers: { 'x-api-key': apiKey }, body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  accepted.push(answer.body.messageId)
}

async function assertNothingLost(url: string): Promise<void> {
  for (const id of accepted) {
    const { status } = await call(`${url}/api/sms/v1/sms/messages/${id}`, {
      method: 'GET',
      headers: { 'x-api-key': apiKey },
    })
    assert.equal(status, 200)
  }
  const workspaces = await call(`${url}/api/manage/v1/workspaces`, {
    method: 'GET',
    headers: { authorization: `Bearer ${operatorToken}` },
  })
  assert.deepEqual(
    workspaces.body.items.map((it: { name: string }) => it.name),
    ['Demo'],
  )
}

/** The command of the banner works when pasted. */
async function pasteCurl(shown: string): Promise<void> {
  const command = /curl -s (\S+) \\\n +-H 'x-api-key: (\S+)' \\\n +-H 'content-type: application\/json' \\\n +-d '(.+)'/
  const [, url = '', key = '', body] = command.exec(shown) ?? []
  const answer = await call(url, { method: 'POST', headers: { 'x-api-key': key }, body })
  assert.deepEqual([answer.status, answer.body.status], [200, 'queued'])
  accepted.push(answer.body.messageId)
}

test('two concurrent starts on an empty folder both succeed and print one set of keys', async () => {
  const services = [begin(), begin()]
  const urls = await Promise.all(services.map((it) => it.url()))
  assert.notEqual(urls[0], urls[1])
  const keys = services.flatMap((it) => it.shown(DEMO_KEY) ?? [])
  const tokens = services.flatMap((it) => it.shown(OPERATOR_TOKEN) ?? [])
  assert.deepEqual([keys.length, tokens.length], [1, 1])
  apiKey = keys[0] ?? ''
  operatorToken = tokens[0] ?? ''
  for (const url of urls) {
    assert.equal(await statusOf(`${url}/readyz`), 200)
    await send(url)
  }
  for (const url of urls) await assertNothingLost(url)
  await pasteCurl(services.map((it) => it.stdout).join(''))
  // The last service to stop also stops the database.
  assert.equal(await services[0]?.stop(), 0)
  assert.ok(services[1])
  running = services[1]
  await send(await running.url())
})

test('after kill -9 of the service, the next start finds all data and prints no keys', async () => {
  const before = postmasterPid()
  running.signal('SIGKILL')
  await running.ended
  running = begin()
  const url = await running.url()
  assert.equal(postmasterPid(), before)
  await assertNothingLost(url)
  assert.ok(!running.stdout.includes('svc_live_') && !running.stdout.includes(operatorToken))
})

test('the service recovers by itself when PostgreSQL is killed', async () => {
  const url = await running.url()
  const before = postmasterPid()
  let sawUnready = false
  process.kill(before, 'SIGKILL')
  await until(async () => {
    const status = await statusOf(`${url}/readyz`)
    sawUnready ||= status === 503
    return sawUnready && status === 200
  })
  assert.notEqual(postmasterPid(), before)
  assert.match(running.stdout, /"bundled PostgreSQL stopped, restarting"/)
  await until(() => running.stdout.includes('"bundled PostgreSQL restarted"'))
  assert.equal(await statusOf(`${url}/livez`), 200)
  await assertNothingLost(url)
  await send(url)
})

test('after kill -9 of both, the next start finds all data', async () => {
  const postmaster = postmasterPid()
  running.signal('SIGKILL')
  process.kill(postmaster, 'SIGKILL')
  await running.ended
  running = begin()
  await assertNothingLost(await running.url())
})

test('Ctrl-C stops everything, the database too, with exit code 0', async () => {
  assert.ok(existsSync(postmasterFile))
  assert.equal(await running.stop(), 0)
  assert.ok(!existsSync(postmasterFile))
  assert.equal(running.stderr, '')
})

test('Ctrl-C during a start stops everything too', async () => {
  running = begin()
  await until(() => existsSync(postmasterFile))
  assert.equal(await running.stop(), 0)
  assert.ok(!existsSync(postmasterFile))
  assert.equal(running.stderr, '')
  assert.ok(!running.stdout.includes('Hulaki is running'))
})
