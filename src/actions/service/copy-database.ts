// Copies a database (D81): out of one, for a backup, or into another one, for a restore. A move does both at once.
import { setTimeout as sleep } from 'node:timers/promises'
import { isSameTally, type Tally } from '../../domain/service/row-tally.ts'
import type { RowSource, WriteRows } from '../../store/database/copy.ts'
import {
  findMoveTarget,
  findUnfinishedCopy,
  isCopyUnfinished,
  isMovedAway,
  lockTarget,
  MOVED_AWAY,
  markMovedAway,
  recordCopiedTable,
  startCopy,
  type UnfinishedCopy,
  unmarkMovedAway,
} from '../../store/database/copy-marks.ts'
import { type Db, isLockTimeout, type OwnConnection, type Tx } from '../../store/database/db.ts'
import { lockMigrations, migrate, tryLockMigrations } from '../../store/database/migrate.ts'
import { type AppliedMigration, checkRevision, readRevision, tablesOf } from '../../store/database/migrations.ts'
import { type PartitionEnds, readPartitionEnds } from '../../store/database/partitions.ts'
import {
  copyRowsIn,
  copyRowsOut,
  countOtherConnections,
  deleteRows,
  findAnyRelation,
  keepSnapshot,
  listSequences,
  listTables,
  lockTables,
  readEncoding,
  type Sequence,
  setSequence,
  type Table,
  useSameFormat,
} from '../../store/database/tables.ts'
import { type KnownKey, listKnownKeys } from '../../store/service/service.ts'

/** A copy is not possible or not right; the message is one sentence for a person. */
export class CopyError extends Error {}

/** Everything about a database except its rows. */
export interface DatabaseShape {
  revision: AppliedMigration[]
  /** In an order that foreign keys allow. */
  tables: Table[]
  partitions: PartitionEnds
  sequences: Sequence[]
  /** The keys of the keyring that belongs to it. */
  keys: KnownKey[]
}

export interface Snapshot {
  shape: DatabaseShape
  copyOut(table: Table, write: WriteRows): Promise<Tally>
}

/** `work` sees one moment of the database, also while services write to it. */
export function withSnapshot<Result>(db: Db, work: (snapshot: Snapshot) => Promise<Result>): Promise<Result> {
  return db.ownConnection(async (connection) => {
    await prepareReading(connection)
    if (await isMovedAway(connection)) throw new CopyError(MOVED_AWAY)
    return inSnapshot(connection, { isFrozen: false }, (_, snapshot) => work(snapshot))
  })
}

interface MoveOptions {
  /** Names the new database. */
  target: string
  /** The new database has a part of a copy: an interrupted move to it may have marked this one already. */
  isContinued: boolean
  copy: (snapshot: Snapshot) => Promise<void>
  /** Makes the new database usable. */
  finish: () => Promise<void>
}

/**
 * No service may be connected, none starts, and nothing is written until the end. At any moment at most one of the two databases can be
 * used: this one is marked before the new one is complete.
 */
export function moveDatabase(db: Db, { target, isContinued, copy, finish }: MoveOptions): Promise<void> {
  return db.ownConnection(async (connection) => {
    await prepareReading(connection)
    await requireNoService(connection)
    const marked = await findMoveTarget(connection)
    const mayBeMarked = isContinued && marked === target
    if (!mayBeMarked && (await isMovedAway(connection)))
      throw new CopyError(marked === null ? MOVED_AWAY : `${MOVED_AWAY} Target of the move: ${marked}.`)
    await inSnapshot(connection, { isFrozen: true }, async (tx, snapshot) => {
      await copy(snapshot)
      await markMovedAway(tx, target)
    })
    await finish()
  })
}

/** The old database of a move can be used again. */
export function undoMove(db: Db): Promise<void> {
  return db.ownConnection(async (connection) => {
    await requireNoService(connection)
    if (!(await isMovedAway(connection)))
      throw new CopyError('The database of the settings was not moved; nothing was changed.')
    await unmarkMovedAway(connection)
  })
}

async function prepareReading(connection: OwnConnection): Promise<void> {
  await connection.withoutTimeouts()
  await useSameFormat(connection)
}

async function inSnapshot<Result>(
  connection: OwnConnection,
  { isFrozen }: { isFrozen: boolean },
  work: (tx: Tx, snapshot: Snapshot) => Promise<Result>,
): Promise<Result> {
  const revision = await readRevision(connection)
  if (await isCopyUnfinished(connection))
    throw new CopyError('A restore or a move into this database has not finished, so it is not complete.')
  return connection.transaction(async (tx) => {
    await keepSnapshot(tx)
    await lockAll(tx, tablesOf(revision), isFrozen)
    const shape = await readShape(tx)
    if (shape.revision.length !== revision.length)
      throw new CopyError('The database was migrated at this moment; run the command again.')
    return work(tx, { shape, copyOut: (table, write) => copyRowsOut(tx, table, write) })
  })
}

const CLOSE_POLLS = 30
const CLOSE_POLL_MS = 100

/**
 * Connections that were just closed are listed a little longer. With the lock of migrations, a service that starts from now on waits
 * until this connection ends, and then finds the mark.
 */
async function requireNoService(connection: OwnConnection): Promise<void> {
  for (let polls = 0; ; polls++) {
    const isLocked = await tryLockMigrations(connection)
    const others = await countOtherConnections(connection)
    if (isLocked && others === 0) return
    if (polls === CLOSE_POLLS)
      throw new CopyError(`A service or command uses the database (${others} connections); stop it, then try again.`)
    await sleep(CLOSE_POLL_MS)
  }
}

const LOCK_SECONDS = 5

/** A migration or a dropped month waits until the end. */
async function lockAll(tx: Tx, tables: readonly string[], isFrozen: boolean): Promise<void> {
  if (!isFrozen) return lockTables(tx, tables, 'access share')
  try {
    await tx.script(`set local lock_timeout = '${LOCK_SECONDS}s'`)
    await lockTables(tx, tables, 'share')
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    throw new CopyError('Another program writes to the database; stop it, then try again.')
  }
}

async function readShape(tx: Tx): Promise<DatabaseShape> {
  const revision = await readRevision(tx)
  return {
    revision,
    tables: await listTables(tx, tablesOf(revision)),
    partitions: await readPartitionEnds(tx),
    sequences: await listSequences(tx),
    keys: await listKnownKeys(tx),
  }
}

export interface CopySource {
  /** Identifies the source, so that an interrupted copy continues only with the same one. */
  id: string
  shape: DatabaseShape
  /** Reads all rows of a table. Called once for each table, in order. Returns what it has read. */
  copyOut(table: Table, write: WriteRows): Promise<Tally>
}

interface FillOptions {
  now: Date
  /** Names the database in errors. */
  name: string
  /** Called once, when the target is known to be empty, or to have a part of the same copy. */
  onAccepted?: () => Promise<void>
  /** Called after each table; `isNew` is false if an earlier, interrupted run had copied it. */
  onTable?: (table: string, tally: Tally, isNew: boolean) => void
}

/**
 * Fills an empty database, which stays unusable until `finishCopy`. The same call continues after any interruption, also before `finishCopy`.
 */
export function fillDatabase(
  db: Db,
  source: CopySource,
  { now, name, onAccepted, onTable }: FillOptions,
): Promise<void> {
  return db.ownConnection(async (connection) => {
    await connection.withoutTimeouts()
    await useSameFormat(connection)
    const { tables: complete } = await beginCopy(connection, source, name)
    await onAccepted?.()
    const { revision, partitions, tables, sequences } = source.shape
    await migrate(db, now, { copyOf: { revision, partitions } })
    await requireSameTables(connection, source.shape)
    for (const table of tables) {
      const before = complete[table.name]
      const tally = before ? await compareTable(source, table, before) : await fillTable(connection, source, table)
      onTable?.(table.name, tally, before === undefined)
    }
    await connection.transaction(async (tx) => {
      for (const sequence of sequences) await setSequence(tx, sequence)
    })
    // The planner has no statistics of the tables yet.
    await connection.script('analyze')
  })
}

async function beginCopy(connection: OwnConnection, { id, shape }: CopySource, name: string): Promise<UnfinishedCopy> {
  checkRevision(shape.revision, 'The source')
  if (!(await lockTarget(connection)))
    throw new CopyError(`${name} is the target of another restore or move that is running.`)
  return connection.transaction(async (tx) => {
    // A service that starts now has already created its tables, or finds the mark and stops.
    await lockMigrations(tx)
    const unfinished = await findUnfinishedCopy(tx)
    await requireUsable(tx, { id, unfinished, name })
    if (!unfinished) await startCopy(tx, id)
    return unfinished ?? { source: id, tables: {} }
  })
}

/** Throws unless the database is empty, or has the beginning of a copy of this source. */
async function requireUsable(
  tx: Tx,
  { id, unfinished, name }: { id: string; unfinished: UnfinishedCopy | null; name: string },
): Promise<void> {
  const encoding = await readEncoding(tx)
  if (encoding !== 'UTF8') throw new CopyError(`${name} has the encoding ${encoding}; create it with UTF8.`)
  if (unfinished?.source === id) return
  if (unfinished) throw new CopyError(`${name} has a part of another copy; drop it and create an empty database.`)
  const relation = await findAnyRelation(tx)
  if (relation !== null)
    throw new CopyError(`${name} is not empty (it has ${relation}); use an empty database, or a new data folder.`)
}

async function requireSameTables(connection: OwnConnection, { revision, tables }: DatabaseShape): Promise<void> {
  const key = ({ name, columns }: Table) => `${name} (${columns.join(', ')})`
  const created = (await listTables(connection, tablesOf(revision))).map(key)
  const copied = tables.map(key)
  const different = [...copied.filter((it) => !created.includes(it)), ...created.filter((it) => !copied.includes(it))]
  if (different.length > 0)
    throw new CopyError(`The tables differ from those of this version: ${different.join('; ')}.`)
}

/** In one transaction: the table is complete and correct, or empty. */
function fillTable(connection: OwnConnection, source: CopySource, table: Table): Promise<Tally> {
  return connection.transaction(async (tx) => {
    await deleteRows(tx, table)
    const read: Tally[] = []
    const rows: RowSource = async (write) => {
      read.push(await source.copyOut(table, write))
    }
    await copyRowsIn(tx, table, rows)
    const stored = await copyRowsOut(tx, table, discard)
    if (!read[0] || !isSameTally(read[0], stored))
      throw new CopyError(`Table ${table.name} has other rows in the target than in the source.`)
    await recordCopiedTable(tx, table.name, stored)
    return stored
  })
}

async function compareTable(source: CopySource, table: Table, before: Tally): Promise<Tally> {
  const tally = await source.copyOut(table, discard)
  if (isSameTally(tally, before)) return tally
  throw new CopyError(
    `Table ${table.name} has changed since the interrupted copy; drop the target database and create an empty one.`,
  )
}

async function discard(): Promise<void> {}
