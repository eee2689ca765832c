// Whether the service answers, and since when it does not. The shell says so; what was loaded stays.
import { Store } from '../parts/store.ts'

/** Null while it answers. */
export const awaySince = new Store<Date | null>(null)

export function lost(): void {
  if (!awaySince.value) awaySince.set(new Date())
}

export function heardFrom(): void {
  awaySince.set(null)
}
