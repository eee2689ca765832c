// Statements that travel together: one packet there, one answer back. Sent one by one, each would wake the server, and its
// answer us; on a busy machine that costs more than most of the statements do.
import type { Socket } from 'node:net'
import pg from 'pg'
import { parameterOf } from './parameters.ts'
import type { Statement } from './sql.ts'

/** What came back of one statement: its rows, and what PostgreSQL says it did. */
export interface PipelineOutcome {
  rows: Record<string, unknown>[]
  done: string
}

interface PipelinedStatement {
  readonly statement: Statement
  readonly parameters: (string | Buffer | null)[]
  readonly resolve: (outcome: PipelineOutcome) => void
  readonly reject: (fault: unknown) => void
  readonly outcome: PipelineOutcome
  columns: Columns
  /** Prepared by this pipeline; whether that was done, nobody knows where the pipeline failed. */
  isNew: boolean
  /** A row that could not be read: the reader's loss alone, since the statement is done. */
  fault: unknown
}

/** The columns of a statement's rows, known once it is prepared; they are empty where it gives none. */
interface Columns {
  names: string[]
  parsers: ((text: string) => unknown)[]
}

/** What pg's connection does for us; its own types leave out most of it. */
interface Wire {
  parse(statement: { name: string; text: string }): void
  describe(what: { type: 'S'; name: string }): void
  bind(what: { statement: string; values: (string | Buffer | null)[] }): void
  execute(what: null): void
  close(what: { type: 'S'; name: string }): void
  sync(): void
  readonly stream: Socket
}

/** pg takes into its pipeline only what is a query of its own. */
const PgQuery = pg.Query as unknown as new (text: string) => object

/** All or nothing: the first statement that fails is the last that is done, and outside a transaction they are one. */
export class Pipeline extends PgQuery {
  readonly #statements: PipelinedStatement[] = []
  readonly #answerMs: number
  #answered = 0
  #isWritten = false
  #overdue: NodeJS.Timeout | undefined

  /** After `answerMs` without an answer the connection is given up: whoever is gone without a word never breaks it. */
  constructor(answerMs: number) {
    super('')
    this.#answerMs = answerMs
  }

  add(statement: Statement): Promise<PipelineOutcome> {
    const parameters = statement.values.map((value, index) => parameterOf(value, statement.arraysOf?.[index]))
    const { promise, resolve, reject } = Promise.withResolvers<PipelineOutcome>()
    const outcome = { rows: [], done: '' }
    const columns = { names: [], parsers: [] }
    this.#statements.push({ statement, parameters, resolve, reject, outcome, columns, isNew: false, fault: null })
    return promise
  }

  /** Whether it was handed to a socket that could still send it: if not, nothing of it was done. */
  get isWritten(): boolean {
    return this.#isWritten
  }

  // From here on: what pg calls.

  submit(connection: pg.Connection): null {
    const wire = connection as unknown as Wire
    const giveUp = () => wire.stream.destroy(new Error('the database has not answered in time'))
    this.#overdue = setTimeout(giveUp, this.#answerMs)
    this.#isWritten = wire.stream.writable
    wire.stream.cork()
    try {
      for (const statement of this.#statements) sendStatement(wire, statement)
      wire.sync()
    } finally {
      wire.stream.uncork()
    }
    return null
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    const columns = this.#statements[this.#answered]?.columns
    if (!columns) return
    columns.names = fields.map((field) => field.name)
    columns.parsers = fields.map((field) => parserOf(field.dataTypeID))
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const pipelined = this.#statements[this.#answered]
    if (!pipelined) return
    try {
      pipelined.outcome.rows.push(rowOf(pipelined.columns, fields))
    } catch (fault) {
      pipelined.fault = fault
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    const pipelined = this.#statements[this.#answered]
    if (pipelined) pipelined.outcome.done = text
    this.#answered += 1
  }

  handleEmptyQuery(): void {
    this.#answered += 1
  }

  handleReadyForQuery(wire: Wire): void {
    const known = preparedOn(wire)
    for (const { statement, columns } of this.#statements)
      if (statement.name !== undefined) known.set(statement.name, columns)
    this.#settle(this.#statements)
  }

  /** What a COMMIT that was answered holds is done, though the server's next word was its last. */
  handleError(fault: unknown, wire: Wire): void {
    const known = preparedOn(wire)
    for (const { statement, isNew } of this.#statements)
      if (isNew && statement.name !== undefined) known.delete(statement.name)
    const committed = this.#statements.findLastIndex(({ outcome }) => outcome.done === COMMITTED)
    this.#settle(this.#statements.slice(0, committed + 1))
    for (const { reject } of this.#statements.slice(committed + 1)) reject(fault)
  }

  #settle(statements: PipelinedStatement[]): void {
    clearTimeout(this.#overdue)
    for (const { resolve, reject, outcome, fault } of statements) {
      if (fault === null) resolve(outcome)
      else reject(fault)
    }
  }
}

/** What PostgreSQL says of a COMMIT that it did; it answers that of a failed transaction with ROLLBACK, and calls it no error. */
export const COMMITTED = 'COMMIT'

/** By connection: the statements prepared on it. */
const prepared = new WeakMap<Wire, Map<string, Columns>>()

function preparedOn(wire: Wire): Map<string, Columns> {
  return prepared.getOrInsertComputed(wire, () => new Map())
}

function sendStatement(wire: Wire, pipelined: PipelinedStatement): void {
  const { name = '', text } = pipelined.statement
  const columns = preparedOn(wire).get(name)
  if (columns) {
    pipelined.columns = columns
  } else {
    pipelined.isNew = true
    // Closed first, which asks for nothing: a pipeline that failed may have got as far as preparing it.
    wire.close({ type: 'S', name })
    wire.parse({ name, text })
    wire.describe({ type: 'S', name })
  }
  wire.bind({ statement: name, values: pipelined.parameters })
  wire.execute(null)
}

function rowOf({ names, parsers }: Columns, fields: (string | null)[]): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (let index = 0; index < names.length; index++) {
    const value = fields[index] ?? null
    row[names[index] as string] = value === null ? null : parsers[index]?.(value)
  }
  return row
}

const BIGINT = 20
const DATE = 1082

// Amounts and counts are safe integers by their constraints; a date without a time stays the text it is.
function parserOf(type: number): (text: string) => unknown {
  if (type === BIGINT) return safeInteger
  if (type === DATE) return String
  return pg.types.getTypeParser(type, 'text')
}

function safeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError('a bigint of the database is beyond the safe integers')
  return value
}
