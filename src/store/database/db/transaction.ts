// Statements on one connection: single, in a transaction, or on a separate connection.
import pg from 'pg'
import type { Tally } from '../../../domain/service/row-tally.ts'
import { CopyIn, CopyOut, type RowSource, type WriteRows } from '../copy.ts'
import { COMMITTED, Pipeline, type PipelineOutcome } from '../pipeline.ts'
import type { Statement } from '../sql.ts'
import { asLoss, CommitUnknown, isAnswer, isStale, READ_ONLY, sqlState, TRANSACTION_FAILED } from './errors.ts'

/** The parameter of store functions: the database, or a transaction. */
export interface Queries {
  query<Row = Record<string, unknown>>(statement: Statement): Promise<Row[]>
}

const BEGIN: Statement = { name: 'begin', text: 'begin isolation level read committed', values: [] }
const COMMIT: Statement = { name: 'commit', text: 'commit', values: [] }
const ROLLBACK: Statement = { name: 'rollback', text: 'rollback', values: [] }

const UNBOUNDED: Statement = {
  name: 'unbounded',
  text: `
    select set_config(name, '0', false) from pg_settings
    where name in (
      'statement_timeout', 'lock_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout')`,
  values: [],
}

/** Statements of one turn of the event loop are one pipeline. */
export class PipelinedQueries implements Queries {
  protected readonly connection: pg.ClientBase
  readonly #answerMs: number
  /** The first statements of each pipeline. */
  readonly #opening: readonly Statement[]
  #pipeline: Pipeline | null = null
  /** The error that caused the later ones. */
  firstError: unknown = null

  constructor({ connection, answerMs, opening }: DatabaseSession) {
    this.connection = connection
    this.#answerMs = answerMs
    this.#opening = opening
  }

  async query<Row>(statement: Statement): Promise<Row[]> {
    try {
      return (await this.send(statement)).rows as Row[]
    } catch (error) {
      this.firstError ??= error
      // The stack of the reader does not show the caller.
      if (error instanceof pg.DatabaseError) Error.captureStackTrace(error)
      throw error
    }
  }

  /** Executes a text with several statements, without a timeout. */
  async script(text: string): Promise<void> {
    this.flush()
    await this.connection.query(text)
  }

  /** Executes `copy … to stdout`, without a timeout. */
  copyOut(text: string, write: WriteRows): Promise<Tally> {
    this.flush()
    const copy = new CopyOut(text, write)
    this.connection.query(copy)
    return copy.done
  }

  /** Executes `copy … from stdin`, without a timeout. No other statement may be sent before its end. */
  copyIn(text: string, rows: RowSource): Promise<void> {
    this.flush()
    const copy = new CopyIn(text, rows)
    this.connection.query(copy)
    return copy.done
  }

  protected send(statement: Statement): Promise<PipelineOutcome> {
    return this.pipeline().add(statement)
  }

  protected pipeline(): Pipeline {
    this.#pipeline ??= this.#gather()
    return this.#pipeline
  }

  /** Sends after two ticks, so that a caller that waits one tick for failures can still add statements. */
  #gather(): Pipeline {
    const pipeline = new Pipeline(this.#answerMs)
    for (const statement of this.#opening) pipeline.add(statement).catch(() => {})
    const send = () => {
      if (this.#pipeline === pipeline) this.flush()
    }
    process.nextTick(() => queueMicrotask(() => process.nextTick(send)))
    return pipeline
  }

  protected flush(): void {
    const pipeline = this.#pipeline
    this.#pipeline = null
    if (pipeline) this.connection.query(pipeline)
  }
}

export class Tx extends PipelinedQueries {
  readonly #opening: readonly Statement[]
  readonly #last: Promise<unknown>[] = []
  readonly #afterwards: (() => void)[] = []
  #isOver = false

  constructor({ opening, ...session }: DatabaseSession) {
    super({ ...session, opening: [] })
    this.#opening = opening
  }

  override query<Row>(statement: Statement): Promise<Row[]> {
    if (this.#isOver) throw new Error('statement after the end of its transaction')
    return super.query(statement)
  }

  /** Not awaited: it is sent with the first statement, which fails if this fails. */
  begin(): void {
    for (const statement of [BEGIN, ...this.#opening]) this.send(statement).catch(() => {})
  }

  /** The last statements: the commit is sent with them, without waiting for their answers. */
  finishWith(...statements: Promise<unknown>[]): void {
    this.#last.push(...statements)
    // If another statement fails before the commit, these errors are ignored.
    for (const statement of statements) statement.catch(() => {})
  }

  /** Called after the commit; not called if the process ends before. */
  afterCommit(callback: () => void): void {
    this.#afterwards.push(callback)
  }

  async commit(): Promise<void> {
    const stored = Promise.all(this.#last)
    // Statements that failed before they were sent have rejected by now, so nothing is committed without them.
    if (this.#last.length > 0) await Promise.race([stored, new Promise<void>(process.nextTick)])
    this.#isOver = true
    const pipeline = this.pipeline()
    const [before, outcome] = await Promise.allSettled([stored, pipeline.add(COMMIT)])
    for (const part of [before, outcome]) {
      if (part.status === 'fulfilled') continue
      if (isAnswer(part.reason)) throw part.reason
      // It was never written to the socket, so no statement was executed.
      if (!pipeline.isWritten) throw asLoss(part.reason)
      throw new CommitUnknown('result of the commit is unknown', { cause: part.reason })
    }
    if (outcome.status === 'fulfilled' && outcome.value.done !== COMMITTED)
      throw new Error('commit of a failed transaction')
    for (const callback of this.#afterwards) callback()
  }

  /** Executes the last statements and rolls everything back. */
  async undo(): Promise<void> {
    await Promise.all(this.#last)
    await this.rollback()
  }

  async rollback(): Promise<void> {
    this.#isOver = true
    // In a separate pipeline: it would not be executed after a statement that fails.
    this.flush()
    await this.send(ROLLBACK)
  }
}

/** For locks over several transactions, and for statements that no transaction allows (create index concurrently). */
export class OwnConnection extends PipelinedQueries {
  readonly #session: DatabaseSession

  constructor(session: DatabaseSession) {
    super(session)
    this.#session = session
  }

  /** Disables all timeouts of the session. */
  async withoutTimeouts(): Promise<void> {
    await this.query(UNBOUNDED)
  }

  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    return inTransaction(this.#session, work)
  }
}

export async function inTransaction<Result>(
  session: DatabaseSession,
  work: (tx: Tx) => Promise<Result>,
  { isKept = true }: { isKept?: boolean } = {},
): Promise<Result> {
  const tx = new Tx(session)
  try {
    tx.begin()
    const result = await work(tx)
    await (isKept ? tx.commit() : tx.undo())
    return result
  } catch (error) {
    // A connection with stale statements, to a standby, or whose rollback fails cannot be reused.
    if (isStale(error) || sqlState(error) === READ_ONLY) session.isBroken = true
    if (!session.isBroken) {
      await tx.rollback().catch(() => {
        session.isBroken = true
      })
    }
    throw sqlState(error) === TRANSACTION_FAILED ? (tx.firstError ?? error) : error
  }
}

/** A connection in use; a broken one is closed. */
export interface DatabaseSession {
  readonly connection: pg.ClientBase
  readonly answerMs: number
  /** The first statements of each transaction. */
  readonly opening: readonly Statement[]
  isBroken: boolean
}
