// Runs the roles: all in this process, or the shared roles in worker processes and the others here.
import { loadBundle } from '../console/serve.ts'
import { cacheForOneSecond } from '../http/health.ts'
import type { TlsPair } from '../http/server.ts'
import { parseKeyring } from '../runtime/keyring.ts'
import type { Log } from '../runtime/log.ts'
import { Metrics } from '../runtime/metrics.ts'
import { RpcRouter } from '../runtime/process-rpc.ts'
import { systemRandom } from '../runtime/random.ts'
import type { DatabaseAddress, Db } from '../store/database/db.ts'
import { type Config, isShared } from './config.ts'
import { openMetrics } from './open-metrics.ts'
import type { PreparedDatabase } from './prepare-database.ts'
import { assertPortFree, type Workers } from './processes.ts'
import { type Service, startService } from './service.ts'

interface RunOptions {
  config: Config
  address: DatabaseAddress
  db: Db
  log: Log
  prepared: PreparedDatabase
  cleanup: CleanupStack
}

export interface Processes {
  workers: Workers
  rpc: RpcRouter
}

interface Run {
  service: Service
  url: string
  /** Uses another certificate in every process. */
  useCertificate: (pair: TlsPair) => void
  /** Makes /readyz respond 503 in every process while requests are still served. */
  drain: () => void
}

export function runRoles(options: RunOptions, processes: Processes | null): Promise<Run> {
  return processes ? runWithWorkers(processes, options) : runAlone(options)
}

async function runAlone({ config, db, log, prepared, cleanup }: RunOptions): Promise<Run> {
  const metrics = openMetrics(log)
  const readMetrics = () => metrics.text()
  const ports = { db, log, metrics, rpc: new RpcRouter(), listen: true, readMetrics, listensForMetrics: true }
  const service = await startService({ ...partsOf(prepared), ...ports, config })
  cleanup.add(() => service.stop())
  const useCertificate = (pair: TlsPair) => service.useCertificate(pair)
  return { service, url: service.url, useCertificate, drain: () => service.drain() }
}

/** Shared roles run in workers, the others here. */
async function runWithWorkers(
  { workers, rpc }: Processes,
  { config, address, db, log, prepared, cleanup }: RunOptions,
): Promise<Run> {
  const metrics = openMetrics(log)
  // Cached because every worker asks for the metrics.
  const readMetrics = cacheForOneSecond(async () => Metrics.sum([await metrics.parts(), ...(await workers.metrics())]))
  rpc.handle('metrics', readMetrics)
  rpc.handle('console bundle', () => loadBundle(log))
  const { keyringText, operator } = prepared
  await assertPortFree(config)
  const roles = config.roles.filter((role) => !isShared(role))
  const ports = { db, log, metrics, rpc, listen: false, readMetrics, listensForMetrics: true }
  // The simulator plays the carrier: it starts before the workers and stops after the workers.
  const service = await startService({ ...partsOf(prepared), ...ports, config: { ...config, roles } })
  cleanup.add(() => service.stop())
  cleanup.add(() => workers.stop())
  const url = await workers.serve({ config, address, keyringText, operatorToken: operator.token })
  const useCertificate = (pair: TlsPair) => workers.useCertificate(pair)
  return { service, url, useCertificate, drain: () => workers.drain() }
}

function partsOf({ clock, keyringText, operator }: PreparedDatabase) {
  const keyring = parseKeyring(keyringText, systemRandom)
  return { clock, random: systemRandom, keyring, operatorToken: operator.token }
}

/** Undoes the steps of a start in reverse order. */
export class CleanupStack {
  readonly #undo: (() => Promise<void>)[] = []

  add(undo: () => Promise<void>): void {
    this.#undo.push(undo)
  }

  async run(): Promise<void> {
    for (let undo = this.#undo.pop(); undo; undo = this.#undo.pop()) await undo()
  }
}
