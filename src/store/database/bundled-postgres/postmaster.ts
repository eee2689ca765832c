// Whether a cluster's server runs, and where it listens: read from postmaster.pid, which the server itself keeps.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, readFile, readlink, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { errorCode } from './fault.ts'
import { SOCKET_PORT } from './settings.ts'
import { isAlive } from './whole-folder.ts'

export interface PostmasterAddress {
  readonly host: string
  readonly port: number
}

interface Postmaster {
  readonly pid: number
  /** where it listens; undefined while it is starting or stopping */
  readonly address: PostmasterAddress | undefined
}

/** The running server of a cluster. */
export async function findPostmaster(home: string): Promise<Postmaster | undefined> {
  const cluster = join(home, 'cluster')
  const content = await readLockFile(join(cluster, 'postmaster.pid'))
  if (content === undefined || !(await isPostmaster(pidIn(content), cluster))) return undefined
  const [, , , port, socketDirectory, listenAddress, , status] = content.split('\n')
  const host = socketDirectory ? cluster : listenAddress || '127.0.0.1'
  return { pid: pidIn(content), address: status?.trim() === 'ready' ? { host, port: Number(port) } : undefined }
}

/**
 * Clears the way for a start after a crash. PostgreSQL replaces the lock files of a dead server itself, but believes
 * them when the pid has gone to another program meanwhile, or belongs to a dead server that nobody has reaped.
 */
export async function removeStaleLocks(home: string): Promise<void> {
  const cluster = join(home, 'cluster')
  for (const name of ['postmaster.pid', `.s.PGSQL.${SOCKET_PORT}.lock`]) {
    const content = await readLockFile(join(cluster, name))
    if (content === undefined || !isAlive(pidIn(content)) || (await isPostmaster(pidIn(content), cluster))) continue
    await setAside(join(cluster, name), content)
  }
}

async function readLockFile(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error) => {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  })
}

/** A server in single-user mode writes its pid negative. */
function pidIn(content: string): number {
  return Math.abs(Number.parseInt(content, 10))
}

async function isPostmaster(pid: number, cluster: string): Promise<boolean> {
  if (!isAlive(pid)) return false
  // Where nothing can be told, the file is believed.
  if (process.platform === 'linux') return isServerOf(cluster, `/proc/${pid}`).catch(() => !existsSync('/proc/self'))
  const [command, args] =
    process.platform === 'win32'
      ? ['tasklist', ['/nh', '/fi', `PID eq ${pid}`]]
      : ['ps', ['-o', 'comm=', '-p', String(pid)]]
  const { stdout } = await promisify(execFile)(command, args).catch(() => ({ stdout: 'postgres' }))
  return stdout.includes('postgres')
}

async function isServerOf(cluster: string, proc: string): Promise<boolean> {
  const [, state] = /\(postgres\) (.)/.exec(await readFile(`${proc}/stat`, 'utf8')) ?? []
  const [server, folder] = await Promise.all([stat(proc), stat(cluster)])
  if (state === undefined || state === 'Z' || server.uid !== folder.uid) return false
  // A server's working directory is its cluster. Root in a container may not read that of another account.
  const directory = await readlink(`${proc}/cwd`).catch(() => cluster)
  return directory === cluster
}

/** Removes the file as it was read. A second service may have done so already, and have started the server since. */
async function setAside(file: string, content: string): Promise<void> {
  const aside = `${file}.${randomBytes(4).toString('hex')}`
  try {
    await rename(file, aside)
    if ((await readFile(aside, 'utf8')) !== content) await link(aside, file)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'EEXIST') throw error
  } finally {
    await rm(aside, { force: true })
  }
}
