// Classifies faults of the database: whether something was stored, whether a retry helps, and whether a row is the cause.
import pg from 'pg'
import { UnfitValue } from '../binary-array.ts'

/** The answer to COMMIT was lost: only a query can show whether the work is stored. */
export class CommitUnknown extends Error {}

/** Faults of a connection that failed or was lost: nothing was stored. */
const losses = new WeakSet<Error>()

export function asLoss(fault: unknown): unknown {
  if (fault instanceof Error) losses.add(fault)
  return fault
}

/** A query showed that the work of an unknown commit is not stored. */
export function notDone(fault: CommitUnknown): CommitUnknown {
  losses.add(fault)
  return fault
}

/** The SQLSTATE of a fault that the server reported. */
export function faultCode(fault: unknown): string | undefined {
  return fault instanceof pg.DatabaseError ? fault.code : undefined
}

/** The code of every statement after a failed one in a transaction. */
export const FOLLOWS_A_FAULT = '25P02'

/** After a failover old connections lead to a standby; a new one may lead to the primary. */
export const READ_ONLY = '25006'

/** A statement was prepared before a change of the schema, or the server dropped it. */
export function isStale(fault: unknown): boolean {
  return faultCode(fault) === '0A000' || faultCode(fault) === '26000'
}

/** Connections that end, and servers that stop or fail. */
const CONNECTION_ENDS = /^(08|25P0[34]|57P|58|XX)/

/** The statement failed. After a fault that ends the connection its result is unknown. */
export function isAnswer(fault: unknown): boolean {
  const code = faultCode(fault)
  return code !== undefined && !CONNECTION_ENDS.test(code)
}

/** Out of resources, shutting down, canceled, lock timeout, or read-only: a standby (25006). */
const OUT_OF_ORDER = /^(53|57|58|55P03|25006|25P0[34])/

/** The database is unavailable. Nothing was stored, and a retry is safe. */
export function isOutage(fault: unknown): boolean {
  return (fault instanceof Error && losses.has(fault)) || OUT_OF_ORDER.test(faultCode(fault) ?? '')
}

/** A lock timeout. */
export function isHeld(fault: unknown): boolean {
  return faultCode(fault) === '55P03'
}

/** A statement or transaction timeout. */
export function tookTooLong(fault: unknown): boolean {
  return ['57014', '25P04'].includes(faultCode(fault) ?? '')
}

/** An outage, whether or not something was stored before it. The pool logs it, so callers do not. */
export function isAway(fault: unknown): boolean {
  return isOutage(fault) || fault instanceof CommitUnknown
}

/**
 * A temporary fault: an outage, or a conflict with other work. A retry may succeed; any other fault lies with the statement and would
 * repeat.
 */
export function isPassing(fault: unknown): boolean {
  return isAway(fault) || courseAfter(fault) === 'again'
}

/** Nothing was stored, and the caller may retry. */
export function isUndone(fault: unknown): boolean {
  return isOutage(fault) || courseAfter(fault) === 'again'
}

/** For a batch: a temporary fault, a fault of one of its rows, or neither. */
export function courseAfter(fault: unknown): 'again' | 'split' | 'fail' {
  if (fault instanceof UnfitValue) return 'split'
  const code = faultCode(fault)
  if (code === '40P01' || code === '40001' || code === '55P03') return 'again'
  // Class 22 is bad data, class 23 a broken constraint, 54000 a value too large for a row or index.
  if (code?.startsWith('22') || code?.startsWith('23') || code?.startsWith('54')) return 'split'
  return 'fail'
}

/** The name of the violated constraint, so that an action can respond with a refusal. */
export function brokenConstraint(fault: unknown): string | undefined {
  return fault instanceof pg.DatabaseError && fault.code?.startsWith('23') ? fault.constraint : undefined
}
