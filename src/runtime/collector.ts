// Garbage collection settings for V8.
import { setFlagsFromString } from 'node:v8'

/**
 * With pretenuring, V8 allocates objects in the old generation when earlier ones from the same site survived a collection. Requests
 * live for milliseconds, so they then wait there for a full collection. Under load that took a fifth of the CPU.
 */
export function disablePretenuring(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}
