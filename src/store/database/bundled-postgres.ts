// The service's own PostgreSQL, for when no DATABASE_URL is given. It is started on the first open of a data folder,
// shared by every service on that folder, outlives a killed one, and is stopped by the last to leave.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../../runtime/log.ts'
import { type Cluster, DATABASE, openCluster, ROLE, startServer, stopServer } from './bundled-postgres/cluster.ts'
import { complaintOf, latestLog } from './bundled-postgres/complaint.ts'
import { BundledPostgresFault, errorCode } from './bundled-postgres/fault.ts'
import { findPostmaster, type PostmasterAddress } from './bundled-postgres/postmaster.ts'

export { BundledPostgresFault }

export interface BundledPostgres {
  /** how to connect as the service's own role to the service's own database */
  readonly connection: { host: string; port: number; user: string; password: string; database: string }
  /** where the cluster lies, for the start banner */
  readonly directory: string
  /** stops the server if no other service still runs on it */
  release(): Promise<void>
}

const PATIENCE_MS = 30_000
const GLANCE_MS = 25
const START_TRIES = 7

/** Whoever uses the server holds this lock shared; who gets it alone may stop the server. */
const IN_USE = 4_825_254

/** Enough for two services on most machines, for what looks into it by hand, and for what PostgreSQL keeps for itself. */
const LEAST_CONNECTIONS = 200
const RESERVE = 30

interface BundledOptions {
  /** It hears of a server that dies under the service. */
  log?: Log
  /** How many the service wants at most. */
  connections?: number
}

export async function openBundledPostgres(
  dataDirectory: string,
  { log, connections = 0 }: BundledOptions = {},
): Promise<BundledPostgres> {
  try {
    const cluster = await openCluster(dataDirectory, Math.max(LEAST_CONNECTIONS, connections + RESERVE))
    const hold = new Hold(cluster, log)
    const { host, port } = await hold.taken()
    return {
      connection: { host, port, user: ROLE, password: cluster.password, database: DATABASE },
      directory: cluster.home,
      release: () => hold.release(),
    }
  } catch (error) {
    if (!(error instanceof Error) || errorCode(error) === undefined) throw error
    throw new BundledPostgresFault(`The bundled PostgreSQL cannot use ${dataDirectory}: ${error.message}.`, {
      cause: error,
    })
  }
}

/** One connection that keeps the server from being stopped, and brings it back should it die under the service. */
class Hold {
  readonly #cluster: Cluster
  readonly #log: Log | undefined
  readonly #leaving = new AbortController()
  #client: Promise<pg.Client>

  constructor(cluster: Cluster, log: Log | undefined) {
    this.#cluster = cluster
    this.#log = log
    this.#client = this.#take()
  }

  async taken(): Promise<PostmasterAddress> {
    const { host, port } = await this.#client
    return { host, port }
  }

  async release(): Promise<void> {
    this.#leaving.abort()
    const client = await this.#client.catch(() => undefined)
    if (client !== undefined) await leave(client, this.#cluster)
  }

  async #take(): Promise<pg.Client> {
    const client = await takeHold(this.#cluster)
    client.once('end', () => {
      if (this.#leaving.signal.aborted) return
      this.#log?.error('the bundled PostgreSQL is gone; it is brought back')
      this.#client = this.#retake()
      this.#client.catch(() => {}) // heard by release
    })
    return client
  }

  async #retake(): Promise<pg.Client> {
    try {
      const client = await this.#take()
      this.#log?.info('the bundled PostgreSQL is back')
      return client
    } catch (error) {
      this.#log?.error({ err: error }, 'the bundled PostgreSQL does not come back; it is tried again')
      await sleep(1000, undefined, { signal: this.#leaving.signal })
      return this.#retake()
    }
  }
}

/** Connects to the running server, or to one started for it, within a bound. */
async function takeHold(cluster: Cluster): Promise<pg.Client> {
  const bound = AbortSignal.timeout(PATIENCE_MS)
  for (let failedStarts = 0; ; await sleep(GLANCE_MS * 2 ** failedStarts)) {
    let obstacle = 'it is still starting or stopping'
    const server = await findPostmaster(cluster.home)
    if (server === undefined) {
      if (await startServer(cluster)) continue
      // With a server there after all, another service was quicker. Without, it may be that processes of a killed
      // server still finish what they were doing; PostgreSQL rightly waits for them, so each pause is longer.
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
      throw new BundledPostgresFault(
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
    // Not the service's database: its advisory locks are its own, and it may be a template, which must have no guests.
    database: 'postgres',
    application_name: 'hulaki: keeps the server running',
    connectionTimeoutMillis: 5000,
    lock_timeout: 5000,
    query_timeout: 10_000,
  })
  client.on('error', () => {}) // followed by 'end'
  try {
    await client.connect()
    // Waits for one who is about to stop the server, and breaks off with it.
    await client.query('select pg_advisory_lock_shared($1)', [IN_USE])
    return client
  } catch (error) {
    client.end().catch(() => {})
    throw error
  }
}

async function leave(client: pg.Client, cluster: Cluster): Promise<void> {
  try {
    await client.query('select pg_advisory_unlock_shared($1)', [IN_USE])
    const { rows } = await client.query<{ last: boolean }>('select pg_try_advisory_lock($1) as last', [IN_USE])
    if (rows[0]?.last) await stopServer(cluster)
  } catch {
    // The server is gone already.
  } finally {
    await client.end().catch(() => {})
  }
}
