// The database as the rest of the code sees it: statements, transactions, and word from other processes.
import pg from 'pg'
import type { Log } from '../runtime/log.ts'
import { UnfitValue } from './binary-array.ts'
import { Outage } from './outage.ts'
import { COMMITTED, type Outcome, Pipeline } from './pipeline.ts'
import type { Statement } from './sql.ts'

/** What a store function needs: the database itself, or the transaction it shall be part of. */
export interface Queries {
  query<Row = Record<string, unknown>>(statement: Statement): Promise<Row[]>
}

export type DatabaseAddress = string | { host: string; port: number; user: string; password: string; database: string }

/** The answer to COMMIT was lost: only a look-up can tell whether the work is stored. */
export class CommitUnknown extends Error {}

/** Faults of a connection that could not be had or was lost: nothing of what was asked is done. */
const losses = new WeakSet<Error>()

function asLoss(fault: unknown): unknown {
  if (fault instanceof Error) losses.add(fault)
  return fault
}

/** It has been looked up: what nobody knew to be done is not. */
export function notDone(fault: CommitUnknown): CommitUnknown {
  losses.add(fault)
  return fault
}

const BEGIN: Statement = { name: 'begin', text: 'begin', values: [] }
const COMMIT: Statement = { name: 'commit', text: 'commit', values: [] }
const PING: Statement = { name: 'ping', text: 'select 1', values: [] }
const ROLLBACK: Statement = { name: 'rollback', text: 'rollback', values: [] }

/** Statements over one connection: those of one turn of the event loop are one pipeline. */
class PipelinedQueries implements Queries {
  protected readonly connection: pg.PoolClient
  readonly #answerMs: number
  #pipeline: Pipeline | null = null
  /** The fault that those after it follow from. */
  firstFault: unknown = null

  constructor({ connection, answerMs }: Session) {
    this.connection = connection
    this.#answerMs = answerMs
  }

  async query<Row>(statement: Statement): Promise<Row[]> {
    try {
      return (await this.send(statement)).rows as Row[]
    } catch (fault) {
      this.firstFault ??= fault
      // Made where the answer was read, it says nothing of who asked.
      if (fault instanceof pg.DatabaseError) Error.captureStackTrace(fault)
      throw fault
    }
  }

  /** Many statements in one text, as a file holds them; however long they take. */
  async script(text: string): Promise<void> {
    this.flush()
    await this.connection.query(text)
  }

  protected send(statement: Statement): Promise<Outcome> {
    return this.pipeline().add(statement)
  }

  /** What is sent next. */
  protected pipeline(): Pipeline {
    this.#pipeline ??= this.#gather()
    return this.#pipeline
  }

  /** After a tick, and all that follows from it: whoever waited a tick to hear of what failed unsent is still in time. */
  #gather(): Pipeline {
    const pipeline = new Pipeline(this.#answerMs)
    const sendOff = () => {
      if (this.#pipeline === pipeline) this.flush()
    }
    process.nextTick(() => queueMicrotask(() => process.nextTick(sendOff)))
    return pipeline
  }

  protected flush(): void {
    const pipeline = this.#pipeline
    this.#pipeline = null
    if (pipeline) this.connection.query(pipeline)
  }
}

export class Tx extends PipelinedQueries {
  readonly #last: Promise<unknown>[] = []
  readonly #afterwards: (() => void)[] = []
  #isOver = false

  override query<Row>(statement: Statement): Promise<Row[]> {
    if (this.#isOver) throw new Error('a statement came after the end of its transaction')
    return super.query(statement)
  }

  /** Not waited for: it travels with the first statement, which fails if it failed. */
  begin(): void {
    this.send(BEGIN).catch(() => {})
  }

  /** The last statements: the commit travels with them, and none of their answers is waited for before it. */
  finishWith(...statements: Promise<unknown>[]): void {
    this.#last.push(...statements)
    // Whoever fails for another reason before the commit has no more use for theirs.
    for (const statement of statements) statement.catch(() => {})
  }

  /** Once it is committed, and only then; what it tells may be lost with the process. */
  afterCommit(tell: () => void): void {
    this.#afterwards.push(tell)
  }

  async commit(): Promise<void> {
    const stored = Promise.all(this.#last)
    // What failed before it was sent has said so by then, and nothing is committed without it.
    if (this.#last.length > 0) await Promise.race([stored, new Promise<void>(process.nextTick)])
    this.#isOver = true
    const pipeline = this.pipeline()
    const [before, outcome] = await Promise.allSettled([stored, pipeline.add(COMMIT)])
    for (const part of [before, outcome]) {
      if (part.status === 'fulfilled') continue
      if (isAnswer(part.reason)) throw part.reason
      // What was never handed to the socket was never sent, and nobody has done it.
      if (!pipeline.isWritten) throw asLoss(part.reason)
      throw new CommitUnknown('it is not known whether a transaction was committed', { cause: part.reason })
    }
    if (outcome.status === 'fulfilled' && outcome.value.done !== COMMITTED)
      throw new Error('a transaction in which a statement failed was committed')
    for (const tell of this.#afterwards) tell()
  }

  async rollback(): Promise<void> {
    this.#isOver = true
    // In a pipeline of its own: behind a statement that fails it would not be done.
    this.flush()
    await this.send(ROLLBACK)
  }
}

/** One connection, for what a session holds (a lock over several transactions) or no transaction may hold (an index built beside writers). */
export class OwnConnection extends PipelinedQueries {
  readonly #session: Session

  constructor(session: Session) {
    super(session)
    this.#session = session
  }

  /** From now on nothing on it is ended for its time being up. */
  async takeYourTime(): Promise<void> {
    await this.query(UNBOUNDED)
  }

  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    return inTransaction(this.#session, work)
  }
}

async function inTransaction<Result>(session: Session, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  const tx = new Tx(session)
  try {
    tx.begin()
    const result = await work(tx)
    await tx.commit()
    return result
  } catch (fault) {
    // A connection on which a statement is stale, or that leads to a standby, or whose rollback fails, is of no more use to anybody.
    if (isStale(fault) || faultCode(fault) === READ_ONLY) session.isBroken = true
    if (!session.isBroken) {
      await tx.rollback().catch(() => {
        session.isBroken = true
      })
    }
    throw faultCode(fault) === FOLLOWS_A_FAULT ? (tx.firstFault ?? fault) : fault
  }
}

/** A connection in use; a broken one is not given out again. */
interface Session {
  readonly connection: pg.PoolClient
  readonly answerMs: number
  isBroken: boolean
}

export interface PoolOptions {
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
    select set_config(name, '${statementMs}', false) from pg_settings where name = 'transaction_timeout';
    set tcp_keepalives_idle = ${seconds(1 / 3)}; set tcp_keepalives_interval = ${seconds(1 / 6)};
    set tcp_keepalives_count = 4; set tcp_user_timeout = ${TCP_SILENCE_MS}`
}

const UNBOUNDED: Statement = {
  name: 'unbounded',
  text: `
    select set_config(name, '0', false) from pg_settings
    where name in (
      'statement_timeout', 'lock_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout')`,
  values: [],
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

  /** Connections of their own to the same database, so that whoever uses them holds up nobody else. */
  openPool(options: PoolOptions): Db {
    return new Db(this.#address, options, this.#outage)
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

  async #withSession<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
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

  async #withSessionOnce<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    const connection = await this.#pool.connect().catch((fault) => {
      throw asLoss(fault)
    })
    const session: Session = { connection, answerMs: this.#answerMs, isBroken: false }
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

/** PostgreSQL's own five-character code, when the fault is an answer of the server. */
export function faultCode(fault: unknown): string | undefined {
  return fault instanceof pg.DatabaseError ? fault.code : undefined
}

/** What the server says of every statement behind one that failed in its transaction. */
const FOLLOWS_A_FAULT = '25P02'

/** After a failover the old connections lead to what is a standby now; a new one may lead to the primary. */
const READ_ONLY = '25006'

/** A statement prepared before the schema changed, or no longer known to the server. */
function isStale(fault: unknown): boolean {
  return faultCode(fault) === '0A000' || faultCode(fault) === '26000'
}

/** Connections that end, a server that stops, and one that is broken. */
const LAST_WORDS = /^(08|25P0[34]|57P|58|XX)/

/** What failed with an answer has failed. After the server's last words nobody knows. */
function isAnswer(fault: unknown): boolean {
  const code = faultCode(fault)
  return code !== undefined && !LAST_WORDS.test(code)
}

/** A server that has no more room, is going down, was asked to give up, lets others wait, or may only be read: a standby (25006). */
const OUT_OF_ORDER = /^(53|57|58|55P03|25006|25P0[34])/

/** The database is not there or cannot work just now. Nothing of what was asked is done, and it may be asked again. */
export function isOutage(fault: unknown): boolean {
  return (fault instanceof Error && losses.has(fault)) || OUT_OF_ORDER.test(faultCode(fault) ?? '')
}

/** Somebody else holds what was asked for, and has not let go of it in time. */
export function isHeld(fault: unknown): boolean {
  return faultCode(fault) === '55P03'
}

/** The server ended a statement, or the whole of a transaction, for its time was up. */
export function tookTooLong(fault: unknown): boolean {
  return ['57014', '25P04'].includes(faultCode(fault) ?? '')
}

/** An outage, whether or not something was done before it: the log tells of it, and nobody else needs to. */
export function isAway(fault: unknown): boolean {
  return isOutage(fault) || fault instanceof CommitUnknown
}

/**
 * A fault of the moment: the database is away, or work of others in the way. Whatever was asked may be asked again; any other
 * fault lies with what was asked, or with us, and comes again too.
 */
export function isPassing(fault: unknown): boolean {
  return isAway(fault) || courseAfter(fault) === 'again'
}

/** For a batch: a fault that passes by itself, one that some row of the batch causes, or neither. */
export function courseAfter(fault: unknown): 'again' | 'split' | 'fail' {
  if (fault instanceof UnfitValue) return 'split'
  const code = faultCode(fault)
  if (code === '40P01' || code === '40001' || code === '55P03') return 'again'
  // Class 22 is bad data, class 23 a broken constraint, 54000 a value too large for a row or index.
  if (code?.startsWith('22') || code?.startsWith('23') || code?.startsWith('54')) return 'split'
  return 'fail'
}

/** The name of the constraint a fault broke, so that an action can answer it as a refusal. */
export function brokenConstraint(fault: unknown): string | undefined {
  return fault instanceof pg.DatabaseError && fault.code?.startsWith('23') ? fault.constraint : undefined
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
