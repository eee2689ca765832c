// A real Patroni cluster loses its primary under load. `npm run test:failover` runs it; it requires Patroni, etcd and PostgreSQL, otherwise it is skipped.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { dataFolder, ServiceProcess } from '../harness/process.ts'
import { type Answer, call } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'
import { Cluster, missingPrograms } from './patroni.ts'

const KILLS = Number(process.env.KILLS ?? 6)
const SWITCHOVERS = 2
const SENDERS = 4
const PRICE = 1

test('killed primaries and switchovers under load lose no accepted message, and charge and submit none twice', {
  skip: missingPrograms(),
  timeout: 600_000 + KILLS * 120_000,
}, async (t) => {
  const cluster = await Cluster.start()
  const smsc = await startSmsc()
  const service = new ServiceProcess({
    env: { DATABASE_URL: cluster.url, HULAKI_DATA_DIR: dataFolder(), HULAKI_PROCESSES: '1' },
  })
  const url = await service.url()
  const workspace = await makeWorkspace(url, service, smsc.port)
  const before = await workspace.balance()
  const load = startLoad(workspace.send)

  for (let failover = 0; failover < KILLS + SWITCHOVERS; failover++) {
    await cluster.untilWhole()
    await sleep(500 + Math.random() * 1_000)
    const isSwitchover = failover % Math.ceil((KILLS + SWITCHOVERS) / SWITCHOVERS) === 1
    const startedAt = performance.now()
    const old = isSwitchover ? await cluster.switchOver() : await cluster.killPrimary()
    await cluster.untilPrimaryIsNot(old)
    await load.untilNextAccepted()
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    t.diagnostic(`${isSwitchover ? 'switchover' : 'kill'} ${failover + 1}: the next 200 after ${seconds} s`)
  }
  const { accepted, answers } = await load.stop()
  t.diagnostic(`${accepted.size} messages, answers ${JSON.stringify(answers)}`)
  assert.deepEqual(
    Object.keys(answers).filter((status) => !['200', '409', '503'].includes(status)),
    [],
  )

  // What was submitted while the database was away may be in doubt (D15); it is never submitted again.
  await until(() => accepted.size === new Set(smsc.taken.map(({ to }) => to)).size, { ms: 120_000 })
  assert.equal(smsc.taken.length, accepted.size)
  assert.equal(Math.round(before - (await workspace.balance())), accepted.size * PRICE)
  const statuses = await Promise.all(Array.from(accepted.values(), workspace.statusOf))
  const counts = Object.fromEntries([...Map.groupBy(statuses, (it) => it)].map(([status, all]) => [status, all.length]))
  t.diagnostic(`statuses ${JSON.stringify(counts)}`)
  assert.doesNotMatch(service.stdout, /uncaught exception/)
  assert.equal(await service.stop(), 0)
})

/** A workspace with credit for the load, a client, and a carrier at this port. */
async function makeWorkspace(url: string, service: ServiceProcess, smscPort: number) {
  const token = service.shown(/^ {4}(hulaki_operator_\w+)$/m)
  const manage = async (path: string, body: unknown): Promise<Answer['body']> => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await call(`${url}/api/manage/v1${path}`, { method: 'POST', headers, body })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    return answer.body
  }
  const rate = { transactional: PRICE, otp: PRICE, promotional: PRICE }
  const workspace = {
    name: 'Load',
    country: 'NP',
    status: 'active',
    monthlyCredit: 1_000_000,
    rate,
    templatesRequired: false,
  }
  const { id } = await manage('/workspaces', workspace)
  const client = { name: 'Load', brandName: 'Load', requestsPerSecond: 1_000 }
  const { apiKey } = await manage(`/workspaces/${id}/clients`, client)
  const carrier = { name: 'Carrier', host: '127.0.0.1', port: smscPort, systemId: 'hulaki', password: 'secret' }
  const { id: carrierId } = await manage('/carriers', carrier)
  await manage('/routes', { country: 'NP', carrierId, priority: 1 })
  const headers = { 'x-api-key': apiKey }
  const get = (path: string) =>
    until(async () => {
      const { status, body } = await call(`${url}/api/sms/v1/sms${path}`, { method: 'GET', headers })
      return status === 200 && body
    })
  return {
    send: (to: string): Promise<Answer> =>
      call(`${url}/api/sms/v1/sms/send`, {
        method: 'POST',
        headers: { ...headers, 'idempotency-key': `key ${to}` },
        body: { to, text: 'Your order is on its way.' },
      }),
    balance: async (): Promise<number> => (await get('/balance')).balance,
    statusOf: async (id: string): Promise<string> => (await get(`/messages/${id}`)).status,
  }
}

/** Each sender repeats a request until its response is a 200. */
function startLoad(send: (to: string) => Promise<Answer>) {
  const accepted = new Map<string, string>()
  const answers: Record<string, number> = {}
  let isOver = false
  let last = 0
  const sendOne = async (to: string) => {
    for (;;) {
      const { status, body } = await send(to)
      answers[status] = (answers[status] ?? 0) + 1
      if (status === 200) return accepted.set(to, body.messageId)
      await sleep(200)
    }
  }
  const senders = Array.from({ length: SENDERS }, async () => {
    while (!isOver) {
      last += 1
      await sendOne(`98${String(last).padStart(8, '0')}`)
      await sleep(20)
    }
  })
  return {
    untilNextAccepted: async () => {
      const count = accepted.size
      await until(() => accepted.size > count, { ms: 60_000 })
    },
    stop: async () => {
      isOver = true
      await Promise.all(senders)
      return { accepted, answers }
    },
  }
}
