// Replaces the 10 s webhook timeout (§6.4) in a test.
import type { TestContext } from 'node:test'
import { ANSWER_WITHIN_SECONDS } from '../../src/domain/webhooks/webhook-schedule.ts'

/** Longer than every test, so that a slow machine causes no timeout. */
export const ENDLESS_MS = 3_600_000

/**
 * Until the test ends, every 10 s timer runs for `ms` instead. With `ENDLESS_MS` connections have no timeout either, because hundreds at
 * once take long on a busy machine.
 */
export function limitAttempts(t: TestContext, ms: number): void {
  const { setTimeout: startTimer } = globalThis
  // Passes the arguments on, because undici uses timer arguments.
  t.mock.method(globalThis, 'setTimeout', (ring: (...given: unknown[]) => void, waitMs?: number, ...given: unknown[]) =>
    startTimer(ring, waitMs === ANSWER_WITHIN_SECONDS * 1000 ? ms : waitMs, ...given),
  )
  if (ms !== ENDLESS_MS) return
  const { timeout } = AbortSignal
  t.mock.method(AbortSignal, 'timeout', () => timeout.call(AbortSignal, ENDLESS_MS))
}
