// Whether the server responds, and since when it does not. The shell shows it; loaded data stays.
import { Store } from '../parts/store.ts'

/** Null while the server responds. */
export const unreachableSince = new Store<Date | null>(null)

export function markUnreachable(): void {
  if (!unreachableSince.value) unreachableSince.set(new Date())
}

export function markReachable(): void {
  unreachableSince.set(null)
}
