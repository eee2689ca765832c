// Describes errors of files and folders in one sentence.
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Where a file is written before it is complete. */
export const DRAFT = '.part'

const FILE_CALLS = new Set([
  ...['open', 'read', 'write', 'close', 'fsync', 'fdatasync', 'ftruncate', 'copyfile', 'link', 'symlink', 'rename'],
  ...['stat', 'lstat', 'statfs', 'access', 'chmod', 'chown', 'utime', 'readlink', 'realpath'],
  ...['mkdir', 'mkdtemp', 'opendir', 'scandir', 'rm', 'rmdir', 'unlink'],
])

/** `usual` is the name that a person gave; without it, the error names the file. Returns null for any other error. */
export function describeFileError(error: unknown, usual?: string): string | null {
  if (!(error instanceof Error)) return null
  const { code, syscall = '', path, dest } = error as NodeJS.ErrnoException & { dest?: string }
  if (code === undefined || !FILE_CALLS.has(syscall)) return null
  const file = usual ?? finalNameOf(dest ?? path, syscall)
  const kind = code.replace('ERR_FS_', '')
  switch (kind) {
    case 'ENOSPC':
    case 'EDQUOT':
      return 'The disk is full; free space and run the command again.'
    case 'EISDIR':
      return `${file ?? 'The given name'} is a folder; name a file.`
    case 'EEXIST':
      return syscall === 'mkdir' ? `${file} is a file; name a folder.` : `${file} exists already; choose another name.`
    case 'ENOTDIR':
      return `A part of the path ${file} is a file; name a path of folders.`
    case 'ENOENT':
      return file === undefined ? 'A file is missing.' : missing(file)
    case 'EACCES':
    case 'EPERM':
      return `This user has no permission for ${placeOf(file)}; change its permissions, or choose another place.`
    case 'EROFS':
      return `${placeOf(file)} is on a disk that cannot be written; choose another place.`
    case 'EFBIG':
      return `${file ?? 'A file'} is larger than its disk or a limit of this user allows; choose another place.`
    case 'EIO':
      return `${file ?? 'A file'} cannot be read or written (${error.message}); check its disk.`
    default:
      // Sockets are read and written too.
      return file === undefined ? null : `${file} is not accessible (${error.message}).`
  }
}

/** A draft is removed by its own name. */
function finalNameOf(path: string | undefined, syscall: string): string | undefined {
  return path?.endsWith(DRAFT) && syscall !== 'rm' ? path.slice(0, -DRAFT.length) : path
}

function missing(file: string): string {
  const folder = dirname(resolve(file))
  return existsSync(folder) ? `There is no file ${file}.` : `There is no folder ${dirname(file)}.`
}

/** The file, or the folder in which it cannot be created. */
function placeOf(file: string | undefined): string {
  if (file === undefined) return 'a file'
  return existsSync(file) ? file : `the folder ${dirname(file)}`
}
