// Clock, randomness and timers of the client, which tests replace.
import { HulakiError } from './error.ts'

export interface Machine {
  /** Monotonic milliseconds from any origin. */
  now(): number
  /** A random number from 0 to 1. */
  random(): number
  /** Rejects when the signal is aborted. */
  pause(ms: number, signal: AbortSignal | undefined): Promise<void>
}

/** `setTimeout` ends immediately with a longer delay. */
export const MAX_TIMER_MS = 2 ** 31 - 1

export const thisMachine: Machine = {
  now: () => performance.now(),
  random: () => Math.random(),
  pause: (ms, signal) =>
    new Promise((resolve, reject) => {
      const abort = () => {
        clearTimeout(timer)
        reject(new HulakiError({ code: 'aborted', status: 0, message: 'The call was aborted', cause: signal?.reason }))
      }
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', abort)
          resolve()
        },
        Math.min(ms, MAX_TIMER_MS),
      )
      if (signal?.aborted) abort()
      else signal?.addEventListener('abort', abort, { once: true })
    }),
}
