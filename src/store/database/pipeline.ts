// Sends several statements in one packet. One by one, each would wake the server and its answer this process, which costs more than
// most statements on a busy machine.
import type { Socket } from 'node:net'
import pg from 'pg'
import { parameterOf } from './parameters.ts'
import type { Statement } from './sql.ts'

/** The rows of a statement and its command tag. */
export interface PipelineOutcome {
  rows: Record<string, unknown>[]
  done: string
}

interface PipelinedStatement {
  readonly statement: Statement
  readonly parameters: (string | Buffer | null)[]
  readonly resolve: (outcome: PipelineOutcome) => void
  readonly reject: (error: unknown) => void
  readonly outcome: PipelineOutcome
  columns: Columns
  /** Prepared by this pipeline; unknown if the pipeline failed. */
  isNew: boolean
  /** A row that could not be parsed; the statement itself succeeded. */
  error: unknown
}

/** The columns of a prepared statement; empty if it returns no rows. */
interface Columns {
  names: string[]
  parsers: ((text: string) => unknown)[]
  /** A row without values. Rows are copies of it: V8 turns an object to which many keys are added one by one into a slow dictionary. */
  blank: Record<string, unknown>
}

/** The methods of pg's connection; most are missing in its types. */
interface Wire {
  parse(statement: { name: string; text: string }): void
  describe(what: { type: 'S'; name: string }): void
  bind(what: { statement: string; values: (string | Buffer | null)[] }): void
  execute(what: null): void
  close(what: { type: 'S'; name: string }): void
  sync(): void
  readonly stream: Socket
}

/** pg accepts only subclasses of its own query. */
const PgQuery = pg.Query as unknown as new (text: string) => object

/** No statement after a failed one is executed; outside a transaction all statements are one transaction. */
export class Pipeline extends PgQuery {
  readonly #statements: PipelinedStatement[] = []
  readonly #answerMs: number
  #answered = 0
  #isWritten = false
  #overdue: NodeJS.Timeout | undefined

  /** After `answerMs` without an answer the connection is closed: a peer that vanished never closes it. */
  constructor(answerMs: number) {
    super('')
    this.#answerMs = answerMs
  }

  add(statement: Statement): Promise<PipelineOutcome> {
    const parameters = statement.values.map((value, index) => parameterOf(value, statement.arraysOf?.[index]))
    const { promise, resolve, reject } = Promise.withResolvers<PipelineOutcome>()
    const outcome = { rows: [], done: '' }
    const columns = { names: [], parsers: [], blank: {} }
    this.#statements.push({ statement, parameters, resolve, reject, outcome, columns, isNew: false, error: null })
    return promise
  }

  /** Whether it was written to a writable socket; if not, no statement was executed. */
  get isWritten(): boolean {
    return this.#isWritten
  }

  // pg calls the following methods.

  submit(connection: pg.Connection): null {
    const wire = connection as unknown as Wire
    const abort = () => wire.stream.destroy(new Error('the database did not answer in time'))
    this.#overdue = setTimeout(abort, this.#answerMs)
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
    columns.blank = blankRow(columns.names)
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const pipelined = this.#statements[this.#answered]
    if (!pipelined) return
    try {
      pipelined.outcome.rows.push(rowOf(pipelined.columns, fields))
    } catch (error) {
      pipelined.error = error
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

  /** Statements up to an answered COMMIT succeeded, even if the connection failed after it. */
  handleError(error: unknown, wire: Wire): void {
    const known = preparedOn(wire)
    for (const { statement, isNew } of this.#statements)
      if (isNew && statement.name !== undefined) known.delete(statement.name)
    const committed = this.#statements.findLastIndex(({ outcome }) => outcome.done === COMMITTED)
    this.#settle(this.#statements.slice(0, committed + 1))
    for (const { reject } of this.#statements.slice(committed + 1)) reject(error)
  }

  #settle(statements: PipelinedStatement[]): void {
    clearTimeout(this.#overdue)
    for (const { resolve, reject, outcome, error } of statements) {
      if (error === null) resolve(outcome)
      else reject(error)
    }
  }
}

/** The command tag of a successful COMMIT; for a failed transaction the tag is ROLLBACK, without an error. */
export const COMMITTED = 'COMMIT'

/** Prepared statements by connection. */
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
    // A failed pipeline may have prepared it; closing a statement that does not exist is no error.
    wire.close({ type: 'S', name })
    wire.parse({ name, text })
    wire.describe({ type: 'S', name })
  }
  wire.bind({ statement: name, values: pipelined.parameters })
  wire.execute(null)
}

function blankRow(names: readonly string[]): Record<string, unknown> {
  const row = JSON.parse(`{${names.map((name) => `${JSON.stringify(name)}:0`).join(',')}}`)
  // From number to null: every field can hold any value without a new hidden class.
  for (const name of names) row[name] = null
  return row
}

function rowOf({ names, parsers, blank }: Columns, fields: (string | null)[]): Record<string, unknown> {
  const row = { ...blank }
  for (let index = 0; index < names.length; index++) {
    const value = fields[index] ?? null
    row[names[index] as string] = value === null ? null : parsers[index]?.(value)
  }
  return row
}

const BIGINT = 20
const DATE = 1082
const TIMESTAMPTZ = 1184

// Constraints keep amounts and counts within the safe integers; a date without a time stays text.
function parserOf(type: number): (text: string) => unknown {
  if (type === BIGINT) return safeInteger
  if (type === DATE) return String
  if (type === TIMESTAMPTZ) return parseTime
  return pg.types.getTypeParser(type, 'text')
}

function safeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError('a bigint of the database is not a safe integer')
  return value
}

const parseAnyTime = pg.types.getTypeParser(TIMESTAMPTZ, 'text')
/** The length of a time in UTC without fractions, and of its date and time alone. */
const WHOLE_LENGTH = '2026-11-18 06:00:00+00'.length
const ZONE_AT = '2026-11-18 06:00:00'.length

/** Times in UTC, the usual case, are read digit by digit: the parser of the driver uses regular expressions. */
function parseTime(text: string): unknown {
  const { length } = text
  if (length < WHOLE_LENGTH || text.charCodeAt(4) !== DASH || !text.endsWith('+00')) return parseAnyTime(text)
  let milliseconds = 0
  for (let index = 1, unit = 100; index <= 3; index += 1, unit /= 10) {
    const at = ZONE_AT + index
    if (at < length - 3) milliseconds += unit * (text.charCodeAt(at) - ZERO)
  }
  const part = (at: number) => 10 * (text.charCodeAt(at) - ZERO) + text.charCodeAt(at + 1) - ZERO
  return new Date(Date.UTC(100 * part(0) + part(2), part(5) - 1, part(8), part(11), part(14), part(17), milliseconds))
}

const DASH = '-'.charCodeAt(0)
const ZERO = '0'.charCodeAt(0)
