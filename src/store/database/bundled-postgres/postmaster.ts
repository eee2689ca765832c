// Reads from postmaster.pid whether the server of a cluster runs, and its address.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, readFile, readlink, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { errorCode } from './error.ts'
import { SOCKET_PORT } from './settings.ts'
import { isAlive } from './whole-folder.ts'

export interface PostmasterAddress {
  readonly host: string
  readonly port: number
}

interface Postmaster {
  readonly pid: number
  /** Undefined while it starts or stops. */
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
 * Removes lock files after a crash. PostgreSQL replaces the lock files of a dead server, but not if another program has its pid now, or if
 * the dead server is still a zombie.
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

/** A server in single-user mode writes a negative pid. */
function pidIn(content: string): number {
  return Math.abs(Number.parseInt(content, 10))
}

async function isPostmaster(pid: number, cluster: string): Promise<boolean> {
  if (!isAlive(pid)) return false
  // Without information about the process, the file counts.
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
  // The working directory of a server is its cluster. Root in a container may not be allowed to read it.
  const directory = await readlink(`${proc}/cwd`).catch(() => cluster)
  return directory === cluster
}

/** Removes the file unless it changed since it was read: a second service may have replaced it and started the server. */
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
