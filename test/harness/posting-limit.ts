// How long a posting waits for its answer: 10 s of the machine's own time by §6.4, and in a test as long as the test says.
import type { TestContext } from 'node:test'
import { ANSWER_WITHIN_SECONDS } from '../../src/domain/webhooks/webhook-schedule.ts'

/** Longer than any test runs: no posting ends because the machine is slow. */
export const ENDLESS_MS = 3_600_000

/**
 * Until the test ends, each timer of 10 s runs for `ms` instead. With `ENDLESS_MS` a connection may take as long, too: hundreds that are
 * made at once on a busy machine take longer than the service allows one.
 */
export function limitPostings(t: TestContext, ms: number): void {
  const { setTimeout: startTimer } = globalThis
  // With whatever the callback is called with: undici hands its timers arguments.
  t.mock.method(globalThis, 'setTimeout', (ring: (...given: unknown[]) => void, waitMs?: number, ...given: unknown[]) =>
    startTimer(ring, waitMs === ANSWER_WITHIN_SECONDS * 1000 ? ms : waitMs, ...given),
  )
  if (ms !== ENDLESS_MS) return
  const { timeout } = AbortSignal
  t.mock.method(AbortSignal, 'timeout', () => timeout.call(AbortSignal, ENDLESS_MS))
}
