// The entry of the command line: what it needs of the machine, handed to one run.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { runCommandLine } from './cli/run.ts'
import { isThisMachine } from './cli/service.ts'
import { EXIT, Misuse } from './cli/surroundings.ts'
import { readIfThere } from './first-start.ts'
import { systemChance } from './runtime/chance.ts'
import { SystemClock } from './runtime/clock.ts'
import { Ids } from './runtime/ids.ts'
import { reason } from './start-fault.ts'

const CHECKOUT = join(import.meta.dirname, '..')
/** What the service of this checkout is started with tells where it is. */
const settings = { ...readDotEnv(), ...process.env }
const { HULAKI_TOKEN, HULAKI_OPERATOR_TOKEN, HULAKI_DATA_DIR } = settings
const clock = new SystemClock()
const ids = new Ids(clock, systemChance)
const stopped = new AbortController()

process.once('SIGINT', () => stopped.abort())
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  // Whoever reads has had enough, as `head` has. Else what was printed is lost, and may have been shown only now.
  if (code === 'EPIPE') process.exit()
  process.stderr.write(`The answer could not be printed: ${message}\n`)
  process.exit(EXIT.refused)
})
process.stderr.on('error', () => {})

process.exitCode = await runCommandLine(process.argv.slice(2), {
  url: settings.HULAKI_URL?.trim() || addressOfService(),
  tokenFor: (url) => HULAKI_TOKEN?.trim() || HULAKI_OPERATOR_TOKEN?.trim() || tokenOfDataFolder(url),
  readFile,
  newIdempotencyKey: () => ids.next(),
  now: () => clock.now(),
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
  signal: stopped.signal,
})

function addressOfService(): string {
  const { HOST = '', PORT, HULAKI_TLS_CERT_FILE } = settings
  const host = ['', '0.0.0.0', '::'].includes(HOST) ? '127.0.0.1' : HOST
  return `${HULAKI_TLS_CERT_FILE ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${PORT || 8080}`
}

/** The service of this machine's; it is not for whatever address somebody mistyped. */
function tokenOfDataFolder(url: URL): string | null {
  if (!isThisMachine(url) && url.hostname !== settings.HOST) return null
  try {
    return readIfThere(resolve(CHECKOUT, HULAKI_DATA_DIR || 'data', 'operator-token'))?.trim() ?? null
  } catch (fault) {
    throw new Misuse(reason(fault))
  }
}

/** Closed to whoever is not of the service, it tells them nothing, and they can say it all themselves. */
function readDotEnv(): NodeJS.Dict<string> {
  try {
    return parseEnv(readIfThere(join(CHECKOUT, '.env')) ?? '')
  } catch {
    return {}
  }
}

function readFile(name: string): string {
  if (name !== '-') return readFileSync(name, 'utf8')
  if (process.stdin.isTTY) throw new Error('a terminal shows what is typed; pipe it in')
  return readFileSync(0, 'utf8')
}
