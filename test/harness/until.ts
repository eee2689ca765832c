// Waits on a condition, with a limit: what happens over sockets and in other processes happens in its own time. The limit is there
// to end a test that waits in vain, not to judge how fast the machine is.
import { setTimeout as sleep } from 'node:timers/promises'

const PATIENCE_MS = 60_000
/** Between two looks: short at first, for most conditions hold soon; then longer, for looks cost CPU that the others lack. */
const FIRST_PAUSE_MS = 5
const LONGEST_PAUSE_MS = 80

export async function until<Value>(
  look: () => Promise<Value> | Value,
  { ms = PATIENCE_MS } = {},
): Promise<NonNullable<Value>> {
  const end = performance.now() + ms
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
    const value = await look()
    if (value) return value as NonNullable<Value>
    if (performance.now() > end) throw new Error(`not within ${ms} ms: ${look}`)
    await sleep(pauseMs)
  }
}
