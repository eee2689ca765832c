// The entry of the command line: what it needs of the machine, handed to one run.
import { existsSync, readFileSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { readIfThere } from './boot/first-start.ts'
import { reason } from './boot/start-sentence.ts'
import { runCommandLine } from './cli/run.ts'
import { isThisMachine } from './cli/service.ts'
import { EXIT, Misuse } from './cli/surroundings.ts'
import { systemChance } from './runtime/chance.ts'
import { SystemClock } from './runtime/clock.ts'
import { Ids } from './runtime/ids.ts'
import { VERSION } from './runtime/version.ts'

const CHECKOUT = join(import.meta.dirname, '..')
const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const
const clock = new SystemClock()
const ids = new Ids(clock, systemChance)
const stopped = new AbortController()
const stop = () => stopped.abort()
let known: NodeJS.Dict<string> | null = null

for (const signal of STOP_SIGNALS) process.once(signal, stop)
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  // Whoever reads has had enough, as `head` has. Else what was printed is lost, and may have been shown only now.
  if (code === 'EPIPE') process.exit()
  process.stderr.write(`The answer could not be printed: ${message}\n`)
  process.exit(EXIT.refused)
})
process.stderr.on('error', () => {})

process.exitCode = await runCommandLine(process.argv.slice(2), {
  version: VERSION,
  url: () => settings().HULAKI_URL?.trim() || addressOfService(),
  tokenFor,
  readFile,
  newIdempotencyKey: () => ids.next(),
  newId: () => ids.next(),
  secret: (name) => settings()[name]?.trim() || null,
  machine,
  chance: () => systemChance.bytes(1).readUInt8() / 256,
  now: () => clock.now(),
  width: process.stdout.isTTY ? process.stdout.columns : null,
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
  signal: stopped.signal,
})
// What was under way is not waited for.
if (stopped.signal.aborted) process.exit()

/** Whoever runs without a name, as in a container, goes by its machine alone. */
function machine(): string {
  try {
    return `${userInfo().username}@${hostname()}`
  } catch {
    return hostname()
  }
}

/** What the service of this checkout is started with tells where it is. */
function settings(): NodeJS.Dict<string> {
  known ??= { ...readDotEnv(), ...process.env }
  return known
}

function addressOfService(): string {
  const { HOST = '', PORT, HULAKI_TLS_CERT_FILE } = settings()
  const host = ['', '0.0.0.0', '::'].includes(HOST) ? '127.0.0.1' : HOST
  return `${HULAKI_TLS_CERT_FILE ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${PORT || 8080}`
}

/** HULAKI_TOKEN is for whatever is asked. The operator's, from its setting or its file, is for the service of this checkout only. */
function tokenFor(url: URL): string | null {
  const { HULAKI_TOKEN, HULAKI_OPERATOR_TOKEN, HULAKI_DATA_DIR } = settings()
  if (HULAKI_TOKEN?.trim()) return HULAKI_TOKEN.trim()
  const given = HULAKI_OPERATOR_TOKEN?.trim()
  const file = resolve(CHECKOUT, HULAKI_DATA_DIR || 'data', 'operator-token')
  if (isOwnService(url)) return given || tokenIn(file)
  if (!given && !existsSync(file)) return null
  const whose = given ? 'HULAKI_OPERATOR_TOKEN' : file
  throw new Misuse(
    `${whose} is for the service on this machine and is not sent to ${url.origin}; name a token for that with --token-file or HULAKI_TOKEN.`,
  )
}

function isOwnService(url: URL): boolean {
  return isThisMachine(url) || url.hostname.replace(/^\[|\]$/g, '') === settings().HOST
}

function tokenIn(file: string): string | null {
  try {
    return readIfThere(file)?.trim() ?? null
  } catch (fault) {
    throw new Misuse(reason(fault))
  }
}

/** Closed to whoever is not of the service, it tells them nothing, and they can say it all themselves; but they should know. */
function readDotEnv(): NodeJS.Dict<string> {
  try {
    return parseEnv(readIfThere(join(CHECKOUT, '.env')) ?? '')
  } catch (fault) {
    process.stderr.write(`${reason(fault)} What is set there is not known here.\n`)
    return {}
  }
}

function readFile(name: string): string {
  if (name === '-' && process.stdin.isTTY) throw new Error('a terminal shows what is typed; pipe it in')
  // While it reads, nothing else runs that could hear of a stop; without a listener, the signal itself ends the process.
  for (const signal of STOP_SIGNALS) process.removeListener(signal, stop)
  try {
    return readFileSync(name === '-' ? 0 : name, 'utf8')
  } finally {
    for (const signal of STOP_SIGNALS) process.once(signal, stop)
  }
}
