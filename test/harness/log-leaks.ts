// Stores the log lines of the services under test, and finds secrets in them after the run.
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { onFileEnd } from '../runner/file-end.ts'

const SECRETS: Record<string, RegExp> = {
  'an API key': /[a-z0-9]_live_[0-9a-f]{48}/,
  'a webhook secret': /whsec_[0-9a-f]{16}/,
  'a token': /hulaki_(operator|owner|developer|viewer|session|link)_[0-9a-f]{16}|\bbearer [\w.~+/=-]{8}/i,
  'a password': /kathmandu-taxi/,
  'a password hash': /\$argon2id\$/,
  'the secret of an authenticator app': /otpauth:/,
  'a recovery code': /\b([a-z2-7]{4}-){3}[a-z2-7]{4}\b/,
  'a whole phone number': /\+977\d{10}/,
  'an OTP': /\b\d{6} is your verification code/,
  'row data from PostgreSQL': /"(detail|where|internalQuery)":/,
}
const ANY = new RegExp(
  Object.values(SECRETS)
    .map((it) => `(?:${it.source})`)
    .join('|'),
  'i',
)
const PREFIX = 'logged-by-'

const sources: (() => string[])[] = []

/** `linesOf` is called at the end of the test file. */
export function keepLog(linesOf: () => string[]): void {
  if (sources.length === 0) onFileEnd(writeLogs)
  sources.push(linesOf)
}

function writeLogs(): void {
  const folder = process.env.TEST_RUN_FOLDER
  if (!folder) return
  const lines = sources.flatMap((linesOf) => linesOf()).map((line) => line.trimEnd())
  appendFileSync(
    join(folder, `${PREFIX}${process.pid}-${basename(process.argv[1] ?? '')}`),
    `${process.argv[1]}\n${lines.join('\n')}\n`,
  )
}

/** The lines that contain a secret, and the number of logs. */
export function findLogLeaks(folder: string): { leaks: string[]; logs: number } {
  const files = readdirSync(folder).filter((file) => file.startsWith(PREFIX))
  const leaks = files.flatMap((file) => {
    const text = readFileSync(join(folder, file), 'utf8')
    if (!ANY.test(text)) return []
    const [testFile, ...lines] = text.split('\n')
    return lines.flatMap((line) => {
      const what = secretIn(line)
      return what === null ? [] : [`${what} in a log of ${testFile}: ${line.slice(0, 1_000)}`]
    })
  })
  return { leaks, logs: files.length }
}

export function secretIn(line: string): string | null {
  return Object.keys(SECRETS).find((what) => SECRETS[what]?.test(line)) ?? null
}
