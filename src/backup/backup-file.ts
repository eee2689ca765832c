// The backup of a database in one file: a description, the rows of each table in pieces, and the totals of every table.
import type { FileHandle } from 'node:fs/promises'
import { promisify } from 'node:util'
import { zstdCompress, zstdDecompress } from 'node:zlib'
import type { DatabaseShape, Snapshot } from '../actions/service/copy-database.ts'
import type { Tally } from '../domain/service/row-tally.ts'
import type { Random } from '../runtime/random.ts'
import type { WriteRows } from '../store/database/copy.ts'
import { type OpenedFile, type Payload, readSealed, SealedWriter } from './sealed-file.ts'

/** The first frame. */
export interface BackupDescription {
  id: string
  /** The version of Hulaki. */
  version: string
  takenAt: string
  shape: DatabaseShape
}

/** The last frame, by table. */
export type Totals = Record<string, Tally>

const compress = promisify(zstdCompress)
const decompress = promisify<Buffer, object, Buffer>(zstdDecompress)

/** More than a piece can have, so that a forged file cannot fill the memory. */
const MAX_PIECE_BYTES = 0x2000_0000

/** The bytes before a piece: the number of its table. */
const TABLE_BYTES = 2

interface WriteOptions {
  passphrase: string | null
  random: Random
  description: Omit<BackupDescription, 'shape'>
  onRows: (table: string, bytes: number) => void
}

export async function writeBackup(
  file: FileHandle,
  { shape, copyOut }: Pick<Snapshot, 'shape' | 'copyOut'>,
  { passphrase, random, description, onRows }: WriteOptions,
): Promise<Totals> {
  const writer = await SealedWriter.open(file, { content: 'database', passphrase, random })
  await writer.write(toJson({ ...description, shape } satisfies BackupDescription))
  const totals: Totals = {}
  for (const [index, table] of shape.tables.entries()) {
    const number = Buffer.alloc(TABLE_BYTES)
    number.writeUInt16BE(index)
    totals[table.name] = await copyOut(table, async (piece) => {
      await writer.write(Buffer.concat([number, await compress(piece)]))
      onRows(table.name, piece.length)
    })
  }
  await writer.write(toJson(totals), { isLast: true })
  return totals
}

export interface CheckedBackup {
  description: BackupDescription
  totals: Totals
}

/** Reads the whole file once, so that damage is found before the first row is used. */
export async function checkBackup(file: OpenedFile, signal: AbortSignal): Promise<CheckedBackup> {
  let first: Payload | undefined
  let last: Payload | undefined
  for await (const payload of readSealed(file)) {
    signal.throwIfAborted()
    first ??= payload
    last = payload
  }
  return { description: fromJson(first), totals: fromJson(last) }
}

/** The rows of the tables, in the order of the file. */
export class BackupRows {
  readonly #pieces: AsyncGenerator<Piece>
  readonly #totals: Totals
  #next: IteratorResult<Piece> | null = null

  constructor(file: OpenedFile, { description, totals }: CheckedBackup) {
    this.#pieces = readPieces(file, description)
    this.#totals = totals
  }

  /** Called for every table, in order. Returns the totals of the backup. */
  async copyOut(table: string, write: WriteRows): Promise<Tally> {
    this.#next ??= await this.#pieces.next()
    while (!this.#next.done && this.#next.value.table === table) {
      await write(await decompress(this.#next.value.rows, { maxOutputLength: MAX_PIECE_BYTES }))
      this.#next = await this.#pieces.next()
    }
    const tally = this.#totals[table]
    if (!tally) throw new Error(`the backup has no totals of table ${table}`)
    return tally
  }
}

interface Piece {
  table: string | undefined
  /** Compressed. */
  rows: Buffer
}

async function* readPieces(file: OpenedFile, { shape }: BackupDescription): AsyncGenerator<Piece> {
  let isFirst = true
  for await (const { bytes, isLast } of readSealed(file)) {
    if (!isFirst && !isLast)
      yield { table: shape.tables[bytes.readUInt16BE(0)]?.name, rows: bytes.subarray(TABLE_BYTES) }
    isFirst = false
  }
}

function toJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}

function fromJson<Value>(payload: Payload | undefined): Value {
  return JSON.parse(payload?.bytes.toString() ?? '')
}
