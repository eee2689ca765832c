// Whether a cluster's server runs, and where it listens: read from postmaster.pid, which the server itself keeps.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { access, link, readFile, readlink, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { errorCode, isAlive } from './whole-folder.ts'

export interface Address {
  readonly host: string
  readonly port: number
}

/** An address, 'none' where no server runs, 'busy' where one is starting or stopping. */
export async function findServer(home: string): Promise<Address | 'none' | 'busy'> {
  const cluster = join(home, 'cluster')
  const file = join(cluster, 'postmaster.pid')
  const content = await readFile(file, 'utf8').catch((error) => {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  })
  if (content === undefined) return 'none'

  const [pidText, , , port, socketDirectory, listenAddress, , status] = content.split('\n')
  const pid = Math.abs(Number(pidText)) // a single-user server writes it negative
  if (pid === 0 || !isAlive(pid)) return 'none' // left by a crash; the next server to start replaces it
  if (!(await isPostmaster(pid, cluster))) {
    await setAside(file, content)
    return 'none'
  }
  if (status?.trim() !== 'ready') return 'busy'
  return { host: socketDirectory ? cluster : listenAddress || '127.0.0.1', port: Number(port) }
}

/** After a crash the pid may have gone to another program, or be kept by a dead server that nobody reaped. */
async function isPostmaster(pid: number, cluster: string): Promise<boolean> {
  if (process.platform === 'linux') return isAtHome(pid, cluster)
  // PostgreSQL on Windows asks the process itself, by a named pipe.
  if (process.platform === 'win32') return true
  const { stdout } = await promisify(execFile)('ps', ['-o', 'comm=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
  return stdout.includes('postgres')
}

/** A server's working directory is its cluster. */
async function isAtHome(pid: number, cluster: string): Promise<boolean> {
  try {
    return (await readlink(`/proc/${pid}/cwd`)) === cluster
  } catch {
    // Where nothing can be told, the file is believed.
    return access('/proc/self').then(
      () => false,
      () => true,
    )
  }
}

/** PostgreSQL would not start while the pid lives. Another service may have replaced the file since it was read. */
async function setAside(file: string, content: string): Promise<void> {
  const aside = `${file}.${randomBytes(4).toString('hex')}`
  try {
    await rename(file, aside)
    if ((await readFile(aside, 'utf8')) !== content) await link(aside, file)
    await rm(aside)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'EEXIST') throw error
  }
}
