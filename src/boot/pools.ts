// The database connection pools, one per purpose, so that slow queries of one cannot block another.
import { ACCEPT_LANES } from '../actions/messages/accept-messages.ts'
import type { Ports } from '../actions/ports.ts'
import { onlyWorkspace } from '../domain/people/actor.ts'
import type { MetricRow, Metrics } from '../runtime/metrics.ts'
import { type Db, MAX_OWN_CONNECTIONS, type PoolUse } from '../store/database/db.ts'
import { type Config, isShared } from './config.ts'

/** The main pool of the primary process. */
export const ROLES_CONNECTIONS = 20
/** The main pool of a worker process. */
export const WORKER_CONNECTIONS = 14

/** Rate limit buckets, notifications and the request log may be lost in a crash, so these commits do not wait for the disk. */
const LIGHT = { connections: 1, synchronousCommit: false }
/** Lanes for texts and for OTPs. `lockMs` bounds the wait for a locked workspace. */
const ACCEPTING = { connections: 2 * ACCEPT_LANES, lockMs: 250 }
const PEOPLE = { statementMs: 10_000, answerMs: 12_000 }
const OPERATORS = { connections: 2, ...PEOPLE }
const OWNERS = { connections: 4, ...PEOPLE }
/** The LISTEN connection. */
const LISTENING = 1

type Pools = Pick<Ports, 'db' | 'admissionDb' | 'acceptDb' | 'logDb' | 'managementDb'> & { notifyDb: Db }

/** A pool connects on first use, and is measured. `close` closes all pools except `db`, which the caller opened. */
export function openPools(db: Db, metrics: Metrics): Pools & { close: () => Promise<void> } {
  const [notifyDb, admissionDb, logDb] = [db.openPool(LIGHT), db.openPool(LIGHT), db.openPool(LIGHT)]
  const acceptDb = db.openPool(ACCEPTING)
  const [operators, owners] = [db.openPool(OPERATORS), db.openPool(OWNERS)]
  measurePools(metrics, {
    ...{ main: db, notifications: notifyDb, admission: admissionDb, request_log: logDb },
    ...{ accept: acceptDb, operators, owners },
  })
  const close = async () => {
    await Promise.all([notifyDb, admissionDb, logDb, acceptDb, operators, owners].map((pool) => pool.close()))
  }
  const managementDb: Ports['managementDb'] = (actor) => (onlyWorkspace(actor) === null ? operators : owners)
  return { db, notifyDb, admissionDb, logDb, acceptDb, managementDb, close }
}

function measurePools(metrics: Metrics, pools: Record<string, Db>): void {
  const rows = (read: (use: PoolUse) => number, labels = {}): MetricRow[] =>
    Object.entries(pools).map(([pool, { use }]) => ({ of: { pool, ...labels }, value: read(use) }))
  metrics.state('database_pool_connections', 'Connections to PostgreSQL, by pool', {
    kind: 'gauge',
    labels: ['pool', 'state'],
    read: () => [...rows(({ busy }) => busy, { state: 'busy' }), ...rows(({ idle }) => idle, { state: 'idle' })],
  })
  metrics.state('database_pool_max_connections', 'Connections that a pool may open', {
    kind: 'gauge',
    labels: ['pool'],
    read: () => rows(({ most }) => most),
  })
  metrics.state('database_pool_waiting', 'Transactions that wait for a connection', {
    kind: 'gauge',
    labels: ['pool'],
    read: () => rows(({ waiting }) => waiting),
  })
  metrics.state('database_pool_waits_total', 'Transactions that waited for a connection', {
    kind: 'total',
    labels: ['pool'],
    read: () => rows(({ waits }) => waits),
  })
  metrics.state('database_pool_wait_seconds_total', 'Time that transactions waited for a connection', {
    kind: 'total',
    labels: ['pool'],
    read: () => rows(({ waitedSeconds }) => waitedSeconds),
  })
}

/** Connections to the server, without those through a pooler. */
export function connectionsOf({
  processes,
  roles,
  poolerUrl,
}: Pick<Config, 'processes' | 'roles' | 'poolerUrl'>): number {
  const hasWorkers = processes > 1 && roles.some(isShared)
  if (poolerUrl !== null) return LISTENING * (hasWorkers ? 1 + processes : 1) + MAX_OWN_CONNECTIONS
  const serving = [OPERATORS, OWNERS, LIGHT, LIGHT, ACCEPTING].reduce((sum, { connections }) => sum + connections, 0)
  const people = roles.includes('api') ? serving : 0
  const own = ROLES_CONNECTIONS + LIGHT.connections + LISTENING
  if (!hasWorkers) return own + people
  return own + processes * (WORKER_CONNECTIONS + LIGHT.connections + LISTENING + people)
}
