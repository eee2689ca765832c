// The database as the house sees it: statements, transactions, and word from other processes.
import type { Socket } from 'node:net'
import pg from 'pg'
import { parameterOf } from './parameters.ts'
import type { Statement } from './sql.ts'

/** What a store function needs: the database itself, or the transaction it shall be part of. */
export interface Queries {
  query<Row = Record<string, unknown>>(statement: Statement): Promise<Row[]>
}

export type DatabaseAddress = string | { host: string; port: number; user: string; password: string; database: string }

/** The answer to COMMIT was lost: only a look-up can tell whether the work is stored. */
export class CommitUnknown extends Error {}

/** Statements over one connection. What is sent in one turn travels in one packet: each one wakes the server, and it us. */
class Together implements Queries {
  protected readonly connection: pg.PoolClient
  #isGathering = false

  constructor(connection: pg.PoolClient) {
    this.connection = connection
  }

  query<Row>(statement: Statement): Promise<Row[]> {
    this.gather()
    return run(this.connection, statement)
  }

  protected gather(): void {
    if (this.#isGathering) return
    this.#isGathering = true
    const stream = streamOf(this.connection)
    stream.cork()
    process.nextTick(() => {
      this.#isGathering = false
      stream.uncork()
    })
  }
}

export class Tx extends Together {
  readonly #last: Promise<unknown>[] = []
  #isOver = false

  override query<Row>(statement: Statement): Promise<Row[]> {
    if (this.#isOver) throw new Error('a statement came after the end of its transaction')
    return super.query(statement)
  }

  /** Not waited for: it travels with the first statement, which fails if it failed. */
  begin(): Promise<unknown> {
    this.gather()
    return this.connection.query('begin')
  }

  /** The last statements: the commit follows on their heels, and none of their answers is waited for before it. */
  finishWith(...statements: Promise<unknown>[]): void {
    this.#last.push(...statements)
  }

  async commit(): Promise<void> {
    const stored = Promise.all(this.#last)
    // What failed before it reached the wire has said so by then, and nothing is committed without it.
    if (this.#last.length > 0) await Promise.race([stored, new Promise(setImmediate)])
    this.#isOver = true
    await commit(this.connection, stored)
  }
}

/** A connection in use; a broken one is not given out again. */
interface Loan {
  readonly connection: pg.PoolClient
  isBroken: boolean
}

export interface PoolOptions {
  connections: number
  /** A statement that takes longer is given up. */
  statementMs?: number
}

export class Db implements Queries {
  readonly #pool: pg.Pool
  readonly #address: DatabaseAddress

  constructor(address: DatabaseAddress, { connections, statementMs }: PoolOptions) {
    this.#address = address
    const bound = statementMs === undefined ? {} : { statement_timeout: statementMs }
    this.#pool = new pg.Pool({ ...connectionOptions(address), ...bound, max: connections, idleTimeoutMillis: 30_000 })
    // An idle connection that breaks is replaced by the pool; the next query is where it would matter.
    this.#pool.on('error', () => {})
  }

  query<Row>(statement: Statement): Promise<Row[]> {
    return run(this.#pool, statement)
  }

  /** Connections of their own to the same database, so that whoever uses them holds up nobody else. */
  beside(options: PoolOptions): Db {
    return new Db(this.#address, options)
  }

  /** Throws when the database does not answer. */
  async ping(): Promise<void> {
    await this.#pool.query('select 1')
  }

  /** Statements each for themselves, but sent together. */
  together<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result> {
    return this.#lend((loan) =>
      work(new Together(loan.connection)).catch((fault) => {
        // Another statement may still be under way, and what failed may be the last word of a server that hangs up.
        loan.isBroken = true
        throw fault
      }),
    )
  }

  /** One transaction; `work` gets its `tx` and must use nothing else. */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    return this.#lend(async (loan) => {
      const onError = () => {
        loan.isBroken = true
      }
      try {
        const tx = new Tx(loan.connection)
        const begun = tx.begin().catch(onError)
        const result = await work(tx)
        await begun
        await tx.commit()
        return result
      } catch (fault) {
        // A connection whose rollback fails is of no more use to anybody.
        if (!loan.isBroken) await loan.connection.query('rollback').catch(onError)
        throw fault
      }
    })
  }

  async #lend<Result>(work: (loan: Loan) => Promise<Result>): Promise<Result> {
    const loan: Loan = { connection: await this.#pool.connect(), isBroken: false }
    const onError = () => {
      loan.isBroken = true
    }
    loan.connection.on('error', onError)
    try {
      return await work(loan)
    } finally {
      loan.connection.off('error', onError)
      loan.connection.release(loan.isBroken)
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
      throw fault
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

async function commit(connection: pg.PoolClient, stored: Promise<unknown>): Promise<void> {
  const [before, outcome] = await Promise.allSettled([stored, connection.query('commit')])
  if (before.status === 'rejected' && faultCode(before.reason)) throw before.reason
  if (outcome.status === 'rejected') {
    if (faultCode(outcome.reason)) throw outcome.reason
    throw new CommitUnknown('the connection broke while a transaction was being committed', { cause: outcome.reason })
  }
  // PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK, and calls that no error.
  if (outcome.value.command !== 'COMMIT') throw new Error('a transaction in which a statement failed was committed')
}

/** pg keeps its socket to itself in its types, not in its objects. */
function streamOf(client: pg.PoolClient): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream
}

async function run<Row>(on: pg.Pool | pg.PoolClient, statement: Statement): Promise<Row[]> {
  const { text, name, values } = statement
  const query = { text, values: values.map(parameterOf), ...(name === undefined ? {} : { name }) }
  const result = await on.query(query)
  return result.rows as Row[]
}

/** PostgreSQL's own five-character code, when the fault is an answer of the server. */
export function faultCode(fault: unknown): string | undefined {
  return fault instanceof pg.DatabaseError ? fault.code : undefined
}

/** For a batch: a fault that passes by itself, one that some row of the batch causes, or neither. */
export function courseAfter(fault: unknown): 'again' | 'split' | 'fail' {
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

const BIGINT = 20
const DATE = 1082

function connectionOptions(address: DatabaseAddress): pg.ClientConfig {
  const where = typeof address === 'string' ? { connectionString: address } : address
  return {
    ...where,
    types: { getTypeParser },
    connectionTimeoutMillis: 10_000,
    application_name: 'hulaki',
    pipeline: true,
  }
}

// Amounts and counts are safe integers by their constraints; a date without a time stays the text it is.
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') => {
  if (oid === BIGINT) return safeInteger
  if (oid === DATE) return String
  return pg.types.getTypeParser(oid, format as 'text')
}

function safeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError('a bigint of the database is beyond the safe integers')
  return value
}
