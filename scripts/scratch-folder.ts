// Creates a temporary folder that PostgreSQL's user can enter, so that root's clusters are in it and are deleted with it.
import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export function scratchFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`))
  chmodSync(folder, 0o711)
  return folder
}
