// Promises that nobody waits for, in tests and benchmarks: a rejection is thrown, which fails the test or ends the process.
import type { IncomingMessage, ServerResponse } from 'node:http'

export function failOnRejection(work: Promise<unknown>): void {
  work.catch((fault) =>
    setImmediate(() => {
      throw fault
    }),
  )
}

/** For servers, timers and processes, which drop what a listener returns. */
export function listener<Args extends unknown[]>(work: (...args: Args) => Promise<unknown>): (...args: Args) => void {
  return (...args) => failOnRejection(work(...args))
}

export const requestListener = listener<[IncomingMessage, ServerResponse]>
