// Classifies errors of the database: whether something was stored, whether a retry helps, and whether a row is the cause.
import pg from 'pg'
import { UnfitValue } from '../binary-array.ts'

/** The answer to COMMIT was lost: only a query can show whether the work is stored. */
export class CommitUnknown extends Error {}

/** Errors of a connection that failed or was lost: nothing was stored. */
const losses = new WeakSet<Error>()

export function asLoss(error: unknown): unknown {
  if (error instanceof Error) losses.add(error)
  return error
}

/** A query showed that the work of an unknown commit is not stored. */
export function notDone(error: CommitUnknown): CommitUnknown {
  losses.add(error)
  return error
}

/** The SQLSTATE of an error that the server reported. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}

/** The code of every statement after a failed one in a transaction. */
export const TRANSACTION_FAILED = '25P02'

/** After a failover old connections lead to a standby; a new one may lead to the primary. */
export const READ_ONLY = '25006'
export const DISK_FULL = '53100'
/** The server does not have a prepared statement. */
export const UNKNOWN_STATEMENT = '26000'

/** A statement was prepared before a change of the schema, or the server dropped it. */
export function isStale(error: unknown): boolean {
  return sqlState(error) === '0A000' || sqlState(error) === UNKNOWN_STATEMENT
}

/** Connections that end, and servers that stop or fail. */
const CONNECTION_ENDS = /^(08|25P0[34]|57P|58|XX)/

/** The statement failed. After an error that ends the connection its result is unknown. */
export function isAnswer(error: unknown): boolean {
  const code = sqlState(error)
  return code !== undefined && !CONNECTION_ENDS.test(code)
}

/** Out of resources, shutting down, canceled, lock timeout, or read-only: a standby (25006). */
const OUT_OF_ORDER = /^(53|57|58|55P03|25006|25P0[34])/

/** A pooler that lost the server, or has none for a transaction, says so with an error of class 08 and closes the connection. */
function isPoolerFailure(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity === 'FATAL' && error.code?.startsWith('08') === true
}

/** The database is unavailable. Nothing was stored, and a retry is safe. */
export function isOutage(error: unknown): boolean {
  if (error instanceof Error && losses.has(error)) return true
  return OUT_OF_ORDER.test(sqlState(error) ?? '') || isPoolerFailure(error)
}

/** `expect_rows` has found fewer or more changed rows than expected. */
export function isUnexpectedCount(error: unknown): boolean {
  return sqlState(error) === 'P0004'
}

/** A row with this key is stored already. */
export function isDuplicate(error: unknown): boolean {
  return sqlState(error) === '23505'
}

export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === '55P03'
}

/** A statement or transaction timeout. */
export function tookTooLong(error: unknown): boolean {
  return ['57014', '25P04'].includes(sqlState(error) ?? '')
}

/** An outage, whether or not something was stored before it. The pool logs it, so callers do not. */
export function isAway(error: unknown): boolean {
  return isOutage(error) || error instanceof CommitUnknown
}

/**
 * A temporary error: an outage, or a conflict with other work. A retry may succeed; any other error lies with the statement and would
 * repeat.
 */
export function isPassing(error: unknown): boolean {
  return isAway(error) || retryDecision(error) === 'again'
}

/** Nothing was stored, and the caller may retry. */
export function isUndone(error: unknown): boolean {
  return isOutage(error) || retryDecision(error) === 'again'
}

/** For a batch: a temporary error, an error of one of its rows, or neither. */
export function retryDecision(error: unknown): 'again' | 'split' | 'fail' {
  if (error instanceof UnfitValue) return 'split'
  const code = sqlState(error)
  if (code === '40P01' || code === '40001' || code === '55P03') return 'again'
  // Class 22 is bad data, class 23 a broken constraint, 54000 a value too large for a row or index.
  if (code?.startsWith('22') || code?.startsWith('23') || code?.startsWith('54')) return 'split'
  return 'fail'
}

/** The name of the violated constraint, so that an action can respond with a refusal. */
export function brokenConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.code?.startsWith('23') ? error.constraint : undefined
}
