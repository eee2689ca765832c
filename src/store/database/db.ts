// The database as the rest of the code sees it: statements, transactions, and word from other processes.
import pg from 'pg'
import type { Log } from '../../runtime/log.ts'
import { asLoss, CommitUnknown, isAway, isHeld } from './db/faults.ts'
import {
  type DatabaseSession,
  inTransaction,
  OwnConnection,
  PipelinedQueries,
  type Queries,
  type Tx,
} from './db/transaction.ts'
import { Outage } from './outage.ts'
import type { Statement } from './sql.ts'

export {
  brokenConstraint,
  CommitUnknown,
  courseAfter,
  faultCode,
  isAway,
  isHeld,
  isOutage,
  isPassing,
  isUndone,
  notDone,
  tookTooLong,
} from './db/faults.ts'
export { OwnConnection, type Queries, Tx } from './db/transaction.ts'

export type DatabaseAddress = string | { host: string; port: number; user: string; password: string; database: string }

interface PoolOptions {
  connections: number
  /** A statement that takes longer is given up. */
  statementMs?: number
  /** Statements that are not answered for so long are given up with their connection. */
  answerMs?: number
  /** How long a statement waits for a lock; by default nearly as long as it may take. */
  lockMs?: number
  /** False where what is stored may be lost with the machine: no commit waits for the disk. */
  synchronousCommit?: boolean
}

const PING: Statement = { name: 'ping', text: 'select 1', values: [] }

const ANSWER_MS = 10_000

const LOOK_FOR_US_MS = 5_000

/**
 * What a process that is frozen or gone in the middle of a transaction holds is free again after this long: the server ends it, for
 * whoever is gone never will. All of them are shorter than the patience of whoever waits for the lock.
 */
const IDLE_IN_TRANSACTION_MS = 5_000
const TCP_SILENCE_MS = 6_000

/** The whole of a transaction is bounded as each of its statements is, where the server (17 and later) can do that. */
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

/** What a role or a database may have been given for defaults, and we rely on: above all, that a commit is on disk. */
const AS_WE_KNOW_IT = `
  set default_transaction_isolation = 'read committed'; set datestyle = 'ISO, YMD';
  select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`

export class Db implements Queries {
  readonly #pool: pg.Pool
  readonly #answerMs: number
  readonly #address: DatabaseAddress
  readonly #outage: Outage
  /** Connections that broke, in use or not. */
  readonly #lost = new WeakSet<pg.PoolClient>()

  constructor(address: DatabaseAddress, options: PoolOptions, outage = new Outage()) {
    this.#outage = outage
    const { connections, answerMs = ANSWER_MS, synchronousCommit = true } = options
    // The server ends a statement before we give its connection up: of one that it went on with, nobody would know the end.
    const { statementMs = Math.floor(answerMs * 0.8) } = options
    const { lockMs = Math.floor(statementMs * 0.9) } = options
    this.#address = address
    this.#answerMs = answerMs
    this.#pool = new pg.Pool({ ...connectionOptions(address), max: connections, idleTimeoutMillis: 30_000 })
    // An idle connection that breaks is replaced by the pool; the next query is where it would matter.
    this.#pool.on('error', () => {})
    const bounds = boundsOf({ statementMs, lockMs })
    const commit = synchronousCommit ? '' : 'set synchronous_commit = off'
    // Ahead of whatever the connection was made for; not as parameters of its start, which a pooler on the way may not know.
    this.#pool.on('connect', (it) => {
      // For as long as it lives: a connection that broke in the moment it was made, before anybody used it, would end the process.
      it.on('error', () => this.#lost.add(it))
      void it.query(`${AS_WE_KNOW_IT}; ${bounds}; ${commit}`).catch(() => {})
      // Not every server can look whether we are still there.
      void it.query(`set client_connection_check_interval = ${LOOK_FOR_US_MS}`).catch(() => {})
    })
  }

  query<Row>(statement: Statement): Promise<Row[]> {
    return this.pipelined((queries) => queries.query<Row>(statement))
  }

  /** Connections of their own to the same database, so that whoever uses them holds up nobody else; as patient, if not told otherwise. */
  openPool(options: PoolOptions): Db {
    return new Db(this.#address, { answerMs: this.#answerMs, ...options }, this.#outage)
  }

  /** Where its outages are told of, and those of all connections beside it. */
  tellOutages(log: Log): void {
    this.#outage.log = log
  }

  /** Throws when the database does not answer. */
  async ping(): Promise<void> {
    await this.query(PING)
  }

  /** Statements that need no transaction of several steps: those of one turn are sent together, and are done together or not. */
  pipelined<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result> {
    return this.#withSession((session) =>
      work(new PipelinedQueries(session)).catch((fault) => {
        // What failed may be the last word of a server that hangs up.
        session.isBroken = true
        throw fault
      }),
    )
  }

  /** One transaction; `work` gets its `tx` and must use nothing else. */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    return this.#withSession((session) => inTransaction(session, work))
  }

  /** A connection for one piece of work, closed behind it: what was set or locked on it goes with it. */
  ownConnection<Result>(work: (connection: OwnConnection) => Promise<Result>): Promise<Result> {
    return this.#withSession((session) =>
      work(new OwnConnection(session)).finally(() => {
        session.isBroken = true
      }),
    )
  }

  async #withSession<Result>(work: (session: DatabaseSession) => Promise<Result>): Promise<Result> {
    try {
      const result = await this.#withSessionOnce(work)
      this.#outage.passed()
      return result
    } catch (fault) {
      // Whoever waits in vain for a lock has met others at work, not an outage.
      if (isAway(fault) && !isHeld(fault)) this.#outage.befell(fault)
      throw fault
    }
  }

  async #withSessionOnce<Result>(work: (session: DatabaseSession) => Promise<Result>): Promise<Result> {
    const connection = await this.#pool.connect().catch((fault) => {
      throw asLoss(fault)
    })
    const session: DatabaseSession = { connection, answerMs: this.#answerMs, isBroken: false }
    try {
      return await work(session)
    } catch (fault) {
      throw this.#lost.has(connection) && !(fault instanceof CommitUnknown) ? asLoss(fault) : fault
    } finally {
      connection.release(session.isBroken || this.#lost.has(connection))
    }
  }

  /** A connection of its own that hears `notify channel`. Throws when there is none; `onLost` tells once that it broke later. */
  async listen(channel: string, hear: (payload: string) => void, onLost: () => void): Promise<() => Promise<void>> {
    const listener = new pg.Client(connectionOptions(this.#address))
    let open = false
    const lost = () => {
      if (open) onLost()
      open = false
    }
    listener.on('error', lost)
    listener.on('end', lost)
    listener.on('notification', (notification) => hear(notification.payload ?? ''))
    try {
      await listener.connect()
      await listener.query(`listen ${pg.escapeIdentifier(channel)}`)
      open = true
    } catch (fault) {
      void listener.end().catch(() => {})
      this.#outage.befell(fault)
      throw asLoss(fault)
    }
    return async () => {
      open = false
      await listener.end().catch(() => {})
    }
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }
}

function connectionOptions(address: DatabaseAddress): pg.ClientConfig {
  const where = typeof address === 'string' ? { connectionString: address } : address
  return {
    ...where,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'hulaki',
    pipeline: true,
  }
}
