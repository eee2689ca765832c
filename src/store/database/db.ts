// The database: statements, transactions and notifications.
import pg from 'pg'
import type { Log } from '../../runtime/log.ts'
import { asLoss, CommitUnknown, isAway, isLockTimeout } from './db/errors.ts'
import {
  type DatabaseSession,
  inTransaction,
  OwnConnection,
  PipelinedQueries,
  type Queries,
  type Tx,
} from './db/transaction.ts'
import { type DatabaseAddress, Hosts, POOLED_NAME } from './hosts.ts'
import { Outage } from './outage.ts'
import type { Statement } from './sql.ts'

export {
  brokenConstraint,
  CommitUnknown,
  DISK_FULL,
  isAway,
  isDuplicate,
  isLockTimeout,
  isOutage,
  isPassing,
  isUndone,
  isUnexpectedCount,
  notDone,
  READ_ONLY,
  retryDecision,
  sqlState,
  tookTooLong,
  UNKNOWN_STATEMENT,
} from './db/errors.ts'
export { OwnConnection, type Queries, Tx } from './db/transaction.ts'
export type { DatabaseAddress } from './hosts.ts'

interface PoolOptions {
  connections: number
  /** Transactions go through this pooler, which gives each one any session of the server (D90). */
  pooler?: DatabaseAddress | Hosts | null
  /** The statement timeout. */
  statementMs?: number
  /** A connection without an answer for so long is closed. */
  answerMs?: number
  /** The lock timeout; by default slightly below the statement timeout. */
  lockMs?: number
  /** False for data that may be lost in a crash of the machine: commits do not wait for the disk. */
  synchronousCommit?: boolean
  /** How long a connection uses a plan. */
  plansMs?: number
}

/** The connections of a pool, and since its start how often and how long its users waited for one. */
export interface PoolUse {
  busy: number
  idle: number
  most: number
  waiting: number
  waits: number
  waitedSeconds: number
}

/**
 * PostgreSQL keeps a plan until the next analysis of its tables, which an overloaded server delays. A plan made while a table had few rows
 * scans it, so each execution would become slower as the table grows. A new plan knows the size of the table.
 */
const DISCARD_PLANS: Statement = { name: 'discard-plans', text: 'discard plans', values: [] }
const PLANS_MS = 5_000

const PING: Statement = { name: 'ping', text: 'select 1', values: [] }

const ANSWER_MS = 10_000

/** At once, beside a pooler. */
export const MAX_OWN_CONNECTIONS = 2

const CLIENT_CHECK_MS = 5_000

/**
 * The server ends the transaction of a process that is frozen or gone after this time, which releases its locks. Both times are shorter
 * than the lock timeout of other processes.
 */
const IDLE_IN_TRANSACTION_MS = 5_000
const TCP_SILENCE_MS = 6_000

/** A transaction has the timeout of a statement, if the server (17 or later) supports it. */
function boundsOf({ statementMs, lockMs }: { statementMs: number; lockMs: number }): string {
  const seconds = (part: number) => Math.ceil((TCP_SILENCE_MS * part) / 1000)
  return `
    set statement_timeout = ${statementMs}; set lock_timeout = ${lockMs};
    set idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS};
    select set_config('transaction_timeout', '${statementMs}', false)
      where current_setting('transaction_timeout', true) is not null;
    set tcp_keepalives_idle = ${seconds(1 / 3)}; set tcp_keepalives_interval = ${seconds(1 / 6)};
    set tcp_keepalives_count = 4; set tcp_user_timeout = ${TCP_SILENCE_MS}`
}

/** Overrides defaults of the role or database that the code depends on, above all synchronous commits. */
const REQUIRED_SETTINGS = `
  set default_transaction_isolation = 'read committed'; set datestyle = 'ISO, YMD';
  select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`

/** A pooler keeps no settings between transactions, so each transaction begins with them. */
function settingsOf({
  statementMs,
  lockMs,
  synchronousCommit,
}: Required<Pick<PoolOptions, 'statementMs' | 'lockMs' | 'synchronousCommit'>>): Statement {
  return {
    name: 'transaction-settings',
    text: `
      select set_config('statement_timeout', $1, true), set_config('lock_timeout', $2, true),
        set_config('idle_in_transaction_session_timeout', $3, true), set_config('datestyle', 'ISO, YMD', true),
        set_config('synchronous_commit', coalesce($4, nullif(current_setting('synchronous_commit'), 'off'), 'on'), true),
        case when current_setting('transaction_timeout', true) is not null
          then set_config('transaction_timeout', $1, true) end`,
    values: [String(statementMs), String(lockMs), String(IDLE_IN_TRANSACTION_MS), synchronousCommit ? null : 'off'],
  }
}

export class Db implements Queries {
  readonly #pool: pg.Pool
  readonly #answerMs: number
  readonly #hosts: Hosts
  readonly #pooler: Hosts | null
  /** The first statements of each transaction. */
  readonly #opening: readonly Statement[]
  #direct: Db | null = null
  readonly #outage: Outage
  /** Broken connections. */
  readonly #lost = new WeakSet<pg.ClientBase>()
  readonly #waits = { count: 0, ms: 0 }
  readonly #plansMs: number
  /** When the oldest plans of a connection may have been made. */
  readonly #plannedAt = new WeakMap<pg.ClientBase, number>()

  constructor(address: DatabaseAddress | Hosts, options: PoolOptions, outage = new Outage()) {
    this.#outage = outage
    this.#hosts = address instanceof Hosts ? address : new Hosts(address)
    const { connections, answerMs = ANSWER_MS, synchronousCommit = true, pooler = null } = options
    this.#pooler = pooler === null || pooler instanceof Hosts ? pooler : new Hosts(pooler, POOLED_NAME)
    // The server ends a statement before its connection is closed; otherwise the result of the statement would be unknown.
    const { statementMs = Math.floor(answerMs * 0.8) } = options
    const { lockMs = Math.floor(statementMs * 0.9) } = options
    this.#answerMs = answerMs
    this.#plansMs = options.plansMs ?? PLANS_MS
    this.#opening = pooler ? [settingsOf({ statementMs, lockMs, synchronousCommit })] : []
    const { poolOptions } = this.#pooler ?? this.#hosts
    this.#pool = new pg.Pool({ ...poolOptions, max: connections, idleTimeoutMillis: 30_000 })
    // The pool replaces an idle connection that breaks.
    this.#pool.on('error', () => {})
    const bounds = boundsOf({ statementMs, lockMs })
    const commit = synchronousCommit ? '' : 'set synchronous_commit = off'
    // Not as startup parameters, because a pooler may reject them.
    this.#pool.on('connect', (it) => {
      // Without a listener, an error before the first use would end the process.
      it.on('error', () => this.#lost.add(it))
      this.#plannedAt.set(it, performance.now())
      if (pooler) return
      // Without them a 200 might not be durable.
      void it.query(`${REQUIRED_SETTINGS}; ${commit}`).catch(() => it.end())
      // Not every server supports these settings.
      void it.query(bounds).catch(() => {})
      void it.query(`set client_connection_check_interval = ${CLIENT_CHECK_MS}`).catch(() => {})
    })
  }

  query<Row>(statement: Statement): Promise<Row[]> {
    return this.pipelined((queries) => queries.query<Row>(statement))
  }

  /** A separate pool for the same database, so that its users do not delay others. */
  openPool(options: PoolOptions): Db {
    return new Db(this.#hosts, { answerMs: this.#answerMs, pooler: this.#pooler, ...options }, this.#outage)
  }

  /** The database without its pooler: for own connections, because a pooler keeps no session. */
  get direct(): Db {
    if (!this.#pooler) return this
    this.#direct ??= this.openPool({ connections: MAX_OWN_CONNECTIONS, pooler: null })
    return this.#direct
  }

  /** The log for outages of this pool and of all pools opened from it. */
  logOutages(log: Log): void {
    this.#outage.log = log
  }

  get use(): PoolUse {
    const { totalCount, idleCount: idle, waitingCount: waiting, options } = this.#pool
    const { count: waits, ms } = this.#waits
    return { busy: totalCount - idle, idle, most: options.max, waiting, waits, waitedSeconds: ms / 1000 }
  }

  /** Throws when the database does not answer. */
  async ping(): Promise<void> {
    await this.query(PING)
  }

  /** Statements of one turn of the event loop are sent together, and all or none of them succeed. */
  pipelined<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result> {
    return this.#withSession((session) =>
      work(new PipelinedQueries(session)).catch((error) => {
        // The server may close the connection after this error.
        session.isBroken = true
        throw error
      }),
    )
  }

  /** One transaction; `work` must use only its `tx`. */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    return this.#withSession((session) => inTransaction(session, work))
  }

  /** Runs `work` in a transaction and rolls it back: what it would do. */
  rehearsal<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    return this.#withSession((session) => inTransaction(session, work, { isKept: false }))
  }

  /** A separate connection for `work`. It is closed afterwards, which releases its settings and locks. */
  ownConnection<Result>(work: (connection: OwnConnection) => Promise<Result>): Promise<Result> {
    if (this.#pooler) return this.direct.ownConnection(work)
    return this.#withSession((session) =>
      work(new OwnConnection(session)).finally(() => {
        session.isBroken = true
      }),
    )
  }

  async #withSession<Result>(work: (session: DatabaseSession) => Promise<Result>): Promise<Result> {
    try {
      const result = await this.#withSessionOnce(work)
      this.#outage.recordSuccess()
      return result
    } catch (error) {
      // A lock timeout is contention, not an outage.
      if (isAway(error) && !isLockTimeout(error)) this.#outage.recordFailure(error)
      throw error
    }
  }

  async #withSessionOnce<Result>(work: (session: DatabaseSession) => Promise<Result>): Promise<Result> {
    const connection = await this.#connect()
    const session: DatabaseSession = {
      connection,
      answerMs: this.#answerMs,
      opening: this.#opening,
      isBroken: false,
    }
    this.#discardOldPlans(session)
    try {
      return await work(session)
    } catch (error) {
      throw this.#lost.has(connection) && !(error instanceof CommitUnknown) ? asLoss(error) : error
    } finally {
      connection.release(session.isBroken || this.#lost.has(connection))
    }
  }

  /** Not awaited: the server executes it ahead of the next statement, which fails too if the connection is broken. */
  #discardOldPlans(session: DatabaseSession): void {
    const now = performance.now()
    if (now - (this.#plannedAt.get(session.connection) ?? 0) < this.#plansMs) return
    this.#plannedAt.set(session.connection, now)
    new PipelinedQueries(session).query(DISCARD_PLANS).catch(() => {})
  }

  async #connect(): Promise<pg.PoolClient> {
    const isWait = this.#pool.idleCount === 0 && this.#pool.totalCount >= this.#pool.options.max
    const startedAt = isWait ? performance.now() : 0
    try {
      return await (this.#pooler ?? this.#hosts).connect(() => this.#pool.connect())
    } catch (error) {
      throw asLoss(error)
    } finally {
      if (isWait) {
        this.#waits.count += 1
        this.#waits.ms += performance.now() - startedAt
      }
    }
  }

  /** Listens on a separate connection. Throws if it cannot connect; calls `onLost` once if the connection breaks later. */
  async listen(channel: string, receive: (payload: string) => void, onLost: () => void): Promise<() => Promise<void>> {
    const listening = { isOpen: false }
    const lost = () => {
      if (listening.isOpen) onLost()
      listening.isOpen = false
    }
    try {
      const listener = await this.#hosts.connect(() => this.#openListener(channel, { receive, lost }))
      listening.isOpen = true
      return async () => {
        listening.isOpen = false
        await listener.end().catch(() => {})
      }
    } catch (error) {
      this.#outage.recordFailure(error)
      throw asLoss(error)
    }
  }

  async #openListener(
    channel: string,
    { receive, lost }: { receive: (payload: string) => void; lost: () => void },
  ): Promise<pg.Client> {
    const listener = new this.#hosts.Client()
    listener.on('error', lost)
    listener.on('end', lost)
    listener.on('notification', (notification) => receive(notification.payload ?? ''))
    try {
      await listener.connect()
      await this.#hosts.requirePrimary(listener)
      await listener.query(`listen ${pg.escapeIdentifier(channel)}`)
      return listener
    } catch (error) {
      void listener.end().catch(() => {})
      throw error
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.end(), this.#direct?.close()])
  }
}
