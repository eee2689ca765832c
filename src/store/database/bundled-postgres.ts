// The bundled PostgreSQL, used without DATABASE_URL. The first service on a data folder starts it, all services on that folder share
// it, it survives a killed service, and the last service stops it.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../../runtime/log.ts'
import { type Cluster, DATABASE, openCluster, ROLE, startServer, stopServer } from './bundled-postgres/cluster.ts'
import { complaintOf, latestLog } from './bundled-postgres/complaint.ts'
import { BundledPostgresError, errorCode } from './bundled-postgres/error.ts'
import { findPostmaster, type PostmasterAddress } from './bundled-postgres/postmaster.ts'

export { BundledPostgresError }

export interface BundledPostgres {
  /** Connects as the role of the service to the database of the service. */
  readonly connection: { host: string; port: number; user: string; password: string; database: string }
  /** The folder of the cluster. */
  readonly directory: string
  /** Stops the server unless another service uses it. */
  release(): Promise<void>
}

const CONNECT_MS = 30_000
const RETRY_MS = 25
const START_TRIES = 7

/** Every service holds this lock in shared mode; a service that gets it exclusively may stop the server. */
const IN_USE = 4_825_254

/** Enough for two services on most machines, manual access and the reserve of PostgreSQL. */
const MIN_CONNECTIONS = 200
const RESERVE = 30

interface BundledOptions {
  log?: Log
  /** The most connections that the service uses. */
  connections?: number
}

export function hasBundledPostgres(dataDirectory: string): boolean {
  return existsSync(join(dataDirectory, 'postgres', 'cluster'))
}

export async function openBundledPostgres(
  dataDirectory: string,
  { log, connections = 0 }: BundledOptions = {},
): Promise<BundledPostgres> {
  try {
    const cluster = await openCluster(dataDirectory, Math.max(MIN_CONNECTIONS, connections + RESERVE))
    const hold = new ServerHold(cluster, log)
    const { host, port } = await hold.address()
    return {
      connection: { host, port, user: ROLE, password: cluster.password, database: DATABASE },
      directory: cluster.home,
      release: () => hold.release(),
    }
  } catch (error) {
    if (!(error instanceof Error) || errorCode(error) === undefined) throw error
    throw new BundledPostgresError(`The bundled PostgreSQL cannot use ${dataDirectory}: ${error.message}.`, {
      cause: error,
    })
  }
}

/** One connection that prevents a stop of the server, and restarts the server after a crash. */
class ServerHold {
  readonly #cluster: Cluster
  readonly #log: Log | undefined
  readonly #releasing = new AbortController()
  #client: Promise<pg.Client>

  constructor(cluster: Cluster, log: Log | undefined) {
    this.#cluster = cluster
    this.#log = log
    this.#client = this.#acquire()
  }

  async address(): Promise<PostmasterAddress> {
    const { host, port } = await this.#client
    return { host, port }
  }

  async release(): Promise<void> {
    this.#releasing.abort()
    const client = await this.#client.catch(() => undefined)
    if (client !== undefined) await releaseHold(client, this.#cluster)
  }

  async #acquire(): Promise<pg.Client> {
    const client = await acquireHold(this.#cluster)
    client.once('end', () => {
      if (this.#releasing.signal.aborted) return
      this.#log?.error('bundled PostgreSQL stopped, restarting')
      this.#client = this.#reacquire()
      this.#client.catch(() => {}) // release() handles it
    })
    return client
  }

  async #reacquire(): Promise<pg.Client> {
    try {
      const client = await this.#acquire()
      this.#log?.info('bundled PostgreSQL restarted')
      return client
    } catch (error) {
      this.#log?.error({ err: error }, 'bundled PostgreSQL restart failed, retrying')
      await sleep(1000, undefined, { signal: this.#releasing.signal })
      return this.#reacquire()
    }
  }
}

/** Connects to the running server, or starts it first. */
async function acquireHold(cluster: Cluster): Promise<pg.Client> {
  const bound = AbortSignal.timeout(CONNECT_MS)
  for (let failedStarts = 0; ; await sleep(RETRY_MS * 2 ** failedStarts)) {
    let obstacle = 'it is still starting or stopping'
    const server = await findPostmaster(cluster.home)
    if (server === undefined) {
      if (await startServer(cluster)) continue
      // Another service may have started the server. Otherwise PostgreSQL may wait for processes of a killed server, so each
      // pause is longer.
      if ((await findPostmaster(cluster.home)) === undefined) failedStarts += 1
    } else if (server.address !== undefined) {
      try {
        return await connect(server.address, cluster.password)
      } catch (error) {
        obstacle = error instanceof Error ? error.message : String(error)
      }
    }
    if (bound.aborted || failedStarts === START_TRIES) {
      if (server === undefined) obstacle = await complaintOf(cluster)
      throw new BundledPostgresError(
        `The bundled PostgreSQL in ${cluster.home} is not usable (${obstacle}); see its log ${await latestLog(cluster)}.`,
      )
    }
  }
}

async function connect(server: PostmasterAddress, password: string): Promise<pg.Client> {
  const client = new pg.Client({
    ...server,
    user: ROLE,
    password,
    // Not the database of the service: advisory locks are per database, and a template must have no connections.
    database: 'postgres',
    application_name: 'hulaki: keeps the server running',
    connectionTimeoutMillis: 5000,
    lock_timeout: 5000,
    query_timeout: 10_000,
  })
  client.on('error', () => {}) // 'end' follows
  try {
    await client.connect()
    // Waits for a service that is stopping the server, and fails with that stop.
    await client.query('select pg_advisory_lock_shared($1)', [IN_USE])
    return client
  } catch (error) {
    client.end().catch(() => {})
    throw error
  }
}

async function releaseHold(client: pg.Client, cluster: Cluster): Promise<void> {
  try {
    await client.query('select pg_advisory_unlock_shared($1)', [IN_USE])
    const { rows } = await client.query<{ last: boolean }>('select pg_try_advisory_lock($1) as last', [IN_USE])
    if (rows[0]?.last) await stopServer(cluster)
  } catch {
    // The server has stopped already.
  } finally {
    await client.end().catch(() => {})
  }
}
