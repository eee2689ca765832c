// Waits on a condition, with a limit: what happens over sockets and in other processes happens in its own time. The limit is there
// to end a test that waits in vain, not to judge how fast the machine is.
import { setTimeout as sleep } from 'node:timers/promises'

const PATIENCE_MS = 60_000

export async function until<Value>(
  look: () => Promise<Value> | Value,
  { ms = PATIENCE_MS } = {},
): Promise<NonNullable<Value>> {
  const end = performance.now() + ms
  for (;;) {
    const value = await look()
    if (value) return value as NonNullable<Value>
    if (performance.now() > end) throw new Error(`not within ${ms} ms: ${look}`)
    await sleep(10)
  }
}
