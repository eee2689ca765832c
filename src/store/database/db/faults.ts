// What went wrong with the database, and what follows from it: whether anything was done, whether it passes, and who is to blame.
import pg from 'pg'
import { UnfitValue } from '../binary-array.ts'

/** The answer to COMMIT was lost: only a look-up can tell whether the work is stored. */
export class CommitUnknown extends Error {}

/** Faults of a connection that could not be had or was lost: nothing of what was asked is done. */
const losses = new WeakSet<Error>()

export function asLoss(fault: unknown): unknown {
  if (fault instanceof Error) losses.add(fault)
  return fault
}

/** It has been looked up: what nobody knew to be done is not. */
export function notDone(fault: CommitUnknown): CommitUnknown {
  losses.add(fault)
  return fault
}

/** PostgreSQL's own five-character code, when the fault is an answer of the server. */
export function faultCode(fault: unknown): string | undefined {
  return fault instanceof pg.DatabaseError ? fault.code : undefined
}

/** What the server says of every statement behind one that failed in its transaction. */
export const FOLLOWS_A_FAULT = '25P02'

/** After a failover the old connections lead to what is a standby now; a new one may lead to the primary. */
export const READ_ONLY = '25006'

/** A statement prepared before the schema changed, or no longer known to the server. */
export function isStale(fault: unknown): boolean {
  return faultCode(fault) === '0A000' || faultCode(fault) === '26000'
}

/** Connections that end, a server that stops, and one that is broken. */
const LAST_WORDS = /^(08|25P0[34]|57P|58|XX)/

/** What failed with an answer has failed. After the server's last words nobody knows. */
export function isAnswer(fault: unknown): boolean {
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

/** Whoever asked for it may be told so: nothing was done, and it may be asked again at once or a little later. */
export function isUndone(fault: unknown): boolean {
  return isOutage(fault) || courseAfter(fault) === 'again'
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
