// Creates folders atomically, even if several processes create the same one or a process is killed.
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { syncFolder } from '../../../runtime/sync-folder.ts'
import { errorCode } from './error.ts'

/** Fills a draft next to `folder` and renames it; if another process was faster, its folder stays. */
export async function makeWholeFolder(folder: string, fill: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${folder}.draft-${process.pid}-${randomBytes(4).toString('hex')}`
  try {
    await mkdir(draft, { mode: 0o700 })
    await fill(draft)
    await rename(draft, folder)
    syncFolder(dirname(folder))
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (!isTaken(error)) throw error
  }
}

/** Removes drafts of dead processes. */
export async function removeDeadDrafts(folder: string): Promise<void> {
  const prefix = `${basename(folder)}.draft-`
  for (const name of await readdir(dirname(folder))) {
    if (!name.startsWith(prefix)) continue
    const owner = Number.parseInt(name.slice(prefix.length), 10)
    // An orphaned initdb may still write to the draft, so `rm` can fail; the next start tries again.
    if (!isAlive(owner)) await rm(join(dirname(folder), name), { recursive: true, force: true }).catch(() => {})
  }
}

export function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

function isTaken(error: unknown): boolean {
  const isRename = error instanceof Error && 'syscall' in error && error.syscall === 'rename'
  return isRename && ['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(errorCode(error) ?? '')
}
