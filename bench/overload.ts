// `npm run bench -- overload`: goodput at peak and at 2, 5 and 10 times the peak in an open loop over thousands of connections, and the
// recovery. Takes about four minutes.
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../scripts/free-port.ts'
import { scratchFolder } from '../scripts/scratch-folder.ts'
import { addCarrier, type Customers, makeCustomers, OPERATOR_TOKEN, requestsOf, UNUSED_PORT } from './customers.ts'
import type { Report } from './load.ts'
import { endChild, generateLoad } from './processes.ts'
import { saveResult } from './results.ts'
import { bindCarrier } from './seed.ts'

const TIMES = [2, 5, 10]
const CONNECTIONS = Number(process.env.BENCH_CONNECTIONS ?? 10_000)
const PEAK_CONNECTIONS = 256
const SECONDS = 10
const WARM_UP_SECONDS = 6

interface Row {
  processes: number
  load: string
  goodput: number
  ofPeak: string
  refused: number
  '200 p99 ms': number | undefined
  '503 p99 ms': number | undefined
  'memory MB': string
  generator: string
}

const rows: Row[] = []
for (const processes of [1, 2]) await measure(processes)
console.log(
  `${cpus().length} × ${cpus()[0]?.model}; ${CONNECTIONS} connections; the generator and PostgreSQL on this machine`,
)
console.table(rows)
saveResult('overload', { rows })

async function measure(processes: number): Promise<void> {
  const folder = scratchFolder('hulaki-bench')
  try {
    const customers = await withService(folder, processes, async ({ port }) => {
      await addCarrier(port, UNUSED_PORT)
      return makeCustomers(port)
    })
    await bindCarrier(join(folder, 'data'))
    await withService(folder, processes, (service) => overload(service, customers, processes))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Running {
  port: number
  child: ChildProcess
}

async function overload({ port, child }: Running, customers: Customers, processes: number): Promise<void> {
  const requests = requestsOf(customers)
  const put = (connections: number, perSecond: number | null, seconds: number, warmUpSeconds: number) =>
    generateLoad({ port, connections, perSecond, seconds, warmUpSeconds, requests })
  const peak = goodputOf(await put(PEAK_CONNECTIONS, null, SECONDS, WARM_UP_SECONDS))
  const addRow = (load: string, report: Report, memory: number[]) => {
    const row = rowOf({ processes, load, report, peak, memory })
    rows.push(row)
    console.log(JSON.stringify(row))
  }
  for (const times of TIMES) {
    const memory: number[] = [memoryMb(child)]
    const watching = setInterval(() => memory.push(memoryMb(child)), 1_000)
    const report = await put(CONNECTIONS, peak * times, SECONDS, 3).finally(() => clearInterval(watching))
    addRow(`${times} × peak`, report, memory)
    await sleep(1_000)
    addRow('a second later', await put(16, null, 2, 0), [memoryMb(child)])
  }
}

function rowOf({
  processes,
  load,
  report,
  peak,
  memory,
}: {
  processes: number
  load: string
  report: Report
  peak: number
  memory: number[]
}): Row {
  const goodput = goodputOf(report)
  return {
    processes,
    load,
    goodput,
    ofPeak: load.includes('×') ? (goodput / peak).toFixed(2) : '',
    refused: Math.round((report.statuses['503'] ?? 0) / SECONDS),
    '200 p99 ms': report.timesMs['200']?.p99,
    '503 p99 ms': report.timesMs['503']?.p99,
    'memory MB': `${Math.min(...memory)} to ${Math.max(...memory)}`,
    generator: `${Math.round(report.busy * 100)} % busy`,
  }
}

/** Accepted requests per second. */
function goodputOf({ statuses, perSecond }: Report): number {
  const all = Object.values(statuses).reduce((sum, count) => sum + count, 0)
  return Math.round((perSecond * (statuses['200'] ?? 0)) / Math.max(1, all))
}

/** The memory of the process and its workers. */
function memoryMb({ pid = 0 }: ChildProcess): number {
  const residentMb = (of: number) => {
    try {
      return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${of}/status`, 'utf8'))?.[1] ?? 0) / 1024
    } catch {
      return 0
    }
  }
  const children = (() => {
    try {
      return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
    } catch {
      return []
    }
  })()
  return Math.round([pid, ...children].reduce((sum, it) => sum + residentMb(it), 0))
}

async function withService<Result>(
  folder: string,
  processes: number,
  work: (running: Running) => Promise<Result>,
): Promise<Result> {
  const port = await freePort()
  const child = spawn(process.execPath, [join(import.meta.dirname, '..', 'src', 'main.ts')], {
    stdio: ['ignore', 'ignore', 'inherit'],
    cwd: folder,
    env: {
      ...process.env,
      PORT: String(port),
      HULAKI_DATA_DIR: join(folder, 'data'),
      HULAKI_ROLES: 'api',
      HULAKI_PROCESSES: String(processes),
      HULAKI_DEMO: 'off',
      HULAKI_OPERATOR_TOKEN: OPERATOR_TOKEN,
      HULAKI_LOG_LEVEL: 'warn',
    },
  })
  try {
    const isReady = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    for (let attempt = 0; !(await isReady()); attempt++) {
      if (attempt > 300) throw new Error('the service did not start')
      await sleep(100)
    }
    return await work({ port, child })
  } finally {
    await endChild(child)
  }
}
