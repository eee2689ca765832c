// The entry of the command line: passes environment, files and terminal to cli/run.ts.
import { existsSync, readFileSync, statSync } from 'node:fs'
import * as files from 'node:fs/promises'
import { hostname, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { readIfExists } from './boot/first-start.ts'
import { errorMessage } from './boot/start-errors.ts'
import { EXIT, UsageError } from './cli/context.ts'
import { DRAFT } from './cli/file-errors.ts'
import { runCommandLine } from './cli/run.ts'
import { isThisMachine } from './cli/service.ts'
import { SystemClock } from './runtime/clock.ts'
import { Ids } from './runtime/ids.ts'
import { systemRandom } from './runtime/random.ts'
import { syncFolder } from './runtime/sync-folder.ts'
import { VERSION } from './runtime/version.ts'

const CHECKOUT = join(import.meta.dirname, '..')
/** Its `.env` and relative paths are used: the current folder, if a service runs there, otherwise the checkout. */
const FOLDER = isServiceFolder(process.cwd()) ? process.cwd() : CHECKOUT
const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const
const clock = new SystemClock()
const ids = new Ids(clock, systemRandom)
const stopped = new AbortController()
const stop = () => stopped.abort()
let loaded: NodeJS.Dict<string> | null = null

for (const signal of STOP_SIGNALS) process.once(signal, stop)
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  // The reader closed the pipe, as `head` does. Any other failure loses output that may be shown once only.
  if (code === 'EPIPE') process.exit()
  process.stderr.write(`Failed to print the response: ${message}\n`)
  process.exit(EXIT.refused)
})
process.stderr.on('error', () => {})

process.exitCode = await runCommandLine(process.argv.slice(2), {
  version: VERSION,
  url: () => settings().HULAKI_URL?.trim() || addressOfService(),
  tokenFor,
  readFile,
  writeFile,
  syncFolder,
  newIdempotencyKey: () => ids.next(),
  newId: () => ids.next(),
  secret: (name) => settings()[name]?.trim() || null,
  machine,
  random: () => systemRandom.bytes(1).readUInt8() / 256,
  now: () => clock.now(),
  runLocally: async (command) => {
    const { runDatabaseCommand } = await import('./boot/database-commands/run.ts')
    const ports = { settings: settings(), folder: FOLDER, clock, random: systemRandom, ids, signal: stopped.signal }
    return runDatabaseCommand(command, ports)
  },
  inspectUpgrade: async (url) => {
    // The paths of the settings start there, as for the service. The command has no paths of its own.
    process.chdir(FOLDER)
    return (await import('./boot/inspect-upgrade.ts')).inspectUpgrade(settings(), url)
  },
  // A terminal without a known size reports 0.
  width: process.stdout.isTTY ? process.stdout.columns || 80 : null,
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
  signal: stopped.signal,
})
// Ctrl-C does not wait for open requests.
if (stopped.signal.aborted) process.exit()

/** In a container, the user may have no name. */
function machine(): string {
  try {
    return `${userInfo().username}@${hostname()}`
  } catch {
    return hostname()
  }
}

/** The CLI reads the service's own settings to find its address. */
function settings(): NodeJS.Dict<string> {
  loaded ??= { ...readDotEnv(), ...process.env }
  return loaded
}

function addressOfService(): string {
  const { HOST = '', PORT, HULAKI_TLS_CERT_FILE } = settings()
  const host = ['', '0.0.0.0', '::'].includes(HOST) ? '127.0.0.1' : HOST
  return `${HULAKI_TLS_CERT_FILE ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${PORT || 8080}`
}

/** HULAKI_TOKEN is for any address. The operator token of the settings or the file is for the service of this folder only. */
function tokenFor(url: URL): string | null {
  const { HULAKI_TOKEN, HULAKI_OPERATOR_TOKEN, HULAKI_DATA_DIR } = settings()
  if (HULAKI_TOKEN?.trim()) return HULAKI_TOKEN.trim()
  const given = HULAKI_OPERATOR_TOKEN?.trim()
  const file = resolve(FOLDER, HULAKI_DATA_DIR || 'data', 'operator-token')
  if (isOwnService(url)) return given || tokenIn(file)
  if (!given && !existsSync(file)) return null
  const source = given ? 'HULAKI_OPERATOR_TOKEN' : file
  throw new UsageError(
    `${source} is for the service on this machine and is not sent to ${url.origin}. Set a token with --token-file or HULAKI_TOKEN.`,
  )
}

function isOwnService(url: URL): boolean {
  return isThisMachine(url) || url.hostname.replace(/^\[|\]$/g, '') === settings().HOST
}

function tokenIn(file: string): string | null {
  try {
    return readIfExists(file)?.trim() || null
  } catch (error) {
    throw new UsageError(errorMessage(error))
  }
}

/** Another program may have a `.env` too, and another user could lay one out to get a token. */
function isServiceFolder(folder: string): boolean {
  try {
    if (isOurs(folder) && isOurs(join(folder, 'data')) && existsSync(join(folder, 'data', 'keyring.json'))) return true
    return isOurs(folder) && isOurs(join(folder, '.env')) && /^HULAKI_/m.test(readIfExists(join(folder, '.env')) ?? '')
  } catch {
    return false
  }
}

/** Only this user and root can change it. */
function isOurs(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) return false
  return [process.geteuid?.() ?? found.uid, 0].includes(found.uid) && (found.mode & 0o022) === 0
}

/** Other users may not be allowed to read .env; they set environment variables. */
function readDotEnv(): NodeJS.Dict<string> {
  try {
    return parseEnv(readIfExists(join(FOLDER, '.env')) ?? '')
  } catch (error) {
    process.stderr.write(`${errorMessage(error)} Settings in this file are ignored.\n`)
    return {}
  }
}

/** Writes to a .part file first, so that an incomplete file never has the final name. */
async function writeFile(name: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const part = `${name}${DRAFT}`
  // Of a killed command, or a link that another user made: `wx` follows none.
  await files.rm(part, { force: true })
  try {
    await files.writeFile(part, pieces, { flag: 'wx' })
    await files.rename(part, name)
  } catch (error) {
    await files.rm(part, { force: true })
    throw error
  }
}

function readFile(name: string): string {
  if (name === '-' && process.stdin.isTTY)
    throw new Error('a terminal would show the secret: pipe the secret to standard input')
  // A blocking read cannot handle a signal; without a listener, the signal ends the process.
  for (const signal of STOP_SIGNALS) process.removeListener(signal, stop)
  try {
    return readFileSync(name === '-' ? 0 : name, 'utf8')
  } finally {
    for (const signal of STOP_SIGNALS) process.once(signal, stop)
  }
}
