// The entry of the command line: what it needs of the machine, handed to one run.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { runCommandLine } from './cli/run.ts'
import { EXIT, Misuse } from './cli/surroundings.ts'
import { systemChance } from './runtime/chance.ts'
import { SystemClock } from './runtime/clock.ts'
import { Ids } from './runtime/ids.ts'

const CHECKOUT = join(import.meta.dirname, '..')
/** What the service of this checkout is started with tells where it is. */
const settings = { ...parseEnv(readIfThere(join(CHECKOUT, '.env')) ?? ''), ...process.env }
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
function tokenOfDataFolder({ hostname }: URL): string | null {
  if (!/^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname) && hostname !== settings.HOST) return null
  const file = resolve(CHECKOUT, HULAKI_DATA_DIR || 'data', 'operator-token')
  try {
    return readIfThere(file)?.trim() ?? null
  } catch (fault) {
    throw new Misuse(`The operator's token cannot be read: ${fault instanceof Error ? fault.message : fault}.`)
  }
}

function readFile(name: string): string {
  if (name !== '-') return readFileSync(name, 'utf8')
  if (process.stdin.isTTY) throw new Error('a terminal shows what is typed; pipe it in')
  return readFileSync(0, 'utf8')
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (fault) {
    if (fault instanceof Error && 'code' in fault && fault.code === 'ENOENT') return null
    throw fault
  }
}
