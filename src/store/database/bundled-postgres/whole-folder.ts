// Folders that appear complete or not at all, however many processes make the same one and whenever they are killed.
import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errorCode } from './fault.ts'

/** Fills a draft beside `folder` and renames it into place; where another process was quicker, its folder stays. */
export async function makeWholeFolder(folder: string, fill: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${folder}.draft-${process.pid}-${randomBytes(4).toString('hex')}`
  try {
    await mkdir(draft, { mode: 0o700 })
    await fill(draft)
    await rename(draft, folder)
    await syncFolder(dirname(folder))
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (!isTaken(error)) throw error
  }
}

/** Removes the drafts of processes that died over them. */
export async function removeDeadDrafts(folder: string): Promise<void> {
  const prefix = `${basename(folder)}.draft-`
  for (const name of await readdir(dirname(folder))) {
    if (!name.startsWith(prefix)) continue
    const owner = Number.parseInt(name.slice(prefix.length), 10)
    // An orphaned initdb may still be writing into it; then the next start removes the rest.
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

/** A rename survives a power cut once its folder is on disk. Windows cannot sync folders and does not need to. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
