// The folder and the account of the bundled PostgreSQL, which does not run as root.
import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { chmod, mkdir, readFile, readlink, realpath, stat, symlink } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { BundledPostgresError, errorCode } from './error.ts'

export interface SystemAccount {
  readonly uid: number
  readonly gid: number
}

interface Home {
  readonly directory: string
  /** The account of PostgreSQL if the service runs as root; otherwise undefined. */
  readonly account: SystemAccount | undefined
  /** The path of a link to the folder, if the folder is outside the data folder. */
  readonly signpost: string | undefined
}

/** Used for root if the data folder is inside a folder that other users cannot enter, such as root's home. */
const SHARED_DIRECTORY = '/var/lib/hulaki'

export async function findHome(dataDirectory: string): Promise<Home> {
  const data = await makeDataFolder(dataDirectory)
  const entry = join(data, 'postgres')
  const directory = await followLink(entry)
  if (process.getuid?.() !== 0) return { directory, account: undefined, signpost: undefined }

  const owner = await ownerOf(join(directory, 'cluster'))
  const account = owner ?? chooseAccount(await readFile('/etc/passwd', 'utf8').catch(() => ''))
  if (await isOpenTo(account, dirname(directory))) return { directory, account, signpost: undefined }
  if (owner !== undefined) {
    throw new BundledPostgresError(
      `PostgreSQL cannot reach its files in ${directory}: their owner, user ${owner.uid}, cannot enter one of the folders above.`,
    )
  }
  return { directory: await sharedFolder(`${slug(data)}-${hash(data)}`), account, signpost: entry }
}

export async function putSignpost(signpost: string, home: string): Promise<void> {
  await symlink(home, signpost).catch((error) => {
    if (errorCode(error) !== 'EEXIST') throw error
  })
}

/** The path of a folder in the shared folder; the caller creates it. */
export async function sharedFolder(name: string): Promise<string> {
  await mkdir(SHARED_DIRECTORY, { recursive: true })
  // With a strict umask the account could not enter it.
  await chmod(SHARED_DIRECTORY, 0o755)
  return join(await realpath(SHARED_DIRECTORY), name)
}

/** Whether `account` can enter the folder and every folder above it. */
export async function isOpenTo(account: SystemAccount, folder: string): Promise<boolean> {
  if (!permits(await stat(folder), account, 0o1)) return false
  return folder === dirname(folder) || isOpenTo(account, dirname(folder))
}

export function permits(stats: Stats, account: SystemAccount, bits: number): boolean {
  const shift = stats.uid === account.uid ? 6 : stats.gid === account.gid ? 3 : 0
  return ((stats.mode >> shift) & bits) === bits
}

async function makeDataFolder(directory: string): Promise<string> {
  try {
    // Other users can enter it but not list it, so that the account of PostgreSQL reaches its folder.
    await mkdir(directory, { recursive: true, mode: 0o711 })
    return await realpath(directory)
  } catch (error) {
    throw new BundledPostgresError(`The data folder ${resolve(directory)} cannot be created (${errorCode(error)}).`, {
      cause: error,
    })
  }
}

/** A broken link is a cluster that is missing, such as on a disk that is not mounted: an empty one must not replace it. */
async function followLink(path: string): Promise<string> {
  const target = await readlink(path).catch(() => undefined)
  if (target === undefined) return path
  return realpath(path).catch((error) => {
    throw new BundledPostgresError(`${path} links to ${target}, which does not exist; restore it or remove the link.`, {
      cause: error,
    })
  })
}

/** The cluster of an ordinary user keeps its owner if root runs the service later. */
async function ownerOf(folder: string): Promise<SystemAccount | undefined> {
  const stats = await stat(folder).catch(() => undefined)
  return stats === undefined || stats.uid === 0 ? undefined : { uid: stats.uid, gid: stats.gid }
}

/** An own account is best: other programs that run as nobody could read the database. `accounts` is the text of /etc/passwd. */
export function chooseAccount(accounts: string): SystemAccount {
  for (const name of ['hulaki', 'postgres', 'nobody']) {
    const [, uid, gid] = new RegExp(`^${name}:[^:]*:(-?\\d+):(-?\\d+):`, 'm').exec(accounts) ?? []
    // macOS writes nobody as -2, file systems as the same 32 bits without a sign. An alias of root is skipped.
    if (uid !== undefined && uid !== '0') return { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }
  }
  return { uid: 65_534, gid: 65_534 }
}

function slug(path: string): string {
  return basename(path)
    .replace(/[^A-Za-z0-9]+/g, '-')
    .slice(0, 20)
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}
