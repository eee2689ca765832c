// What is around a run of the command line, and how it says how it went.

export const EXIT = { done: 0, refused: 1, misuse: 2, notFound: 3, unauthorized: 4, noAnswer: 5 } as const

/** The command line is wrong, and says how. Nothing was asked. */
export class Misuse extends Error {}

/** All that a run needs of the machine. */
export interface Surroundings {
  /** Where nothing else is said. */
  url: string
  /** Where none is named: that for a service at this address, or null. */
  tokenFor: (url: URL) => string | null
  readFile: (name: string) => string
  newIdempotencyKey: () => string
  now: () => Date
  out: (text: string) => void
  err: (text: string) => void
  /** The person at the terminal has had enough. */
  signal: AbortSignal
}
