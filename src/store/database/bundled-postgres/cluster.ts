// One PostgreSQL cluster on disk: made whole, opened, started, stopped.
//
//   <home>/cluster      PostgreSQL's own folder, with its Unix socket
//   <home>/log          a week of its log, and start.log with what it says before it can write there
//   <home>/password     of the role hulaki
//   <home>/hulaki.conf  its settings
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { appendFile, chmod, chown, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { BundledPostgresFault, errorCode } from './fault.ts'
import { findHome, putSignpost } from './home.ts'
import { findPostmaster, removeStaleLocks } from './postmaster.ts'
import { findPrograms, type Programs, runPgCtl, runProgram } from './programs.ts'
import { type ListenAddress, SOCKET_PORT, settingsFile } from './settings.ts'
import { makeWholeFolder, removeDeadDrafts } from './whole-folder.ts'

export interface Cluster {
  readonly home: string
  readonly password: string
  readonly programs: Programs
  /** With which it is started, should it not run yet. */
  readonly mostConnections: number
}

export const ROLE = 'hulaki'
export const DATABASE = 'hulaki'

/** macOS takes 104 bytes for the path of a socket, its closing zero included; Linux a few more. */
const LONGEST_SOCKET_PATH = 103

const STOP_MS = 30_000

/** Finds the cluster of a data folder, or makes it. */
export async function openCluster(dataDirectory: string, mostConnections: number): Promise<Cluster> {
  const { directory: home, account, signpost } = await findHome(dataDirectory)
  const programs = await findPrograms(account)
  const isNew = (await versionOf(home)) === undefined
  await removeDeadDrafts(home)
  if (isNew) await makeWholeFolder(home, (draft) => fillHome(draft, programs))
  if (signpost !== undefined) await putSignpost(signpost, home)
  const version = await versionOf(home)
  if (version === undefined) {
    throw new BundledPostgresFault(`${home} holds something else than a PostgreSQL cluster; move it out of the way.`)
  }
  if (version !== programs.major) {
    throw new BundledPostgresFault(
      `The cluster in ${home} is of PostgreSQL ${version}, but this service brings PostgreSQL ${programs.major}; bring it over with pg_dump.`,
    )
  }
  return { home, programs, password: await readOwn(join(home, 'password')), mostConnections }
}

/** Starts the server, detached from this process; false when it did not come up or another was quicker. */
export async function startServer({ home, programs, mostConnections }: Cluster): Promise<boolean> {
  const file = join(home, 'hulaki.conf')
  const draft = `${file}.${randomBytes(4).toString('hex')}`
  await writeFile(draft, settingsFile(await chooseListening(home, file), mostConnections))
  await chmod(draft, 0o644)
  await rename(draft, file)
  await removeStaleLocks(home)
  return runPgCtl(programs, { home, args: ['start', '--timeout=30', '--log=log/start.log'] })
}

export async function stopServer({ home, programs }: Cluster): Promise<void> {
  const postmaster = await findPostmaster(home)
  // Waiting for it, pg_ctl would take the server that another service has started since for the old one.
  await runPgCtl(programs, { home, args: ['stop', '--mode=fast', '--no-wait'] })
  const bound = AbortSignal.timeout(STOP_MS)
  while (postmaster !== undefined && (await findPostmaster(home))?.pid === postmaster.pid && !bound.aborted)
    await sleep(20)
}

async function versionOf(home: string): Promise<string | undefined> {
  try {
    return (await readOwn(join(home, 'cluster', 'PG_VERSION'))).trim()
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

async function readOwn(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error) => {
    if (errorCode(error) !== 'EACCES') throw error
    throw new BundledPostgresFault(`${file} belongs to another user; run the service as that user.`, { cause: error })
  })
}

/** Role and database are made before the cluster gets its name: whoever finds it finds it complete. */
async function fillHome(draft: string, programs: Programs): Promise<void> {
  await chmod(draft, 0o711)
  for (const name of ['cluster', 'log']) {
    await mkdir(join(draft, name), { mode: 0o700 })
    if (programs.account) await chown(join(draft, name), programs.account.uid, programs.account.gid)
  }
  const password = randomBytes(24).toString('base64url')
  await writeFile(join(draft, 'password'), password, { mode: 0o600, flush: true })
  await runProgram(programs, 'initdb', { home: draft, args: INITDB })
  await runProgram(programs, 'postgres', { home: draft, args: SINGLE_USER, input: firstStatements(password) })
  await writeFile(join(draft, 'cluster', 'pg_hba.conf'), ACCESS)
  await appendFile(join(draft, 'cluster', 'postgresql.conf'), "\ninclude '../hulaki.conf'\n")
  // One pass over all of it, instead of a sync after each step.
  await runProgram(programs, 'initdb', { home: draft, args: ['--sync-only'] })
}

/** The builtin locale is the same on every machine; the superuser gets no password and so no way in but this. */
const INITDB = [
  '--username=postgres',
  '--auth=reject',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--data-checksums',
  '--no-sync',
  '--no-instructions',
]

const SINGLE_USER = [
  '--single',
  '-F',
  '-j',
  ...['-c', 'exit_on_error=on'],
  ...['-c', 'log_min_error_statement=panic'],
  'postgres',
]

/** -j ends a statement at a semicolon and an empty line. */
function firstStatements(password: string): string {
  return [
    `create role ${ROLE} login createdb password '${password}';`,
    // The messages of failed statements quote values, and the service hears them anyway.
    `alter role ${ROLE} set log_min_messages = 'log';`,
    `create database ${DATABASE} owner ${ROLE};`,
    '',
  ].join('\n\n')
}

const ACCESS = `local all all              scram-sha-256
host  all all 127.0.0.1/32 scram-sha-256
`

async function chooseListening(home: string, settingsPath: string): Promise<ListenAddress> {
  const socket = join(home, 'cluster', `.s.PGSQL.${SOCKET_PORT}`)
  if (process.platform !== 'win32' && Buffer.byteLength(socket) <= LONGEST_SOCKET_PATH) return { on: 'socket' }
  // The port of the last start, where it is still free: those who were connected find the server again.
  const lastSettings = await readFile(settingsPath, 'utf8').catch(() => '')
  const lastPort = Number(/^port = '(\d+)'/m.exec(lastSettings)?.[1] ?? 0)
  return { on: 'tcp', port: await freePort(lastPort).catch(() => freePort(0)) }
}

async function freePort(wanted: number): Promise<number> {
  const server = createServer().listen(wanted, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
