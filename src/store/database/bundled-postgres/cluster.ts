// One PostgreSQL cluster on disk: creates, opens, starts and stops it.
//
//   <home>/cluster      PostgreSQL's own folder, with its Unix socket
//   <home>/log          its log of a week, and start.log with messages from before that log opens
//   <home>/password     of the role hulaki
//   <home>/hulaki.conf  settings
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { appendFile, chmod, chown, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { BundledPostgresError, errorCode } from './error.ts'
import { findHome, putSignpost } from './home.ts'
import { findPostmaster, removeStaleLocks } from './postmaster.ts'
import { findPrograms, type Programs, runPgCtl, runProgram } from './programs.ts'
import { type ListenAddress, SOCKET_PORT, settingsFile } from './settings.ts'
import { makeWholeFolder, removeDeadDrafts } from './whole-folder.ts'

export interface Cluster {
  readonly home: string
  readonly password: string
  readonly programs: Programs
  /** max_connections of the next start. */
  readonly maxConnections: number
}

export const ROLE = 'hulaki'
export const DATABASE = 'hulaki'

/** The limit of macOS is 104 bytes with the final zero; Linux allows a few more. */
const MAX_SOCKET_PATH_LENGTH = 103

const STOP_MS = 30_000

/** Finds the cluster of a data folder, or creates it. */
export async function openCluster(dataDirectory: string, maxConnections: number): Promise<Cluster> {
  const { directory: home, account, signpost } = await findHome(dataDirectory)
  const programs = await findPrograms(account)
  const isNew = (await versionOf(home)) === undefined
  await removeDeadDrafts(home)
  if (isNew) await makeWholeFolder(home, (draft) => fillHome(draft, programs))
  if (signpost !== undefined) await putSignpost(signpost, home)
  const version = await versionOf(home)
  if (version === undefined) {
    throw new BundledPostgresError(`${home} is not a PostgreSQL cluster; move it away.`)
  }
  if (version !== programs.major) {
    throw new BundledPostgresError(
      `The cluster in ${home} is of PostgreSQL ${version}, but this service includes PostgreSQL ${programs.major}; start the earlier version of Hulaki, and back up and restore the data with 'hulaki backup' and 'hulaki restore'.`,
    )
  }
  return { home, programs, password: await readOwn(join(home, 'password')), maxConnections }
}

/** Starts the server, detached from this process; false if it failed or another service started it first. */
export async function startServer({ home, programs, maxConnections }: Cluster): Promise<boolean> {
  const file = join(home, 'hulaki.conf')
  const draft = `${file}.${randomBytes(4).toString('hex')}`
  await writeFile(draft, settingsFile(await chooseListening(home, file), maxConnections))
  await chmod(draft, 0o644)
  await rename(draft, file)
  await removeStaleLocks(home)
  return runPgCtl(programs, { home, args: ['start', '--timeout=30', '--log=log/start.log'] })
}

export async function stopServer({ home, programs }: Cluster): Promise<void> {
  const postmaster = await findPostmaster(home)
  // Without --no-wait, pg_ctl would confuse the old server with one that another service starts meanwhile.
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
    throw new BundledPostgresError(`${file} belongs to another user; run the service as that user.`, { cause: error })
  })
}

/** Creates the role and the database before the folder gets its final name, so that every cluster is complete. */
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
  // One sync of all files instead of one after each step.
  await runProgram(programs, 'initdb', { home: draft, args: ['--sync-only'] })
}

/** The builtin locale is the same on every machine. The superuser has no password, so it cannot connect. */
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

/** With -j, a semicolon and an empty line end a statement. */
function firstStatements(password: string): string {
  return [
    `create role ${ROLE} login createdb password '${password}';`,
    // Messages of failed statements quote values; the service gets them anyway.
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
  if (process.platform !== 'win32' && Buffer.byteLength(socket) <= MAX_SOCKET_PATH_LENGTH) return { on: 'socket' }
  // The port of the last start, if it is free, so that clients can reconnect.
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
