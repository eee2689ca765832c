// `hulaki archive`: writes each day before a month to a compressed file, with a manifest of rows and checksums.
import { createHash } from 'node:crypto'
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type CliContext, EXIT, UsageError } from './context.ts'
import type { ManagementApi } from './management-api.ts'
import { get, type ParsedCommand } from './request.ts'
import { NoResponse } from './service.ts'
import { jsonLine } from './table.ts'

interface ArchivedFile {
  table: string
  day: string
  /** null for a day without rows. */
  file: string | null
  rows: number
  bytes: number
  sha256: string | null
}

const DAY_MS = 86_400_000
/** The service exports only days that ended so long ago. */
const SETTLED_DAYS = 7

/** A day is complete when it is in the manifest, so a stopped command is continued by the next one. */
export async function archive(api: ManagementApi, { values, common }: ParsedCommand, context: CliContext) {
  const [before, to] = [String(values.before), String(values.to)]
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(before)) throw new UsageError('--before must be a month such as 2026-01.')
  if (Date.parse(`${before}-01`) + SETTLED_DAYS * DAY_MS > context.now().getTime())
    throw new UsageError(
      `--before must be a month that began at least ${SETTLED_DAYS} days ago: younger messages can still change.`,
    )
  mkdirSync(to, { recursive: true, mode: 0o700 })
  const manifest = join(to, 'manifest.json')
  /** Gives a complete file its name, which a power failure does not undo. */
  const complete = (path: string) => {
    renameSync(`${path}.part`, path)
    context.syncFolder(to)
  }
  const files: ArchivedFile[] = existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).files : []
  const isDone = new Set(files.map(({ table, day }) => `${table} ${day}`))
  const { items } = await api.request(get('/archive'))
  for (const { table, oldestAt } of items) {
    for (const day of daysBetween(oldestAt, before)) {
      if (isDone.has(`${table} ${day}`)) continue
      const file = await archiveDay(api, { table, day, folder: to, complete })
      files.push(file)
      writeFileSync(`${manifest}.part`, `${JSON.stringify({ files }, null, 1)}\n`, { mode: 0o600, flush: true })
      complete(manifest)
      if (!common.json) context.err(`${table} ${day}: ${file.rows} rows`)
    }
  }
  const rows = files.reduce((sum, file) => sum + file.rows, 0)
  context.out(common.json ? jsonLine({ files }) : `${rows} rows of ${files.length} days are in ${to}.`)
  return EXIT.done
}

function* daysBetween(oldestAt: string, before: string): Generator<string> {
  const end = Date.parse(`${before}-01T00:00:00Z`)
  for (let at = Date.parse(`${oldestAt.slice(0, 10)}T00:00:00Z`); at < end; at += DAY_MS)
    yield new Date(at).toISOString().slice(0, 10)
}

async function archiveDay(
  api: ManagementApi,
  { table, day, folder, complete }: { table: string; day: string; folder: string; complete: (path: string) => void },
): Promise<ArchivedFile> {
  const file = `${table}-${day}.csv.gz`
  const path = join(folder, file)
  const part = `${path}.part`
  const counter = new RowCounter()
  const pieces = api.requestFile(get(`/archive/${table}`, { day }))
  const written = createWriteStream(part, { mode: 0o600, flush: true })
  await pipeline(counter.count(pieces), createGzip(), written).catch((error) => {
    if (!(error instanceof NoResponse)) throw error
    throw new NoResponse(`The export of ${table} ${day} was interrupted. Repeat the command to continue.`)
  })
  const rows = counter.rows - 1
  if (rows <= 0) {
    rmSync(part)
    return { table, day, file: null, rows: 0, bytes: 0, sha256: null }
  }
  const hash = createHash('sha256')
  await pipeline(createReadStream(part), hash)
  complete(path)
  return { table, day, file, rows, bytes: written.bytesWritten, sha256: hash.digest('hex') }
}

const QUOTE = 0x22
const LINE_FEED = 0x0a

/** Counts the lines of a CSV outside quotes. */
class RowCounter {
  rows = 0
  #isQuoted = false

  async *count(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      for (const byte of piece) {
        if (byte === QUOTE) this.#isQuoted = !this.#isQuoted
        else if (byte === LINE_FEED && !this.#isQuoted) this.rows += 1
      }
      yield piece
    }
  }
}
