// What is around a run of the command line, and how it says how it went.

export const EXIT = { done: 0, refused: 1, misuse: 2, notFound: 3, unauthorized: 4, noAnswer: 5 } as const

/** The codes of what the service never said, beside those of the API. */
export const MISUSE = 'usage'
export const NO_ANSWER = 'no_answer'

/** The command line is wrong, and says how. Nothing was done. */
export class Misuse extends Error {}

export type SecretName = 'HULAKI_API_KEY' | 'HULAKI_WEBHOOK_SECRET'

/** All that a run needs of the machine. */
export interface Surroundings {
  version: string
  /** Where nothing else is said. */
  url: () => string
  /** Where none is named: that for a service at this address, or null. */
  tokenFor: (url: URL) => string | null
  readFile: (name: string) => string
  newIdempotencyKey: () => string
  /** A UUID, never the same. */
  newId: () => string
  /** What stands in the environment under this name, for what shall not stand in a command line. */
  secret: (name: SecretName) => string | null
  /** Who sits where, such as sita@laptop. */
  machine: () => string
  /** From 0 to 1. */
  chance: () => number
  now: () => Date
  /** How many signs a line of the terminal holds; null where it is none. */
  width: number | null
  out: (text: string) => void
  err: (text: string) => void
  /** The person at the terminal has had enough. */
  signal: AbortSignal
}
