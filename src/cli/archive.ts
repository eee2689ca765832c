// `hulaki archive`: writes each day before a month to a compressed file, with a manifest of rows and checksums.
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type ArchivedFile, exists, fileNameOf, MANIFEST, readManifest, requireAllInPlace } from './archive-manifest.ts'
import { type CliContext, EXIT, UsageError } from './context.ts'
import { DRAFT } from './file-errors.ts'
import type { ManagementApi } from './management-api.ts'
import { get, type ParsedCommand } from './request.ts'
import { NoResponse } from './service.ts'
import { counted, jsonLine } from './table.ts'

const DAY_MS = 86_400_000

interface Folder {
  path: string
  sync: CliContext['syncFolder']
}

interface Day {
  table: string
  day: string
}

/** A day is complete when it is in the manifest, so a stopped command is continued by the next one. */
export async function archive(api: ManagementApi, { values, common }: ParsedCommand, context: CliContext) {
  const [before, to] = [String(values.before), String(values.to)]
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(before)) throw new UsageError('--before must be a month such as 2026-01.')
  const { items, lastDay, databaseCreatedAt } = await api.request(get('/archive'))
  if (typeof lastDay !== 'string' || typeof databaseCreatedAt !== 'string') throw api.unexpected(200)
  const until = dayBefore(`${before}-01`)
  if (until > lastDay)
    throw new UsageError(
      `--before ${before} is too late: the service exports days until ${lastDay}, because younger messages can still change.`,
    )
  mkdirSync(to, { recursive: true, mode: 0o700 })
  const folder = { path: to, sync: context.syncFolder }
  const { files } = readManifest(to, databaseCreatedAt)
  for (const day of listMissing(items, { files, folder: to, until })) {
    const file = await archiveDay(api, day, folder)
    const known = files.findIndex(({ table, day: of }) => table === day.table && of === day.day)
    // The service no longer has the rows of a lost file.
    if (known >= 0 && file.rows === 0) continue
    files.splice(known < 0 ? files.length : known, 1, file)
    writeWhole(folder, MANIFEST, `${JSON.stringify({ databaseCreatedAt, files }, null, 1)}\n`)
    if (file.rows > 0 && !common.json) context.err(`${file.table} ${file.day}: ${counted(file.rows, 'row')}`)
  }
  requireAllInPlace(to, files)
  const rows = files.reduce((sum, file) => sum + file.rows, 0)
  const written = files.filter(({ file }) => file !== null).length
  context.out(
    common.json
      ? jsonLine({ files })
      : `The archive in ${to} has ${counted(rows, 'row')} in ${counted(written, 'file')}.`,
  )
  return EXIT.done
}

/**
 * The days that are not in the manifest, and those that the service still has but whose files are lost. A file that somebody changed is
 * not replaced: the service may have deleted the texts of its day.
 */
function listMissing(
  items: { table: string; oldestAt: string }[],
  { files, folder, until }: { files: readonly ArchivedFile[]; folder: string; until: string },
): Day[] {
  return items.flatMap(({ table, oldestAt }) => {
    const oldest = oldestAt.slice(0, 10)
    const known = files.filter((file) => file.table === table)
    const isKnown = new Set(known.map(({ day }) => day))
    const lost = known.filter((file) => file.day >= oldest && !exists(folder, file)).map(({ day }) => day)
    const added = [...daysBetween(oldest, until)].filter((day) => !isKnown.has(day))
    return [...lost, ...added].map((day) => ({ table, day }))
  })
}

function* daysBetween(first: string, last: string): Generator<string> {
  for (let at = Date.parse(first); at <= Date.parse(last); at += DAY_MS) yield dayAt(at)
}

const dayAt = (at: number) => new Date(at).toISOString().slice(0, 10)
const dayBefore = (day: string) => dayAt(Date.parse(day) - DAY_MS)

async function archiveDay(api: ManagementApi, { table, day }: Day, folder: Folder): Promise<ArchivedFile> {
  const file = fileNameOf({ table, day })
  const draft = newDraft(folder, file)
  try {
    const { rows, bytes } = await download(api, { table, day }, draft)
    if (rows === 0) return { table, day, file: null, rows, bytes: 0, sha256: null }
    const hash = createHash('sha256')
    await pipeline(createReadStream(draft), hash)
    complete(folder, file)
    return { table, day, file, rows, bytes, sha256: hash.digest('hex') }
  } finally {
    rmSync(draft, { force: true })
  }
}

async function download(api: ManagementApi, { table, day }: Day, draft: string) {
  const counter = new RowCounter()
  const pieces = api.requestFile(get(`/archive/${table}`, { day }))
  const written = createWriteStream(draft, { mode: 0o600, flags: 'wx', flush: true })
  await pipeline(counter.count(pieces), createGzip(), written).catch((error) => {
    if (!(error instanceof NoResponse)) throw error
    throw new NoResponse(`The export of ${table} ${day} was interrupted. Repeat the command to continue.`)
  })
  // The first line has the titles.
  return { rows: Math.max(0, counter.rows - 1), bytes: written.bytesWritten }
}

function writeWhole(folder: Folder, name: string, text: string): void {
  writeFileSync(newDraft(folder, name), text, { mode: 0o600, flag: 'wx', flush: true })
  complete(folder, name)
}

/** Removes the draft of a stopped command, or a link that another user made: `wx` follows none. */
function newDraft({ path }: Folder, name: string): string {
  const draft = join(path, `${name}${DRAFT}`)
  rmSync(draft, { force: true })
  return draft
}

/** Gives a complete file its name, which a power failure does not undo. */
function complete({ path, sync }: Folder, name: string): void {
  renameSync(join(path, `${name}${DRAFT}`), join(path, name))
  sync(path)
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
