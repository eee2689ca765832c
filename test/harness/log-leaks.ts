// Keeps every log line of the services under test in the folder of the run, and finds secrets in them at its end.
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { onFileEnd } from '../runner/file-end.ts'

const SECRETS: Record<string, RegExp> = {
  'an API key': /[a-z0-9]_live_[0-9a-f]{48}/,
  'a webhook secret': /whsec_[0-9a-f]{16}/,
  'a token': /hulaki_(operator|owner|developer|viewer|session|link)_[0-9a-f]{16}|\bbearer [\w.~+/=-]{8}/i,
  'a password': /kathmandu-taxi/,
  'what is kept of a password': /\$argon2id\$/,
  'the secret of an authenticator app': /otpauth:/,
  'a recovery code': /\b([a-z2-7]{4}-){3}[a-z2-7]{4}\b/,
  'a whole phone number': /\+977\d{10}/,
  'a one-time code in its text': /\b\d{6} is your verification code/,
  'what PostgreSQL tells of rows': /"(detail|where|internalQuery)":/,
}
const ANY = new RegExp(
  Object.values(SECRETS)
    .map((it) => `(?:${it.source})`)
    .join('|'),
  'i',
)
const PREFIX = 'logged-by-'

const keptHere: (() => string[])[] = []

/** `linesOf` is asked when the test file ends. */
export function keepLog(linesOf: () => string[]): void {
  if (keptHere.length === 0) onFileEnd(writeDown)
  keptHere.push(linesOf)
}

function writeDown(): void {
  const folder = process.env.TEST_RUN_FOLDER
  if (!folder) return
  const lines = keptHere.flatMap((linesOf) => linesOf()).map((line) => line.trimEnd())
  appendFileSync(
    join(folder, `${PREFIX}${process.pid}-${basename(process.argv[1] ?? '')}`),
    `${process.argv[1]}\n${lines.join('\n')}\n`,
  )
}

/** What of a log must not have been written, with the lines; and whether there was any log at all. */
export function spillsIn(folder: string): { spills: string[]; logs: number } {
  const files = readdirSync(folder).filter((file) => file.startsWith(PREFIX))
  const spills = files.flatMap((file) => {
    const text = readFileSync(join(folder, file), 'utf8')
    if (!ANY.test(text)) return []
    const [testFile, ...lines] = text.split('\n')
    return lines.flatMap((line) => {
      const what = secretIn(line)
      return what === null ? [] : [`${what} stands in a log of ${testFile}: ${line.slice(0, 1_000)}`]
    })
  })
  return { spills, logs: files.length }
}

export function secretIn(line: string): string | null {
  return Object.keys(SECRETS).find((what) => SECRETS[what]?.test(line)) ?? null
}
