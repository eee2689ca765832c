// The inputs, outputs and exit codes of a command line run.
export const EXIT = { done: 0, refused: 1, misuse: 2, notFound: 3, unauthorized: 4, noAnswer: 5 } as const

/** Error codes of the command line, beside those of the API. */
export const MISUSE = 'usage'
export const NO_ANSWER = 'no_answer'
export const LOCAL_FAILURE = 'local_failure'

/** Invalid command line; nothing was done. */
export class UsageError extends Error {}

/** A local command failed; the message is one sentence for a person. */
export class LocalError extends Error {}

/** A command on the database and the files of this machine (D81). */
export interface LocalCommand {
  name: string
  positionals: readonly string[]
  values: Readonly<Record<string, string | boolean>>
  /** From a file; null: not given. */
  passphrase: string | null
  /** Prints progress and warnings. */
  note: (text: string) => void
}

/** One result of a check. */
export interface Finding {
  state: 'ok' | 'warning' | 'error'
  what: string
}

/** What an upgrade to this version would meet. */
export interface UpgradeReport {
  facts: Record<string, unknown>
  findings: Finding[]
}

export interface CliContext {
  version: string
  /** The default address. */
  url: () => string
  /** The default token for this address, or null. */
  tokenFor: (url: URL) => string | null
  readFile: (name: string) => string
  /** Writes a file, and leaves none if the pieces end early. */
  writeFile: (name: string, pieces: AsyncIterable<Uint8Array>) => Promise<void>
  /** Makes new names in a folder survive a power failure. */
  syncFolder: (folder: string) => void
  newIdempotencyKey: () => string
  newId: () => string
  /** Reads the environment, because others can read a command line. */
  secret: (name: 'HULAKI_API_KEY' | 'HULAKI_WEBHOOK_SECRET') => string | null
  /** For example sita@laptop. */
  machine: () => string
  /** A random number from 0 to 1. */
  random: () => number
  now: () => Date
  /** Returns the fields to print. */
  runLocally: (command: LocalCommand) => Promise<Record<string, unknown>>
  /** Compares this version with the database of the settings; `url` is the address of the running service. */
  inspectUpgrade: (url: string) => Promise<UpgradeReport>
  /** Columns of the terminal; null without a terminal. */
  width: number | null
  out: (text: string) => void
  err: (text: string) => void
  /** Ctrl-C or SIGTERM. */
  signal: AbortSignal
}
