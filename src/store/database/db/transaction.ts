// Statements over one connection: by themselves, in a transaction, or on a connection that somebody has for a while.
import pg from 'pg'
import { COMMITTED, Pipeline, type PipelineOutcome } from '../pipeline.ts'
import type { Statement } from '../sql.ts'
import { asLoss, CommitUnknown, FOLLOWS_A_FAULT, faultCode, isAnswer, isStale, READ_ONLY } from './faults.ts'

/** What a store function needs: the database itself, or the transaction it shall be part of. */
export interface Queries {
  query<Row = Record<string, unknown>>(statement: Statement): Promise<Row[]>
}

const BEGIN: Statement = { name: 'begin', text: 'begin', values: [] }
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

/** Statements over one connection: those of one turn of the event loop are one pipeline. */
export class PipelinedQueries implements Queries {
  protected readonly connection: pg.PoolClient
  readonly #answerMs: number
  #pipeline: Pipeline | null = null
  /** The fault that those after it follow from. */
  firstFault: unknown = null

  constructor({ connection, answerMs }: DatabaseSession) {
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

  protected send(statement: Statement): Promise<PipelineOutcome> {
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
  readonly #session: DatabaseSession

  constructor(session: DatabaseSession) {
    super(session)
    this.#session = session
  }

  /** From now on nothing on it is ended for its time being up. */
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
): Promise<Result> {
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
export interface DatabaseSession {
  readonly connection: pg.PoolClient
  readonly answerMs: number
  isBroken: boolean
}
