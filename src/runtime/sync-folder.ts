// Makes a new name in a folder survive a power loss.
import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Windows cannot sync folders and does not need to. Some network file systems cannot sync folders either. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } catch (error) {
    if (!['EINVAL', 'EBADF'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  } finally {
    closeSync(handle)
  }
}
