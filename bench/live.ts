// `npm run bench -- live`: the CPU time that 500 open consoles of 50 workspaces cost, compared with the same traffic without consoles. Takes
// about two minutes.
import { readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { scratchFolder } from '../scripts/scratch-folder.ts'
import { OPERATOR_TOKEN } from './customers.ts'
import { Server } from './processes.ts'

const CONSOLES = 500
const WORKSPACES = 50
const PER_SECOND = 20
const SECONDS = 30
const MAX_SHARE = 0.05
/** The length of a kernel clock tick. */
const TICK_SECONDS = 0.01

const folder = scratchFolder('hulaki-bench')
const sockets: Socket[] = []
const server = new Server('hulaki.ts', {
  BENCH_FOLDER: folder,
  BENCH_OPERATOR_TOKEN: OPERATOR_TOKEN,
  BENCH_ROLES: 'api,delivery,simulator',
})
try {
  const port = await server.port
  const senders = await makeSenders(port)
  await traffic(port, senders)
  const alone = await measured(() => traffic(port, senders))
  const consoles = await Promise.all(
    Array.from({ length: CONSOLES }, (_, n) => openConsole(port, senders[n % WORKSPACES]?.workspaceId ?? '')),
  )
  await sleep(1_000)
  const idle = await measured(() => sleep(SECONDS * 1_000))
  const watched = await measured(() => traffic(port, senders))
  const events = consoles.reduce((sum, it) => sum + it.events, 0)
  const share = watched - alone
  const percent = (value: number) => `${(value * 100).toFixed(1)} %`
  console.table({
    [`${PER_SECOND} messages per second without consoles`]: percent(alone),
    [`the same with ${CONSOLES} consoles of ${WORKSPACES} workspaces`]: percent(watched),
    [`${CONSOLES} idle consoles`]: percent(idle),
    'cost of the consoles, of one core': `${percent(share)} (${percent(MAX_SHARE)})`,
    'events sent to consoles': events,
  })
  process.exitCode = Math.max(share, idle) > MAX_SHARE ? 1 : 0
} finally {
  for (const socket of sockets) socket.destroy()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}

/** The share of one core that the service used meanwhile. */
async function measured(work: () => Promise<unknown>): Promise<number> {
  const before = cpuSeconds()
  const beganAt = performance.now()
  await work()
  return (cpuSeconds() - before) / ((performance.now() - beganAt) / 1_000)
}

function cpuSeconds(): number {
  const fields = readFileSync(`/proc/${server.pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_SECONDS
}

interface Sender {
  workspaceId: string
  apiKey: string
}

async function makeSenders(port: number): Promise<Sender[]> {
  const senders: Sender[] = []
  const manage = (path: string, body: unknown) =>
    post(`http://127.0.0.1:${port}/api/manage/v1${path}`, { authorization: `Bearer ${OPERATOR_TOKEN}` }, body)
  for (let number = 0; number < WORKSPACES; number += 1) {
    const rate = { transactional: 0.01, otp: 0.01, promotional: 0.01 }
    const settings = { country: 'NP', status: 'active', monthlyCredit: 1_000_000, rate, templatesRequired: false }
    const { id } = await manage('/workspaces', { name: `Workspace ${number}`, ...settings })
    const client = { name: 'Client', brandName: 'Bench', requestsPerSecond: 1_000 }
    const { apiKey } = await manage(`/workspaces/${id}/clients`, client)
    senders.push({ workspaceId: id, apiKey })
  }
  return senders
}

/** Each message is accepted, sent and delivered: three events. */
async function traffic(port: number, senders: Sender[]): Promise<void> {
  const sends: Promise<unknown>[] = []
  for (let n = 0; n < PER_SECOND * SECONDS; n += 1) {
    const { apiKey = '' } = senders[n % senders.length] ?? {}
    const body = { to: `98${String(10_000_001 + n * 100).slice(0, 8)}`, text: 'Your order has been shipped' }
    sends.push(post(`http://127.0.0.1:${port}/api/sms/v1/sms/send`, { 'x-api-key': apiKey }, body))
    await sleep(1_000 / PER_SECOND)
  }
  await Promise.all(sends)
}

async function post(url: string, headers: Record<string, string>, body: unknown) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${url}: ${await response.text()}`)
  return (await response.json()) as { id: string; apiKey: string }
}

interface Console {
  events: number
}

async function openConsole(port: number, workspaceId: string): Promise<Console> {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  const it: Console = { events: 0 }
  const path = `/api/manage/v1/workspaces/${workspaceId}/events?include=messages`
  socket.write(`GET ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${OPERATOR_TOKEN}\r\n\r\n`)
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.on('data', (piece) => {
      if (it.events === 0 && !piece.toString().startsWith('HTTP/1.1 200')) reject(new Error(piece.toString()))
      it.events += piece.toString().split('event: messages').length - 1
      resolve()
    })
  })
  return it
}
