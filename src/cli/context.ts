// The inputs, outputs and exit codes of a command line run.

export const EXIT = { done: 0, refused: 1, misuse: 2, notFound: 3, unauthorized: 4, noAnswer: 5 } as const

/** Error codes of the command line, beside those of the API. */
export const MISUSE = 'usage'
export const NO_ANSWER = 'no_answer'

/** Invalid command line; nothing was done. */
export class UsageError extends Error {}

export interface CliContext {
  version: string
  /** The default address. */
  url: () => string
  /** The default token for this address, or null. */
  tokenFor: (url: URL) => string | null
  readFile: (name: string) => string
  newIdempotencyKey: () => string
  newId: () => string
  /** Reads the environment, because others can read a command line. */
  secret: (name: 'HULAKI_API_KEY' | 'HULAKI_WEBHOOK_SECRET') => string | null
  /** For example sita@laptop. */
  machine: () => string
  /** A random number from 0 to 1. */
  random: () => number
  now: () => Date
  /** Columns of the terminal; null without a terminal. */
  width: number | null
  out: (text: string) => void
  err: (text: string) => void
  /** Ctrl-C or SIGTERM. */
  signal: AbortSignal
}
