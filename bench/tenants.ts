// `npm run bench -- tenants`: how much the abuse of one workspace slows requests of another (D43). The attacks use only what the API allows,
// and nothing is delivered. Takes about five minutes; `postings` measures webhooks.
import { rmSync } from 'node:fs'
import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { scratchFolder } from '../scripts/scratch-folder.ts'
import { OPERATOR_TOKEN } from './customers.ts'
import type { Job, Report } from './load.ts'
import { percentileOf } from './percentile.ts'
import { generateLoad, Server } from './processes.ts'
import { saveResult } from './results.ts'
import { bindCarrier, seedWorkspace } from './seed.ts'

const SECONDS = 5
const ROUNDS = 3
const CLIENTS = 20
const VICTIM_PER_SECOND = 100
/** Above the rate limit of the attacker's clients (20 per second each), because rejected requests also cost time. */
const ATTACK_PER_SECOND = 800
const ATTACK_CONNECTIONS = 100
const STOCKED_MESSAGES = 300_000

const folder = scratchFolder('hulaki-bench')
const server = new Server('hulaki.ts', {
  BENCH_FOLDER: folder,
  BENCH_OPERATOR_TOKEN: OPERATOR_TOKEN,
})
let port = 0

interface Customer {
  workspaceId: string
  ownerToken: string
  clientIds: string[]
  apiKeys: string[]
}

interface Attack {
  point: string
  what: string
  prepare: () => Promise<Pick<Job, 'requests'> & Partial<Job>>
}

try {
  port = await server.port
  await measure()
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function measure(): Promise<void> {
  const carrier = { name: 'Bench', host: '127.0.0.1', port: 2775, systemId: 'bench', password: 'bench' }
  await manage('POST', '/routes', {
    country: 'NP',
    carrierId: (await manage('POST', '/carriers', carrier)).id,
    priority: 0,
  })
  await bindCarrier(folder)
  const victim = await makeCustomer('Victim', { clients: 1 })
  const attacks = attacksOf(await makeCustomer('Attacker', { clients: CLIENTS }))
  console.log(`${cpus().length} × ${cpus()[0]?.model}; service, PostgreSQL and both workspaces on this machine`)
  await generateLoad(victimJob(victim, { warmUpSeconds: 6 }))
  const rows = []
  for (const attack of attacks) {
    const job = await attack.prepare()
    const rounds: { alone: VictimTimes; attacked: VictimTimes }[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const alone = await measureVictim(victim)
      rounds.push({ alone, attacked: await measureVictim(victim, job) })
      await sleep(1_000)
    }
    const p99 = (which: 'alone' | 'attacked', what: keyof VictimTimes) => median(rounds.map((it) => it[which][what]))
    rows.push({
      attack: `${attack.point}  ${attack.what}`,
      'send alone': p99('alone', 'sendMs'),
      attacked: p99('attacked', 'sendMs'),
      times: ratio(p99('attacked', 'sendMs'), p99('alone', 'sendMs')),
      'operator alone': p99('alone', 'operatorMs').toFixed(1),
      'operator attacked': p99('attacked', 'operatorMs').toFixed(1),
      answers: JSON.stringify(rounds.at(-1)?.attacked.answers ?? {}),
    })
    console.table([rows.at(-1)])
  }
  console.log('p99 in ms, median of the rounds; under attack a request may take at most twice as long as alone')
  console.table(rows)
  saveResult('tenants', { rows })
}

/** Everything a customer may set, send or store, up to its limits. */
function attacksOf(attacker: Customer): Attack[] {
  const { workspaceId, clientIds, apiKeys, ownerToken } = attacker
  const each = async (settings: Record<string, unknown>) => {
    for (const id of clientIds) await manage('PATCH', `/clients/${id}`, settings)
  }
  const sends = (body: (index: number) => Record<string, unknown>, path = '/sms/send') =>
    Array.from({ length: 2_000 }, (_, index) => post(path, apiKeys[index % apiKeys.length] ?? '', body(index)))
  const plain = (index: number) => ({ to: numberOf(index), text: 'Namaste' })
  return [
    {
      point: '0',
      what: 'only its share of sends',
      prepare: async () => ({ requests: sends(plain) }),
    },
    {
      point: '1',
      what: 'an allowlist of 100 networks, called from outside',
      prepare: async () => {
        const ipAllowlist = Array.from(
          { length: 100 },
          (_, index) => `2001:db8:${index.toString(16)}::/${48 + (index % 64)}`,
        )
        await each({ restrictions: { ipAllowlist } })
        return { requests: sends(plain) }
      },
    },
    {
      point: '2',
      what: 'an hourly cap of 1 000, all to one number',
      prepare: async () => {
        await each({ restrictions: { ipAllowlist: null, hourlyCapPerNumber: 1_000 } })
        return { requests: sends(() => plain(0)) }
      },
    },
    {
      point: '4',
      what: 'all of its 20 clients at once',
      prepare: async () => {
        await each({ restrictions: { hourlyCapPerNumber: null } })
        return { requests: sends(plain) }
      },
    },
    {
      point: '5',
      what: 'its owner lists by status, in parallel, on 300 000 messages',
      prepare: async () => {
        await seedWorkspace(folder, workspaceId, STOCKED_MESSAGES)
        const list = (status: string) =>
          get(`/api/manage/v1/workspaces/${workspaceId}/messages?status=${status}`, ownerToken)
        return { requests: ['queued', 'submitting', 'failed', 'rejected'].map(list), perSecond: null, connections: 50 }
      },
    },
    {
      point: '6',
      what: 'free test sends with the longest sender',
      prepare: async () => {
        const { apiKeys: testKeys } = await makeClients(workspaceId, [{ mode: 'test', name: 'Test' }])
        const body = { ...plain(0), senderId: 'x'.repeat(100) }
        return { requests: [post('/sms/send', testKeys[0] ?? '', body)] }
      },
    },
    {
      point: '7',
      what: 'OTPs to adjacent numbers, none verified',
      prepare: async () => {
        await each({ restrictions: { pumpingGuard: 'block' } })
        return { requests: sends((index) => ({ to: numberOf(index % 400) }), '/sms/otp/send') }
      },
    },
    {
      point: '8',
      what: 'texts of 60 KB against 200 templates',
      prepare: async () => {
        await each({ restrictions: { pumpingGuard: 'off' } })
        await manage('PATCH', `/workspaces/${workspaceId}`, { templatesRequired: true })
        for (let index = 0; index < 200; index++) {
          const text = `Dear {{a}}, ${'x {{b}} '.repeat(3)}${index} {{a}} and {{b}}`
          const template = { name: `T${index}`, type: 'transactional', text }
          const { id } = await manage('POST', `/workspaces/${workspaceId}/templates`, template)
          await manage('POST', `/templates/${id}/approve`, {})
        }
        const long = { to: numberOf(0), text: `Dear ${'x '.repeat(30_000)}` }
        const short = { to: numberOf(0), text: `Dear ${'x '.repeat(400)}` }
        return { requests: sends((index) => (index % 2 ? long : short)) }
      },
    },
  ]
}

interface VictimTimes {
  sendMs: number
  operatorMs: number
  answers: Record<string, number>
}

async function measureVictim(victim: Customer, attack?: Pick<Job, 'requests'> & Partial<Job>): Promise<VictimTimes> {
  const attacking = attack
    ? generateLoad({
        port,
        connections: ATTACK_CONNECTIONS,
        warmUpSeconds: 1,
        seconds: SECONDS + 2,
        perSecond: ATTACK_PER_SECOND,
        ...attack,
      })
    : null
  await sleep(1_000)
  const operator = measureOperator()
  const sent: Report = await generateLoad(victimJob(victim, {}))
  const operatorMs = await operator.stop()
  const answers = (await attacking)?.statuses ?? {}
  const refused = Object.keys(sent.statuses).filter((status) => status !== '200')
  if (refused.length > 0) console.log(`the victim was rejected: ${JSON.stringify(sent.statuses)}`)
  return { sendMs: sent.p99Ms, operatorMs, answers }
}

function victimJob({ apiKeys }: Customer, { warmUpSeconds = 1 }): Job {
  const [apiKey = ''] = apiKeys
  const requests = Array.from({ length: 1_000 }, (_, index) =>
    post('/sms/send', apiKey, { to: numberOf(50_000 + index), text: 'Namaste' }),
  )
  return { port, connections: 20, warmUpSeconds, seconds: SECONDS, perSecond: VICTIM_PER_SECOND, requests }
}

/** Ten operator requests per second. */
function measureOperator() {
  const times: number[] = []
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      const begunAt = performance.now()
      await manage('GET', '/workspaces')
      times.push(performance.now() - begunAt)
      await sleep(100)
    }
  })()
  const stop = async () => {
    isOver = true
    await watching
    return percentileOf(times, 99)
  }
  return { stop }
}

async function makeCustomer(name: string, { clients }: { clients: number }) {
  const rate = { transactional: 0.0001, otp: 0.0001, promotional: 0.0001 }
  const settings = { name, country: 'NP', status: 'active', monthlyCredit: 1_000_000, rate, templatesRequired: false }
  const { id: workspaceId } = await manage('POST', '/workspaces', settings)
  const { token: ownerToken } = await manage('POST', `/workspaces/${workspaceId}/owner-tokens`, { name })
  const speed = clients === 1 ? { requestsPerSecond: VICTIM_PER_SECOND * 10 } : {}
  const made = await makeClients(
    workspaceId,
    Array.from({ length: clients - (clients === CLIENTS ? 1 : 0) }, (_, index) => ({
      name: `${name} ${index}`,
      ...speed,
    })),
  )
  return { workspaceId, ownerToken, ...made } satisfies Customer
}

async function makeClients(workspaceId: string, all: Record<string, unknown>[]) {
  const clientIds: string[] = []
  const apiKeys: string[] = []
  for (const settings of all) {
    const { id, apiKey } = await manage('POST', `/workspaces/${workspaceId}/clients`, {
      brandName: 'Bench',
      ...settings,
    })
    clientIds.push(id)
    apiKeys.push(apiKey)
  }
  return { clientIds, apiKeys }
}

async function manage(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ id: string; token: string; apiKey: string }> {
  const response = await fetch(`http://127.0.0.1:${port}/api/manage/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const answer = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${answer}`)
  return JSON.parse(answer)
}

function post(path: string, apiKey: string, message: Record<string, unknown>): string {
  const body = JSON.stringify(message)
  const head = [
    `POST /api/sms/v1${path} HTTP/1.1`,
    'host: 127.0.0.1',
    `x-api-key: ${apiKey}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

function get(path: string, token: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n\r\n`
}

/** Numbers that the simulator delivers to; other outcomes would make the carrier slow. */
function numberOf(index: number): string {
  return `+97798${400_000 + Math.floor(index / 80)}${20 + (index % 80)}`
}

function median(values: unknown[]): number {
  const sorted = values.map(Number).sort((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

function ratio(one: number, other: number): string {
  return (one / Math.max(other, 0.01)).toFixed(2)
}
