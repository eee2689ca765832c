// PostgreSQL backends or its postmaster are killed repeatedly under a load of long messages; the service process survives.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { dataFolder, isAlive, ServiceProcess, statusOf } from '../harness/process.ts'
import { type Answer, call } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const KILLS = Number(process.env.KILLS ?? 25)
const SENDERS = 4
const LONG = 'x'.repeat(400)

const folder = dataFolder()
const postmasterPid = () =>
  Number(readFileSync(join(folder, 'postgres', 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0])

/** Backends of connections, without the server's own workers. */
function backendPids(postmaster: number): number[] {
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ').map(Number)
  const titleOf = (pid: number) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    } catch {
      return ''
    }
  }
  return children.filter((pid) => /(idle|INSERT|UPDATE|SELECT|BIND|COMMIT)/.test(titleOf(pid)))
}

/** More credit than the load can spend. */
async function addCredit(url: string, service: ServiceProcess): Promise<void> {
  const token = service.shown(/^ {4}(hulaki_operator_\w+)$/m)
  const headers = { authorization: `Bearer ${token}`, 'idempotency-key': 'credit' }
  const { body } = await call(`${url}/api/manage/v1/workspaces`, { method: 'GET', headers })
  const path = `/api/manage/v1/workspaces/${body.items[0].id}/credits`
  const added = await call(`${url}${path}`, { method: 'POST', headers, body: { amount: 100_000 } })
  assert.equal(added.status, 201, JSON.stringify(added.body))
}

test('the service survives kills of PostgreSQL, and each long message is charged and delivered once', {
  timeout: 300_000 + KILLS * 20_000,
  skip: process.platform !== 'linux' && 'backends are found in /proc',
}, async (t) => {
  const service = new ServiceProcess({ env: { HULAKI_DATA_DIR: folder, HULAKI_PROCESSES: '1' } })
  const url = await service.url()
  const headers = { 'x-api-key': service.shown(/^ {4}live {2}(svc_live_\w+)$/m) ?? '' }
  const api = (method: string, path: string, body?: unknown, more = {}): Promise<Answer> =>
    call(`${url}/api/sms/v1/sms${path}`, { method, body, headers: { ...headers, ...more } })
  const balanceNow = async (): Promise<number> =>
    (
      await until(async () => {
        const { status, body } = await api('GET', '/balance')
        return status === 200 && body
      })
    ).balance
  await addCredit(url, service)
  const before = await balanceNow()

  let isOver = false
  let last = 0
  const accepted: string[] = []
  const answers = new Map<number, number>()
  const load = async () => {
    while (!isOver) {
      const to = `98${String(++last).padStart(6, '0')}01`
      const key = { 'idempotency-key': `key ${to}` }
      await until(async () => {
        const { status, body } = await api('POST', '/send', { to, text: LONG }, key)
        answers.set(status, (answers.get(status) ?? 0) + 1)
        assert([200, 429, 500, 503].includes(status), `${status} ${JSON.stringify(body)}`)
        if (status === 200) accepted.push(body.messageId)
        return status === 200
      })
      await sleep(100)
    }
  }
  const loads = Array.from({ length: SENDERS }, load)
  for (let kill = 0; kill < KILLS; kill++) {
    await sleep(200 + Math.random() * 800)
    const postmaster = postmasterPid()
    const backends = backendPids(postmaster)
    const victim = kill % 2 === 0 ? backends[Math.floor(Math.random() * backends.length)] : postmaster
    process.kill(victim ?? postmaster, 'SIGKILL')
    await until(async () => (await statusOf(`${url}/readyz`)) === 200)
    assert(isAlive(service.pid), service.stdout.slice(-2_000))
  }
  isOver = true
  await Promise.all(loads)
  t.diagnostic(`${accepted.length} messages, answers ${JSON.stringify([...answers])}`)

  let cost = 0
  for (const id of accepted) {
    const message = await until(
      async () => {
        const { body } = await api('GET', `/messages/${id}`)
        return body.status === 'delivered' && body
      },
      { ms: 240_000 },
    )
    cost += message.cost
  }
  assert.equal(Math.round((await balanceNow()) * 1e4), Math.round((before - cost) * 1e4))
  // A 503 promises that nothing was charged, so a COMMIT whose result stays unknown for 10 seconds gets 500. Nothing else may.
  const failures = service.stdout.split('\n').filter((line) => line.includes('"msg":"request failed"'))
  assert.equal(failures.length, answers.get(500) ?? 0)
  for (const failure of failures) assert.match(failure, /"type":"CommitUnknown"/)
  assert.doesNotMatch(service.stdout, /uncaught exception/)
  assert.equal(await service.stop(), 0)
})
