// Background promises in tests and benchmarks: a rejection fails the test or ends the process.
import type { IncomingMessage, ServerResponse } from 'node:http'

export function failOnRejection(work: Promise<unknown>): void {
  work.catch((error) =>
    setImmediate(() => {
      throw error
    }),
  )
}

/** For callbacks whose result is ignored, like those of servers and timers. */
export function listener<Args extends unknown[]>(work: (...args: Args) => Promise<unknown>): (...args: Args) => void {
  return (...args) => failOnRejection(work(...args))
}

export const requestListener = listener<[IncomingMessage, ServerResponse]>
