// Time and chance, as whoever runs the client has them; a test hands in its own.
import { HulakiError } from './error.ts'

export interface Machine {
  /** Milliseconds that only grow, from wherever. */
  now(): number
  /** From 0 to 1. */
  chance(): number
  /** Rejects when the signal says so. */
  pause(ms: number, signal: AbortSignal | undefined): Promise<void>
}

/** What `setTimeout` takes for longer ends at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1

export const thisMachine: Machine = {
  now: () => performance.now(),
  chance: () => Math.random(),
  pause: (ms, signal) =>
    new Promise((resolve, reject) => {
      const giveUp = () => {
        clearTimeout(timer)
        reject(new HulakiError({ code: 'aborted', status: 0, message: 'The call was given up', cause: signal?.reason }))
      }
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', giveUp)
          resolve()
        },
        Math.min(ms, LONGEST_TIMER_MS),
      )
      if (signal?.aborted) giveUp()
      else signal?.addEventListener('abort', giveUp, { once: true })
    }),
}
