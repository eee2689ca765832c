// Runs the roles: all of them in this process, or those that can be shared in workers and the others here.
import { cacheForOneSecond } from '../http/health.ts'
import { systemChance } from '../runtime/chance.ts'
import { parseKeyring } from '../runtime/keyring.ts'
import type { Log } from '../runtime/log.ts'
import { Metrics } from '../runtime/metrics.ts'
import { Switchboard } from '../runtime/switchboard.ts'
import type { DatabaseAddress, Db } from '../store/database/db.ts'
import { type Config, isShared } from './config.ts'
import type { PreparedDatabase } from './prepare-database.ts'
import { refuseTakenPort, type Workers } from './processes.ts'
import { type Service, startService } from './service.ts'

interface Running {
  config: Config
  address: DatabaseAddress
  db: Db
  log: Log
  ground: PreparedDatabase
  brought: BroughtUp
}

export interface Processes {
  workers: Workers
  board: Switchboard
}

/** The roles as they run. */
interface Run {
  service: Service
  /** The address that the service has. */
  url: string
  /** Has every process read its certificates again. */
  reload: () => void
  /** Says from now on, in every process, that it should get no more traffic; what comes is still served. */
  drain: () => void
}

/** Returns when the roles run. */
export function runRoles(running: Running, processes: Processes | null): Promise<Run> {
  return processes ? runBeside(processes, running) : runAlone(running)
}

/** Every role in this process. */
async function runAlone({ config, db, log, ground, brought }: Running): Promise<Run> {
  const metrics = new Metrics()
  const readMetrics = () => metrics.text()
  const ports = { db, log, metrics, board: new Switchboard(), listen: true, readMetrics, listensForMetrics: true }
  const service = await startService({ ...partsOf(ground), ...ports, config })
  brought.add(() => service.stop())
  return { service, url: service.url, reload: () => service.reload(), drain: () => service.drain() }
}

/** What can be shared in workers, the other roles here. */
async function runBeside(
  { workers, board }: Processes,
  { config, address, db, log, ground, brought }: Running,
): Promise<Run> {
  const metrics = new Metrics()
  // Every worker asks for them.
  const readMetrics = cacheForOneSecond(async () => Metrics.sum([await metrics.parts(), ...(await workers.metrics())]))
  board.answer('metrics', readMetrics)
  const { keyringText, operator } = ground
  await refuseTakenPort(config)
  const roles = config.roles.filter((role) => !isShared(role))
  const ports = { db, log, metrics, board, listen: false, readMetrics, listensForMetrics: true }
  // The simulator stands for the outside world: there before who delivers to it, and still there when they have gone.
  const service = await startService({ ...partsOf(ground), ...ports, config: { ...config, roles } })
  brought.add(() => service.stop())
  brought.add(() => workers.stop())
  const url = await workers.serve({ config, address, keyringText, operatorToken: operator.token })
  return { service, url, reload: () => workers.reload(), drain: () => workers.drain() }
}

function partsOf({ clock, keyringText, operator }: PreparedDatabase) {
  const keyring = parseKeyring(keyringText, systemChance)
  return { clock, chance: systemChance, keyring, operatorToken: operator.token }
}

export class BroughtUp {
  readonly #undo: (() => Promise<void>)[] = []

  add(undo: () => Promise<void>): void {
    this.#undo.push(undo)
  }

  async takeDown(): Promise<void> {
    for (let undo = this.#undo.pop(); undo; undo = this.#undo.pop()) await undo()
  }
}
