// Writes a file that is either complete or absent, and that no other user can read.
import type { FileHandle } from 'node:fs/promises'
import { lstat, open, rename, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import type { Random } from '../runtime/random.ts'
import { syncFolder } from '../runtime/sync-folder.ts'
import { removeDeadDrafts } from '../store/database/bundled-postgres/whole-folder.ts'
import { BackupFileError } from './sealed-file.ts'

/** Writes a draft next to the file and renames it; never replaces a file. Removes drafts of killed runs on this machine. */
export async function writeWholeFile(
  path: string,
  random: Random,
  fill: (file: FileHandle) => Promise<void>,
): Promise<void> {
  // A folder that several machines share has drafts of processes that only their own machine can see.
  const drafts = join(dirname(path), `hulaki-backup.${hostname()}`)
  await removeDeadDrafts(drafts)
  const draft = `${drafts}.draft-${process.pid}-${random.bytes(4).toString('hex')}`
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await fill(file)
      await file.sync()
    } finally {
      await file.close()
    }
    await requireAbsent(path)
    await rename(draft, path)
    syncFolder(dirname(path))
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** A rename replaces a file, and not every network disk has hard links. */
export async function requireAbsent(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null)
  if (found) throw new BackupFileError(`${path} exists already; choose another name.`)
}
