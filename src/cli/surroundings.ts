// What is around a run of the command line, and how it says how it went.

export const EXIT = { done: 0, refused: 1, misuse: 2, notFound: 3, unauthorized: 4, noAnswer: 5 } as const

/** What is around a run: all it needs of the machine. */
export interface Surroundings {
  /** Where nothing else is said. */
  url: string
  token: () => string | null
  readFile: (name: string) => string
  newIdempotencyKey: () => string
  now: () => Date
  out: (line: string) => void
  err: (line: string) => void
  /** Ends what would go on for ever. */
  signal: AbortSignal
}
