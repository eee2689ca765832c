// The manifest of an archive: the time its database was created, and the rows, bytes and checksum of each day.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { AnyJson } from './command.ts'
import { LocalError } from './context.ts'

export interface ArchivedFile {
  table: string
  day: string
  /** null for a day without rows. */
  file: string | null
  rows: number
  bytes: number
  sha256: string | null
}

export interface Manifest {
  databaseCreatedAt: string
  files: ArchivedFile[]
}

export const MANIFEST = 'manifest.json'

export const fileNameOf = ({ table, day }: { table: string; day: string }) => `${table}-${day}.csv.gz`

/** Throws if the folder has the archive of another database. */
export function readManifest(folder: string, databaseCreatedAt: string): Manifest {
  const path = join(folder, MANIFEST)
  const text = readIfExists(path)
  if (text === null) return { databaseCreatedAt, files: [] }
  const manifest = parseManifest(text)
  if (manifest === null)
    throw new LocalError(`${path} is damaged; put a copy of it back, or choose another folder with --to.`)
  if (manifest.databaseCreatedAt !== databaseCreatedAt)
    throw new LocalError(
      `${folder} has the archive of another service, whose database was created at ${manifest.databaseCreatedAt}; choose another folder with --to.`,
    )
  return manifest
}

function readIfExists(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

function parseManifest(text: string): Manifest | null {
  try {
    const read: AnyJson = JSON.parse(text)
    const isComplete =
      typeof read?.databaseCreatedAt === 'string' && Array.isArray(read.files) && read.files.every(isArchivedFile)
    return isComplete ? read : null
  } catch {
    return null
  }
}

function isArchivedFile(it: AnyJson): boolean {
  return (
    /^[a-z]+$/.test(it?.table) &&
    /^\d{4}-\d\d-\d\d$/.test(it.day) &&
    (it.file === null || it.file === fileNameOf(it)) &&
    [it.rows, it.bytes].every(Number.isSafeInteger)
  )
}

/** True for a day without rows, which has no file. */
export function exists(folder: string, { file }: ArchivedFile): boolean {
  return file === null || existsSync(join(folder, file))
}

/** Compares the size only: the checksums of years would take long. */
function isComplete(folder: string, { file, bytes }: ArchivedFile): boolean {
  if (file === null) return true
  const found = statSync(join(folder, file), { throwIfNoEntry: false })
  return found?.isFile() === true && found.size === bytes
}

const MAX_NAMED = 10

export function requireAllInPlace(folder: string, files: readonly ArchivedFile[]): void {
  const incomplete = files.filter((it) => !isComplete(folder, it))
  const changed = incomplete.filter((it) => exists(folder, it))
  const lost = incomplete.filter((it) => !changed.includes(it))
  const sentences = [
    changed.length > 0 &&
      `These files of ${folder} do not have the size of the manifest: ${namesOf(changed)}; put copies of them back.`,
    lost.length > 0 &&
      `These files of ${folder} are missing, and the service no longer has their days: ${namesOf(lost)}; put copies of them back, or remove them from ${MANIFEST}.`,
  ].filter((it) => it !== false)
  if (sentences.length > 0) throw new LocalError(sentences.join('\n'))
}

function namesOf(files: readonly ArchivedFile[]): string {
  const more = files.length > MAX_NAMED ? ` and ${files.length - MAX_NAMED} more` : ''
  return `${files.slice(0, MAX_NAMED).map(fileNameOf).join(', ')}${more}`
}
