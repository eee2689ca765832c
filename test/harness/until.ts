// Waits for a condition. The limit only ends a hanging test; it does not measure speed. `seen` is printed when it ends.
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'

const PATIENCE_MS = 60_000
/** The wait between two checks grows, because most conditions hold soon and checks cost CPU. */
const FIRST_PAUSE_MS = 5
const MAX_PAUSE_MS = 80

export async function until<Value>(
  check: () => Promise<Value> | Value,
  { ms = PATIENCE_MS, seen }: { ms?: number; seen?: () => unknown } = {},
): Promise<NonNullable<Value>> {
  const end = performance.now() + ms
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, MAX_PAUSE_MS)) {
    const value = await check()
    if (value) return value as NonNullable<Value>
    if (performance.now() > end)
      throw new Error(`not within ${ms} ms: ${check}${seen ? `; seen: ${inspect(seen())}` : ''}`)
    await sleep(pauseMs)
  }
}
