// Some calls want whoever makes them to have signed in lately: they wait here until that is shown, and are then made again.
import { Store } from '../parts/store.ts'

/** Who waits for it: the dialog that asks calls it with whether it was shown. */
export const asksAgain = new Store<((isShown: boolean) => void) | null>(null)

let waiting: Promise<boolean> | null = null

/** However many calls want it, it is asked for once. */
export function showAgain(): Promise<boolean> {
  waiting ??= new Promise<boolean>((resolve) => asksAgain.set(resolve)).finally(() => {
    waiting = null
    asksAgain.set(null)
  })
  return waiting
}
