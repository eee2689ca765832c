// The entry of the command line: what it needs of the machine, handed to one run.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { runCommandLine } from './cli/run.ts'
import { systemChance } from './runtime/chance.ts'
import { SystemClock } from './runtime/clock.ts'
import { Ids } from './runtime/ids.ts'

const CHECKOUT = join(import.meta.dirname, '..')
/** What the service of this checkout is started with tells where it is. */
const settings = { ...parseEnv(readIfThere(join(CHECKOUT, '.env')) ?? ''), ...process.env }
const { HULAKI_URL, HULAKI_TOKEN, HULAKI_OPERATOR_TOKEN, HULAKI_DATA_DIR, HULAKI_TLS_CERT_FILE, PORT } = settings
const tokenFile = resolve(CHECKOUT, HULAKI_DATA_DIR || 'data', 'operator-token')
const clock = new SystemClock()
const ids = new Ids(clock, systemChance)
const stopped = new AbortController()

process.once('SIGINT', () => stopped.abort())
// Whoever reads has had enough, as `head` has.
process.stdout.on('error', () => process.exit())

process.exitCode = await runCommandLine(process.argv.slice(2), {
  url: HULAKI_URL || `${HULAKI_TLS_CERT_FILE ? 'https' : 'http'}://127.0.0.1:${PORT || 8080}`,
  token: () => HULAKI_TOKEN || HULAKI_OPERATOR_TOKEN || (readIfThere(tokenFile)?.trim() ?? null),
  readFile: (name) => readFileSync(name === '-' ? 0 : name, 'utf8'),
  newIdempotencyKey: () => ids.next(),
  now: () => clock.now(),
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  signal: stopped.signal,
})

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
