// `npm run bench -- accept`: messages accepted per second, compared with a bare Fastify server and with one that stores a row per request.
// Takes about three minutes; with `--long` twelve, with less variance.
import { rmSync } from 'node:fs'
import { cpus } from 'node:os'
import { scratchFolder } from '../scripts/scratch-folder.ts'
import { addCarrier, type Customers, makeCustomers, OPERATOR_TOKEN, requestsOf, UNUSED_PORT } from './customers.ts'
import { measureDisk } from './disk.ts'
import type { Report } from './load.ts'
import { generateAcceptedLoad, Server, withServer } from './processes.ts'
import { saveResult } from './results.ts'
import { bindCarrier, seedDatabase } from './seed.ts'

const CONNECTIONS = 256
const isLong = process.argv.includes('--long')
const SECONDS = isLong ? 30 : 5
// The time that V8 needs to compile.
const WARM_UP_SECONDS = 6
const ROUNDS = isLong ? 3 : 2

const folder = scratchFolder('hulaki-bench')
try {
  const figures = await measure()
  show(figures)
  saveResult('accept', { cpu: cpus()[0]?.model, ...figures })
} finally {
  rmSync(folder, { recursive: true, force: true })
}

type Figures = Awaited<ReturnType<typeof measure>>

async function measure() {
  const customers = await withHulaki({}, async (server) => {
    await addCarrier(await server.port, UNUSED_PORT)
    return makeCustomers(await server.port)
  })
  await bindCarrier(folder)
  const load = { customers, perSecond: null }
  const sample = (await withHulaki({}, (server) => put(server, { ...load, seconds: 1 }))).sample
  const bare: Report[] = []
  const batched: Report[] = []
  const durable: Report[] = []
  const empty: Report[] = []
  const memoryMb: number[] = []
  // Alternating, so that other load on the machine affects both.
  for (let round = 0; round < ROUNDS; round++) {
    bare.push(await withBare(sample, {}, (server) => put(server, load)))
    batched.push(await withBare(sample, { BENCH_BATCH_MS: '4' }, (server) => put(server, load)))
    durable.push(await withDurable(sample, (server) => put(server, load)))
    empty.push(
      await withHulaki({}, async (server) => {
        const report = await put(server, load)
        memoryMb.push(...server.memoryMb.slice(-SECONDS))
        return report
      }),
    )
  }
  const idempotent = await withHulaki({}, (server) => put(server, { ...load, idempotent: true }))
  const single = await withHulaki({ BENCH_LARGEST_BATCH: '1' }, (server) => put(server, load))
  const half = await withHulaki({}, (server) => put(server, { ...load, perSecond: Math.round(median(empty) / 2) }))
  const disk = await measureDisk(folder, SECONDS)
  const again = await withHulaki({}, (server) => put(server, load))
  await seedDatabase(folder, customers.workspaceIds)
  const stocked = await withHulaki({}, (server) => put(server, load))
  return { bare, batched, durable, empty, idempotent, single, half, disk, again, stocked, memoryMb }
}

interface Load {
  customers: Customers
  perSecond: number | null
  seconds?: number
  idempotent?: boolean
}

async function put(
  server: Server,
  { customers, perSecond, seconds = SECONDS, idempotent = false }: Load,
): Promise<Report> {
  return generateAcceptedLoad({
    port: await server.port,
    connections: CONNECTIONS,
    warmUpSeconds: WARM_UP_SECONDS,
    seconds,
    perSecond,
    requests: requestsOf(customers, { idempotent }),
  })
}

function withHulaki<Result>(env: Record<string, string>, work: (server: Server) => Promise<Result>): Promise<Result> {
  const server = new Server('hulaki.ts', { BENCH_FOLDER: folder, BENCH_OPERATOR_TOKEN: OPERATOR_TOKEN, ...env })
  return withServer(server, work)
}

function withBare<Result>(
  sample: string,
  env: Record<string, string>,
  work: (server: Server) => Promise<Result>,
): Promise<Result> {
  return withServer(new Server('bare.ts', { BENCH_ANSWER: sample, ...env }), work)
}

function withDurable<Result>(sample: string, work: (server: Server) => Promise<Result>): Promise<Result> {
  return withServer(new Server('durable.ts', { BENCH_FOLDER: folder, BENCH_ANSWER: sample }), work)
}

function show({
  bare,
  batched,
  durable,
  empty,
  idempotent,
  single,
  half,
  disk,
  again,
  stocked,
  memoryMb,
}: Figures): void {
  const [a, b, stored] = [median(bare), median(empty), median(durable)]
  const ratio = (value: number) => value.toFixed(2)
  const row = (what: string, { perSecond, p50Ms, p99Ms }: Report, judged = '') => ({
    what,
    perSecond,
    p50Ms,
    p99Ms,
    judged,
  })
  console.table([
    ...bare.map((it) => row('a  bare Fastify', it)),
    ...batched.map((it) => row('   responding every 4 ms', it, `${ratio(median(batched) / a)} of a`)),
    ...durable.map((it) => row('s  bare and durable', it, `${ratio(stored / a)} of a`)),
    ...empty.map((it) => row('b  Hulaki', it, `${ratio(b / stored)} of s (0.80), ${ratio(b / a)} of a`)),
    row('   with Idempotency-Key', idempotent, `${ratio(idempotent.perSecond / stored)} of s (0.65)`),
    row('c  batches of one', single, `b is ${ratio(b / single.perSecond)} times c (5)`),
    row('d  half of b, open loop', half, `p99 ${half.p99Ms} ms (30)`),
    row('b  again', again),
    row('e  stocked database', stocked, `${ratio(stocked.perSecond / again.perSecond)} of b (0.90)`),
  ])
  if (half.stalls) {
    const { share, p99OutsideMs } = half.stalls
    const percent = (share * 100).toFixed(1)
    console.log(`   the machine stalled in ${percent} % of d; p99 outside of stalls: ${p99OutsideMs.toFixed(2)} ms`)
  }
  console.log(
    `   the disk alone, after d: fdatasync p50 ${disk.p50Ms} ms, p99 ${disk.p99Ms} ms, longest ${disk.longestMs} ms`,
  )
  console.log(`f  memory of the service in MB, second by second: ${memoryMb.join(' ')}`)
}

function median(reports: Report[]): number {
  const sorted = reports.map((it) => it.perSecond).sort((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
